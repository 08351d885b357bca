"""The checks that are done to each built program hold for the program from source, and find what is wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from build_scripts import fault_checks
from build_scripts.fault_checks import CHECKS, check_faults
from build_scripts.trial import Fault, Trial, demand, wait_for

ROOT = Path(__file__).parents[2]
FROM_SOURCE = [
    sys.executable,
    "-c",
    f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    "from desktop.__main__ import main\n"
    "if __name__ == '__main__': sys.exit(main())",
]
ONLY_BUILT = {"no room for the engine", "two people"}
"""What concerns only a program that unpacks itself and that anybody may start."""

linux = pytest.mark.skipif(sys.platform != "linux", reason="crashes and sockets as Linux has them")


@linux
@pytest.mark.parametrize("name", [name for name in CHECKS if name not in ONLY_BUILT])
def test_that_the_program_from_source_does_right(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    seen = check_faults(FROM_SOURCE, [name])
    assert list(seen) == [name] and seen[name]
    assert name in capsys.readouterr().out


def program(tmp_path: Path, code: str) -> list[str]:
    file = tmp_path / "program.py"
    file.write_text(code)
    return [sys.executable, str(file)]


@linux
def test_that_a_window_that_ends_at_once_is_told_with_the_check(tmp_path: Path) -> None:
    with pytest.raises(Fault, match=r"native crash: The window ended at once with 7\."):
        check_faults(program(tmp_path, "raise SystemExit(7)"), ["native crash"])


def test_that_a_traceback_is_a_fault(tmp_path: Path) -> None:
    trial = Trial(program(tmp_path, "raise ValueError('odd')"), tmp_path / "trial")
    with pytest.raises(Fault, match="odd"):
        trial.run("runs")


def test_that_a_program_sees_nothing_of_this_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY_OF_MINE", "secret")
    trial = Trial(
        program(tmp_path, "import os; print('A_KEY_OF_MINE' in os.environ, os.environ['TMPDIR'])"),
        tmp_path / "t",
    )
    assert trial.run().stdout.split() == ["False", str(tmp_path / "t" / "temporary")]


def test_that_waiting_and_demanding_end_with_words() -> None:
    with pytest.raises(Fault, match=r"in vain: the door is shut\."):
        wait_for(lambda: False, "the door is shut", 0.0)
    with pytest.raises(Fault, match="no"):
        demand([], "no")
    demand([1], "yes")


def test_that_numbers_are_found_wherever_they_stand() -> None:
    found = list(fault_checks.numbers({"a_ms": 1, "rows": [{"b_s": -2.5, "ok": True}], "t": "3"}))
    assert found == [("a_ms", 1), ("b_s", -2.5)]
