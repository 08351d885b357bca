"""A key of the person's never reaches journal, log, report, bundle, crash file or terminal."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml

from desktop.app import command_context
from desktop.application.services import Services
from desktop.cli.main import run_command_line
from desktop.cli.terminal import Terminal
from desktop.foundation.logs import start_logging
from desktop.foundation.paths import user_paths
from desktop.inference.backends.api_keys import KEY_VARIABLES
from desktop.inference.backends.base import FaultKind
from desktop.inference.backends.key_guard import INSTEAD
from desktop.reports.renderers import standard_renderers
from tests.desktop.cli.conftest import Stream
from tests.fakes.desk_pack import desk_model, write_desk_pack
from tests.fakes.fake_backend import Answer, FakeBackend, fault
from tests.fakes.key_forms import every_form, readable
from tests.fakes.qualification_vectors import overlaid
from tests.fakes.scripted_server import Asked, Reply, ScriptedServer, json_reply, sse_reply

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
        command("report", "--format", kind.name, "--out", str(tmp_path / f"{kind.name}{kind.suffix}"))[1]
        for kind in standard_renderers()
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
                ["report", "--format", kind.name, "--out", str(tmp_path / f"{kind.name}{kind.suffix}")]
                for kind in standard_renderers()
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


class TellingServer:
    """Plays every API, and repeats the key of each request in every form in all that it answers.

    how: 'refuses' (status 401), 'answers' (in good answers, as pieces of a stream where it is a stream), or
    'no HTTP' (a header that is none).
    """

    def __init__(self, how: str) -> None:
        self.how = how
        self.keys: set[str] = set()

    def __call__(self, request: Asked) -> Reply:
        key = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix(
            "Bearer "
        )
        if key:
            self.keys.add(key)
        said = every_form(key)
        headers = {"X-Asked-With": f"Bearer {key}", "Server": quote(key, safe="")}
        if request.method == "GET":
            return json_reply({"data": [{"id": "m", "owned_by": said}, {"id": said}], "models": []}, **headers)
        if self.how == "no HTTP":
            return Reply((said.encode(),), 200, {"Content-Length": f"{key} {said}", f"no name {key}": "x"})
        if self.how == "refuses" or not request.path.endswith(("/chat/completions", "/v1/messages")):
            return json_reply({"error": {"message": f"{said} are refused"}}, 401, **headers)
        pieces = [key[: len(key) // 2], key[len(key) // 2 :], f" and {said}"]
        if request.path.endswith("/v1/messages"):
            deltas = [
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
                for piece in pieces
            ]
            last = {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn"},
                "usage": {"output_tokens": 3},
            }
            return sse_reply(*deltas, last, {"type": "message_stop"}, done=False)
        if request.json().get("stream"):
            chunks = [{"choices": [{"delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
            return sse_reply(*chunks, {"choices": [{"delta": {}, "finish_reason": "stop"}]})
        message = {"content": json.dumps({"label": said, "passed": True, "rationale": "".join(pieces)})}
        return json_reply({"choices": [{"message": message, "finish_reason": "stop"}], "system": said})


def _commands(url: str, tmp_path: Path) -> dict[str, list[list[str]]]:
    """By the variables whose keys are sent."""
    desk, out = str(write_desk_pack(tmp_path / "desk")), str(tmp_path / "out")
    notes = tmp_path / "notes.md"
    notes.write_text("- one: a\n- two: b\n- three: c\n\nBroken lamps go to one.", encoding="utf-8")
    judged = overlaid({"base": "base_pack_judge"}, tmp_path)
    evaluators = judged / "evaluators.yaml"
    value = yaml.safe_load(evaluators.read_text(encoding="utf-8"))
    value["evaluators"][4]["config"]["transport"] = "endpoint"
    evaluators.write_text(yaml.safe_dump(value, sort_keys=False), encoding="utf-8")
    bundle = ["--out", str(tmp_path / "ev"), "--operator", "ann", "--model", "m", "--max-retries", "0"]
    qualify = ["qualify", str(judged), "--endpoint", url, *bundle]
    server = ["--backend", "openai", "--endpoint", url]
    return {
        "PACKBENCH_API_KEY": [
            ["run", desk, *server, "--model", "m", "--out", out],
            ["resume", "--retry-failed"],
            ["ingest", str(notes), str(tmp_path / "drafted"), *server, "--model", "m", "--examples", "10"],
        ],
        "ANTHROPIC_API_KEY": [
            ["run", desk, "--backend", "anthropic", "--endpoint", url, "--model", "m", "--allow-remote"]
        ],
        "ETALON_API_KEY PACKBENCH_JUDGE_API_KEY": [
            [*qualify, "--judge-endpoint", f"{url}/judge", "--run-id", "r1"],
            [*qualify, "--judge-endpoint", f"{url}/judge", "--run-id", "r2", "--strict-scrubbing"],
            ["check", str(tmp_path / "ev" / "r1"), "--endpoint", url],
            ["inspect", str(tmp_path / "ev" / "r1")],
        ],
        "OPENAI_API_KEY": [[*qualify, "--run-id", "r3"], [*qualify, "--case", "MK0001"]],
        "TYPESAFE_API_KEY": [["models"], ["show", "--json"], ["runs"]],
    }


VARIABLES = (
    *("PACKBENCH_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "TYPESAFE_API_KEY"),
    "ETALON_API_KEY PACKBENCH_JUDGE_API_KEY",
)


def test_that_every_variable_of_a_key_is_tried() -> None:
    assert {name for names in VARIABLES for name in names.split()} == set(KEY_VARIABLES)


@pytest.mark.parametrize("how", ["refuses", "answers", "no HTTP"])
@pytest.mark.parametrize("names", VARIABLES)
def test_that_no_form_of_a_key_leaves_any_command(
    names: str, how: str, logged: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keys = {
        name: f"{name[:4]}/+canary-{number}~0123456789abcdefghij" for number, name in enumerate(names.split())
    }
    for name, key in keys.items():
        monkeypatch.setenv(name, key)
    telling = TellingServer(how)
    paths = user_paths()
    shown = []
    with ScriptedServer(telling) as server:
        for arguments in _commands(server.url, tmp_path)[names]:
            out, err = Stream(), Stream()
            context = command_context(Terminal(out, err, {}), paths, paths.logs / "packbench.log")
            run_command_line(arguments, context)
            shown.append(out.text() + err.text())
    assert not [text for text in shown if "fault of ours" in text]
    # The service behind TYPESAFE_API_KEY is asked through its own package alone.
    assert telling.keys == (set() if names == "TYPESAFE_API_KEY" else set(keys.values()))
    files = [path for root in (paths.data.parent, tmp_path) for path in root.rglob("*") if path.is_file()]
    texts = {path.name: _content(path).decode("latin-1") for path in files}
    texts.update((f"shown {number}", text) for number, text in enumerate(shown))
    found = {
        (place, form) for place, text in texts.items() for key in keys.values() for form in readable(text, key)
    }
    assert not found
    assert how == "no HTTP" or not telling.keys or any(INSTEAD in text for text in texts.values())


def test_that_the_log_of_the_program_holds_no_form_of_any_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keys = {name: f"{name}/+canary~0123456789" for name in KEY_VARIABLES}
    for name, key in keys.items():
        monkeypatch.setenv(name, key)
    script = (
        "import logging, sys; from desktop import app; from tests.fakes.key_forms import every_form\n"
        "def refuse(arguments, context):\n"
        "    try: raise ValueError(' '.join(map(every_form, arguments)))\n"
        "    except ValueError: logging.getLogger('x').exception('no such key %s', arguments)\n"
        "    return 0\n"
        "app.run_command_line = refuse; sys.exit(app.run_program(sys.argv[1:]))\n"
    )
    root = Path(__file__).parents[2]
    ended = subprocess.run(
        [sys.executable, "-c", script, *keys.values()], cwd=root, capture_output=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr.decode()
    text = (user_paths().logs / "packbench.log").read_text(encoding="utf-8")
    assert INSTEAD in text and "ValueError" in text
    assert not [(name, found) for name, key in keys.items() if (found := readable(text, key))]
