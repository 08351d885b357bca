"""A key of the person's never reaches journal, log, report, bundle, crash file or terminal."""

from __future__ import annotations

import logging
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.app import command_context
from desktop.application.services import Services
from desktop.cli.main import run_command_line
from desktop.cli.terminal import Terminal
from desktop.foundation.logs import start_logging
from desktop.foundation.paths import user_paths
from desktop.inference.backends.base import FaultKind
from desktop.reports.renderers import standard_renderers
from tests.desktop.cli.conftest import Stream
from tests.fakes.desk_pack import desk_model, write_desk_pack
from tests.fakes.fake_backend import Answer, FakeBackend, fault
from tests.fakes.scripted_server import Asked, Reply, ScriptedServer, json_reply

CANARY = "sk-canary-0123456789abcdefghij"
NAMES = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "PACKBENCH_API_KEY", "HF_TOKEN")


@pytest.fixture
def logged() -> Iterator[None]:
    """A real log file, whose handler is gone afterwards."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    start_logging(user_paths().logs, debug=True)
    yield
    for handler in [entry for entry in root.handlers if entry not in before]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    for name in NAMES:
        monkeypatch.setenv(name, CANARY)

    def backend_of(*given: object, **named: object) -> FakeBackend:
        # A server that gives the key back in its own words, as some proxies do.
        broken = fault(FaultKind.SERVER_ERROR, detail=f"401: Authorization: Bearer {CANARY} was refused")
        return FakeBackend([desk_model(said={1: Answer(fault=broken)})])

    monkeypatch.setattr(Services, "backend", backend_of)

    def run(*arguments: str) -> tuple[int, str]:
        out, err = Stream(), Stream()
        paths = user_paths()
        context = command_context(Terminal(out, err, {}), paths, paths.logs / "packbench.log")
        code = run_command_line(arguments, context)
        return code, out.text() + err.text()

    return run


def test_that_a_key_in_the_environment_is_nowhere_afterwards(
    command: Callable[..., tuple[int, str]], logged: None, tmp_path: Path
) -> None:
    pack = write_desk_pack(tmp_path / "desk")
    shown = [command("run", str(pack), "--out", str(tmp_path / "out"))[1], command("show")[1]]
    shown.extend(
        command("report", "--format", form, "--out", str(tmp_path / f"report.{form}"))[1]
        for form in standard_renderers().names
    )
    shown.append(command("show", "--json")[1])
    logging.getLogger("desktop").warning("the server said: Authorization: Bearer %s", CANARY)
    assert not [text for text in shown if CANARY in text]
    files = [
        path for root in (user_paths().data.parent, tmp_path) for path in root.rglob("*") if path.is_file()
    ]
    assert any(path.name == "packbench.log" for path in files) and any(path.suffix == ".db" for path in files)
    assert not [path for path in files if CANARY.encode() in path.read_bytes()]


def test_that_a_key_that_the_server_repeats_is_nowhere_afterwards(
    logged: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PACKBENCH_API_KEY", CANARY)
    asked: list[str] = []

    def handle(request: Asked) -> Reply:
        key = request.headers.get("authorization", "")
        if request.path == "/v1/models":
            return json_reply({"data": [{"id": "m"}]})
        if request.path != "/v1/chat/completions":
            return json_reply({"error": f"{key} is not for here"}, 404)
        asked.append(key)
        if "letter 2" in request.json()["messages"][0]["content"]:
            return json_reply({"error": {"message": f"no such key: {key}"}}, 500)
        message = f"I was shown the words {key} and will say them"
        return json_reply({"choices": [{"message": {"content": message}, "finish_reason": "stop"}]})

    pack = write_desk_pack(tmp_path / "desk")
    paths = user_paths()
    shown = []
    with ScriptedServer(handle) as server:
        for arguments in (
            ["run", str(pack), "--backend", "openai", "--endpoint", server.url, "--out", str(tmp_path / "out")],
            ["show", "--json"],
            *(
                ["report", "--format", form, "--out", str(tmp_path / f"report.{form}")]
                for form in standard_renderers().names
            ),
        ):
            out, err = Stream(), Stream()
            context = command_context(Terminal(out, err, {}), paths, paths.logs / "packbench.log")
            assert run_command_line(arguments, context) == 0, err.text()
            shown.append(out.text() + err.text())
    assert f"Bearer {CANARY}" in asked
    assert not [text for text in shown if CANARY in text]
    files = [path for root in (paths.data.parent, tmp_path) for path in root.rglob("*") if path.is_file()]
    assert not [path for path in files if CANARY.encode() in _content(path)]
    assert any(
        b"[key removed]" in _content(path) for path in files if path.suffix == ".zip" or "csv" in path.name
    )


CRASHING = """
import faulthandler, os, sys
import desktop.app
def crash(arguments):
    held = os.environ["OPENAI_API_KEY"]
    faulthandler._sigsegv()
desktop.app.run_program = crash
from desktop.__main__ import main
sys.argv = ["packbench"]
main()
"""


def test_that_a_crash_file_holds_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.setenv(name, CANARY)
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", CRASHING], cwd=root, capture_output=True, timeout=60, check=False)
    files = list(user_paths().logs.glob("crash-*"))
    assert files and b" in crash" in files[0].read_bytes()
    assert not [path for path in user_paths().logs.rglob("*") if CANARY.encode() in path.read_bytes()]


def _content(path: Path) -> bytes:
    """What is in a file; of a bundle, what is in its entries."""
    if not zipfile.is_zipfile(path):
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


@pytest.mark.parametrize(
    "endpoint", [f"http://user:{CANARY}@localhost:8000", f"http://localhost:8000/v1?api_key={CANARY}"]
)
def test_that_a_key_in_an_address_is_refused_without_repeating_it(
    command: Callable[..., tuple[int, str]], tmp_path: Path, endpoint: str
) -> None:
    pack = write_desk_pack(tmp_path / "desk")
    code, text = command("run", str(pack), "--endpoint", endpoint)
    assert code == 1 and CANARY not in text and "environment" in text
