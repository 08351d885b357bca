"""What a command says when something happens that nobody foresaw."""

from __future__ import annotations

import errno
import logging
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.app import command_context
from desktop.cli import runs
from desktop.cli.context import Context
from desktop.cli.main import run_command_line
from desktop.cli.terminal import Terminal
from desktop.foundation.logs import start_logging
from desktop.foundation.paths import user_paths
from tests.desktop.cli.conftest import Ran, Stream


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    def fail_with(error: BaseException) -> None:
        def run(_arguments: Namespace, _context: Context) -> int:
            raise error

        monkeypatch.setattr(runs, "COMMAND", type(runs.COMMAND)(**{**fields_of(runs.COMMAND), "run": run}))

    return fail_with


def fields_of(command: object) -> dict[str, object]:
    return {name: getattr(command, name) for name in type(command).__dataclass_fields__}  # type: ignore[attr-defined]


def test_that_a_fault_of_ours_is_a_sentence_with_the_place_of_the_log(
    failing: Callable[[BaseException], None],
) -> None:
    failing(KeyError("api_key=sk-abcdefgh12345678"))
    paths = user_paths()
    before = list(logging.getLogger().handlers)
    log_file = start_logging(paths.logs)
    err = Stream()
    code = run_command_line(["runs"], command_context(Terminal(Stream(), err, {}), paths, log_file))
    for handler in [entry for entry in logging.getLogger().handlers if entry not in before]:
        logging.getLogger().removeHandler(handler)
        handler.close()
    assert code == 3
    assert "fault of ours" in err.text() and str(log_file) in err.text()
    assert "Traceback" not in err.text()
    assert log_file is not None
    kept = Path(log_file).read_text("utf-8")
    assert "Traceback" in kept and "abcdefgh" not in kept


def test_that_without_a_log_the_fault_is_named_without_keys(
    failing: Callable[[BaseException], None], packbench: Callable[..., Ran]
) -> None:
    failing(RuntimeError("api_key=sk-abcdefgh12345678"))
    ran = packbench("runs")
    assert ran.code == 3 and "No log can be written here" in ran.err
    assert "RuntimeError" in ran.err and "abcdefgh" not in ran.err


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/a/b"), "Free some space"),
        (OSError(errno.EROFS, "Read-only file system", "/a/b"), "nothing can be written"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_that_what_the_system_refuses_is_a_sentence(
    failing: Callable[[BaseException], None], packbench: Callable[..., Ran], error: BaseException, message: str
) -> None:
    failing(error)
    ran = packbench("runs")
    assert ran.code == 3 and message in ran.err and "fault of ours" not in ran.err


def test_that_a_run_without_any_model_says_how_to_get_one(packbench: Callable[..., Ran]) -> None:
    ran = packbench("run", "ticket-routing")
    assert ran.code == 3
    assert "There is no model to run." in ran.err and "GGUF" in ran.err
    assert str(user_paths().models) in ran.err.replace("\n", "")
