"""Shared by all tests: no screen, no network, nothing of the real user folders, no thread left behind."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

os.environ["QT_QPA_PLATFORM"] = "offscreen"
# The same examples each time, however busy the machine is, and nothing written into the source tree.
hypothesis.settings.register_profile("steady", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--remake-golden", action="store_true", help="write tests/golden anew instead of comparing"
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with a real model come first: each worker takes neighbours, so one worker runs them one by one.

    Two engines at once on two cores take three times as long as one after the other.
    """
    items.sort(key=lambda item: item.get_closest_marker("engine") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests ran a real model; why others were skipped stands above, by `-ra`."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)]
    real = sum("engine" in report.keywords for report in reports)
    if real:
        terminalreporter.write_line(f"{real} of these tests ran a real model.")


@pytest.fixture
def remake_golden(request: pytest.FixtureRequest) -> bool:
    """Are golden files to be written anew?"""
    return bool(request.config.getoption("--remake-golden"))


@pytest.fixture(scope="session")
def starter_model() -> Path:
    """The starter model's file, for tests marked `engine`: where the program itself looks for it.

    Of the session's scope, so that it is found before a test gets a home of its own.
    """
    # Not at the top: the tests of `packs` also run where the application's libraries are not installed.
    from desktop.foundation.paths import user_paths
    from desktop.inference.model_files.starter_model import FILE_NAME, HOW_TO_GET

    file = user_paths().models / FILE_NAME
    if not file.is_file():
        pytest.fail(f"The starter model is missing: {file}. {HOW_TO_GET}", pytrace=False)
    return file


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test has its own data folder; the starter model is found through the `starter_model` fixture."""
    home = tmp_path / "packbench-home"
    monkeypatch.setenv("PACKBENCH_HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def no_thread_left_behind() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and thread.is_alive()]
    for thread in left:
        thread.join(timeout=30)
    left = [thread for thread in left if thread.is_alive()]
    assert not left, f"the test left threads running: {[thread.name for thread in left]}"
