"""Steps of an installation are one line each; what they say is in a file, and its end is shown on failure."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from build_scripts.dev import wants_all_cores, what_ran
from build_scripts.logged_step import SHOWN_LINES, logged_step

TALKATIVE = (
    "import sys\nfor n in range(200): print('warning', n, file=(sys.stdout, sys.stderr)[n % 2], flush=True)\n"
)


def test_that_a_step_that_succeeds_shows_its_line_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert logged_step("Installing …", [sys.executable, "-c", TALKATIVE], "install", logs=tmp_path / "logs")
    assert capfd.readouterr() == ("", "Installing …\n")
    assert len((tmp_path / "logs" / "install.log").read_text("utf-8").splitlines()) == 200


def test_that_a_step_that_fails_shows_the_end_of_its_log_and_where_it_is(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-c", TALKATIVE + "sys.exit(3)"]
    assert not logged_step("Installing …", command, "install", logs=tmp_path)
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "Installing …"
    assert lines[1:-1] == [f"warning {number}" for number in range(200 - SHOWN_LINES, 200)]
    assert lines[-1].endswith(str(tmp_path / "install.log"))


@pytest.mark.parametrize(
    ("paths", "all_cores"),
    [
        ([], True),
        (["tests/packs"], True),
        (["tests/packs/test_numbers.py", "-k", "odd"], False),
        (["tests/packs", "-n", "0"], False),
        (["tests/packs", "-n2"], False),
    ],
)
def test_that_whole_folders_use_all_cores(paths: list[str], all_cores: bool) -> None:
    assert wants_all_cores(paths) is all_cores


def test_that_the_end_says_what_was_run(tmp_path: Path) -> None:
    result = tmp_path / "packs.xml"
    result.write_text(
        '<testsuites><testsuite name="pytest" errors="1" failures="2" skipped="3" tests="40" time="61.7"/>'
        "</testsuites>",
        "utf-8",
    )
    assert what_ran(result) == "40 tests, 3 failed, 3 skipped, 62 s"
