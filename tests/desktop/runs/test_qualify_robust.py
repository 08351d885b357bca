"""Nothing an endpoint answers, and no way of ending, loses what was answered (format, section 28)."""

from __future__ import annotations

import json
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from desktop.foundation.cancel import CancelToken
from desktop.runs.qualification.client import read_attempt
from desktop.runs.qualification.events import QualifyEvent, ReplyArrived
from desktop.runs.qualification.run import QualifyResult, RunStopped, qualify
from packs.errors import AppError
from packs.qualification.integrity import check_integrity
from tests.fakes.qualification_runs import (
    ScriptedEndpoint,
    read_json,
    read_lines,
    run_once,
    settings_for,
    surroundings,
)
from tests.fakes.qualification_vectors import overlaid

RIGHT = '{"label": "mooring", "behaviour": "classify"}'
BASE = "base_pack"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return overlaid({"base": BASE}, tmp_path)


def contents_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is stored as a number")


ODD_REPLIES: dict[str, tuple[dict[str, Any], str | None]] = {
    "an HTML page": ({"raw": b"<html>proxy</html>"}, "ReplyNotJson"),
    "half a JSON object": ({"raw": b'{"choices": [{"mess'}, "ReplyNotJson"),
    "nothing at all": ({"raw": b""}, "ReplyNotJson"),
    "a list": ({"raw": b"[1, 2]"}, "ReplyNotObject"),
    "bytes that are no text": ({"raw": b"\xff\xfe\x00"}, "ReplyNotJson"),
    "a very deep object": ({"raw": b'{"a":' * 20000 + b"1" + b"}" * 20000}, "ReplyNotJson"),
    "NaN in the body": ({"raw": b'{"choices": [], "usage": {"prompt_tokens": NaN, "x": 1e999}}'}, None),
    "choices of null": ({"raw": b'{"choices": [null]}'}, None),
    "choices of text": ({"raw": b'{"choices": ["x"]}'}, None),
    "choices of no list": ({"raw": b'{"choices": {"0": 1}}'}, None),
    "a message of text": ({"raw": b'{"choices": [{"message": "x"}]}'}, None),
    "NaN in the content": ({"content": '{"label": NaN, "behaviour": 1e999}'}, None),
    "U+2028 in the content": ({"content": '{"label": "a\u2028b", "behaviour": "\u2029\u0085"}'}, None),
    "a lone surrogate": (
        {"raw": b'{"choices":[{"message":{"content":"{\\"label\\":\\"\\\\ud800\\"}"}}]}'},
        None,
    ),
    "a lone surrogate outside": ({"raw": b'{"id":"\\ud800","\\udc00":1,"choices":[]}'}, None),
    "a deep object in the content": ({"content": '{"label":' * 3000 + "1" + "}" * 3000}, None),
    "a huge number": ({"content": '{"label": ' + "9" * 6000 + "}"}, None),
    "a model that is no text": ({"raw": b'{"model": ["x"], "choices": []}'}, None),
}


@pytest.mark.parametrize(("reply", "error"), ODD_REPLIES.values(), ids=ODD_REPLIES)
def test_that_no_reply_keeps_the_bundle_from_being_written(
    reply: dict[str, Any], error: str | None, folder: Path, tmp_path: Path
) -> None:
    """W1, W2: it is that case's endpoint error or outcome; every other case is scored."""
    result = run_once(folder, tmp_path / "out", {"MQ-0001": reply}, concurrency=1)
    outputs = {(row["case_id"], row["run_index"]): row for row in read_lines(result.folder, "outputs.jsonl")}
    assert len(outputs) == 20 + 5 + 2 * 5
    assert outputs[("MQ-0001", 0)]["error"] == error
    assert outputs[("MQ-0002", 0)]["error"] is None
    assert len(read_lines(result.folder, "results.jsonl")) > 100
    for name in ("outputs.jsonl", "results.jsonl", "inputs.jsonl"):
        text = (result.folder / name).read_text(encoding="utf-8")
        assert len(text.splitlines()) == text.count("\n"), "a line is split by what it holds"
        for line in text.splitlines():
            json.loads(line, parse_constant=refuse_constant)
    assert check_integrity(contents_of(result.folder)).ok


def test_that_a_connection_that_breaks_is_tried_again_and_then_an_error(folder: Path, tmp_path: Path) -> None:
    endpoint = ScriptedEndpoint(folder)
    broken = "MQ-0003"

    def handle(request: httpx.Request) -> httpx.Response:
        if b"MQ0003" in request.content:
            raise httpx.RemoteProtocolError("peer closed", request=request)
        return endpoint.handle(request)

    around = surroundings(endpoint, transport=httpx.MockTransport(handle))
    result = qualify(folder, settings_for(tmp_path / "out"), around)
    row = next(row for row in read_lines(result.folder, "outputs.jsonl") if row["case_id"] == broken)
    assert row["error"] == "RemoteProtocolError"
    sent = next(row for row in read_lines(result.folder, "inputs.jsonl") if row["case_id"] == broken)
    assert sent["attempts"] == 3


def test_that_the_server_s_own_words_and_the_real_number_of_attempts_are_kept(
    folder: Path, tmp_path: Path
) -> None:
    """W22: error bodies are not dropped, and a refused request counts one attempt."""
    result = run_once(folder, tmp_path / "out", {"MQ-0003": {"status": 400}})
    came = next(row for row in read_lines(result.folder, "outputs.jsonl") if row["case_id"] == "MQ-0003")
    sent = next(row for row in read_lines(result.folder, "inputs.jsonl") if row["case_id"] == "MQ-0003")
    assert came["error"] == "HTTP 400"
    assert came["error_detail"] == "told to"
    assert sent["attempts"] == 1


@pytest.mark.parametrize(("header", "pause"), [("7", 7.0), ("100000", 120.0), (None, 0.2), ("nonsense", 0.2)])
def test_that_retry_after_is_honoured_within_bounds(
    header: str | None, pause: float, folder: Path, tmp_path: Path
) -> None:
    """W22"""
    headers = {} if header is None else {"retry-after": header}
    endpoint = ScriptedEndpoint(folder, {"MQ-0001": [{"status": 429, "headers": headers}, {}]})
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    result = qualify(folder, settings_for(tmp_path / "out"), surroundings(endpoint, sleep=sleep))
    assert result.failed_requests == 0
    assert slept == [pause]


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no request at once": ({"concurrency": 0}, "--concurrency"),
    "a negative temperature": ({"temperature": -1.0}, "--temperature"),
    "no time": ({"timeout_s": 0.0}, "--timeout"),
    "a temperature that is no number": ({"temperature": float("nan")}, "--temperature"),
    "top-p above one": ({"top_p": 1.5}, "--top-p"),
    "no tokens": ({"max_tokens": 0}, "--max-tokens"),
    "a reserved extra": ({"extra_body": {"model": "x"}}, "--extra-body"),
    "a credential as extra": ({"extra_body": {"api_key": "x"}}, "--extra-body"),
    "an extra that is no number": ({"extra_body": {"a": float("inf")}}, "--extra-body"),
    "no address": ({"endpoint": "localhost"}, "--endpoint"),
    "a password in the address": ({"endpoint": "http://a:b@localhost"}, "--endpoint"),
    "a run id that leaves the folder": ({"run_id": "../x"}, "--run-id"),
    "no operator": ({"operator": " "}, "--operator"),
    "resume without an id": ({"resume": True, "run_id": None}, "--resume"),
}


@pytest.mark.parametrize(("change", "message"), WRONG.values(), ids=WRONG)
def test_that_wrong_arguments_are_told_before_anything_is_sent(
    change: dict[str, Any], message: str, folder: Path, tmp_path: Path
) -> None:
    """W3"""
    endpoint = ScriptedEndpoint(folder)
    with pytest.raises(AppError, match=message):
        qualify(folder, settings_for(tmp_path / "out", **change), surroundings(endpoint))
    assert endpoint.requests == []
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("config", ["engine:\n", "engine: ''\n", "- a\n", "sampling: 3\n", "engine: [\n", ""])
def test_that_a_serving_config_of_no_use_is_told_before_anything_is_sent(
    config: str, folder: Path, tmp_path: Path
) -> None:
    """W3"""
    file = tmp_path / "serving.yaml"
    file.write_text(config, encoding="utf-8")
    endpoint = ScriptedEndpoint(folder)
    with pytest.raises(AppError, match="serving config"):
        qualify(folder, settings_for(tmp_path / "out", serving_config=file), surroundings(endpoint))
    assert endpoint.requests == []


def test_that_a_pack_that_cannot_be_scored_is_told_before_anything_is_sent(
    folder: Path, tmp_path: Path
) -> None:
    """W15: validation passes it, as the format says; a run refuses it in words."""
    file = folder / "evaluators.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("exact_match", "exact_macth"), encoding="utf-8")
    endpoint = ScriptedEndpoint(folder)
    with pytest.raises(AppError, match="exact_macth") as raised:
        qualify(folder, settings_for(tmp_path / "out"), surroundings(endpoint))
    assert "exact_match" in raised.value.fix
    assert endpoint.requests == []


def stopping_at(count: int, cancel: CancelToken) -> Callable[[QualifyEvent], None]:
    def on_event(event: QualifyEvent) -> None:
        if isinstance(event, ReplyArrived) and event.done == count:
            cancel.cancel()

    return on_event


def test_that_stopping_sends_nothing_more_and_keeps_what_came(folder: Path, tmp_path: Path) -> None:
    """W4"""
    endpoint = ScriptedEndpoint(folder)
    cancel = CancelToken()
    around = surroundings(endpoint, on_event=stopping_at(8, cancel))
    with pytest.raises(RunStopped) as stopped:
        qualify(folder, settings_for(tmp_path / "out", concurrency=2), around, cancel)
    assert stopped.value.total == 35
    journal = tmp_path / "out" / "run-1.inprogress"
    kept = read_lines(journal, "captures.jsonl")
    assert 8 <= len(kept) <= 8 + 2
    assert len(endpoint.requests) <= 8 + 2 * 2
    assert read_json(journal, "state.json")["status"] == "capturing"
    before = len(endpoint.requests)
    result = qualify(folder, settings_for(tmp_path / "out", concurrency=2, resume=True), surroundings(endpoint))
    assert result.status == "QUALIFIED"
    assert len(endpoint.requests) - before == 35 - len(kept)


def apart_from_times(folder: Path) -> dict[str, Any]:
    outputs = read_lines(folder, "outputs.jsonl")
    for row in outputs:
        row.pop("duration_seconds")
    metrics = read_json(folder, "metrics.json")
    metrics.pop("performance")
    return {
        "inputs": read_lines(folder, "inputs.jsonl"),
        "outputs": outputs,
        "results": read_lines(folder, "results.jsonl"),
        "metrics": metrics,
        "decision": read_json(folder, "decision.json"),
        "coverage": read_json(folder, "coverage.json"),
        "failures": read_json(folder, "failures.json"),
        "fingerprint": read_json(folder, "fingerprint.json"),
        "manifest": read_json(folder, "manifest.json"),
    }


class Killed(BaseException):
    """As if the process had ended here."""


KILL_REPLIES = {
    "MQ-0001": {"content": '{"label": "fuel", "behaviour": "classify"}'},
    "MQ-0007": {"status": 400},
}


@pytest.fixture(scope="module")
def never_killed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    found = {}
    for base in ("base_pack", "base_pack_judge"):
        root = tmp_path_factory.mktemp(base)
        result = run_once(overlaid({"base": base}, root), root / "out", KILL_REPLIES, max_retries=0)
        found[base] = apart_from_times(result.folder)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_that_a_run_killed_anywhere_goes_on_to_the_same_bundle(
    seed: int, never_killed: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    """Killed at a random reply, the journal's last bytes lost, the state never written again."""
    draw = random.Random(seed)
    base = draw.choice(["base_pack", "base_pack_judge"])
    folder = overlaid({"base": base}, tmp_path)
    replies = KILL_REPLIES
    at = draw.randrange(1, 36)

    def kill(event: QualifyEvent) -> None:
        if isinstance(event, ReplyArrived) and event.done == at:
            raise Killed

    settings = settings_for(tmp_path / "out", max_retries=0)
    journal = tmp_path / "out" / "run-1.inprogress"
    with pytest.raises(Killed):
        qualify(folder, settings, surroundings(ScriptedEndpoint(folder, replies), on_event=kill))
    state = read_json(journal, "state.json")
    (journal / "state.json").write_text(json.dumps({**state, "status": "capturing", "capture_seconds": 0.0}))
    captures = journal / "captures.jsonl"
    content = captures.read_bytes()
    captures.write_bytes(content[: max(0, len(content) - draw.randrange(0, 400))])
    again = settings_for(tmp_path / "out", max_retries=0, resume=True)
    result = qualify(folder, again, surroundings(ScriptedEndpoint(folder, replies)))
    assert apart_from_times(result.folder) == never_killed[base]


def test_that_a_failed_request_is_asked_again_without_starting_over(folder: Path, tmp_path: Path) -> None:
    """W22"""
    first = run_once(folder, tmp_path / "out", {"MQ-0003": {"status": 500}}, max_retries=0)
    assert first.failed_requests == 1
    assert first.status == "INDETERMINATE"
    endpoint = ScriptedEndpoint(folder)
    again = settings_for(tmp_path / "out", max_retries=0, resume=True)
    with pytest.raises(AppError, match="there already"):
        qualify(folder, again, surroundings(endpoint))
    retry = settings_for(tmp_path / "out", max_retries=0, resume=True, retry_errors=True)
    second = qualify(folder, retry, surroundings(endpoint))
    assert len(endpoint.requests) == 1
    assert second.status == "QUALIFIED"
    assert (tmp_path / "out" / "run-1.superseded-1").is_dir()
    assert not (tmp_path / "out" / "run-1.inprogress").exists()


def test_that_no_journal_stays_beside_a_complete_bundle(folder: Path, tmp_path: Path) -> None:
    """W23"""
    run_once(folder, tmp_path / "out")
    assert [entry.name for entry in (tmp_path / "out").iterdir()] == ["run-1"]


def resumable(folder: Path, tmp_path: Path) -> Path:
    """A run stopped in the middle; returns its journal."""
    cancel = CancelToken()
    around = surroundings(ScriptedEndpoint(folder), on_event=stopping_at(5, cancel))
    with pytest.raises(RunStopped):
        qualify(folder, settings_for(tmp_path / "out"), around, cancel)
    return tmp_path / "out" / "run-1.inprogress"


def resume(folder: Path, tmp_path: Path, **changes: Any) -> QualifyResult:
    settings = settings_for(tmp_path / "out", resume=True, **changes)
    return qualify(folder, settings, surroundings(ScriptedEndpoint(folder)))


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "another temperature": ({"temperature": 0.5}, "sampling"),
    "another operator": ({"operator": "someone"}, "operator"),
    "another concurrency": ({"concurrency": 9}, "execution"),
    "sensitive shown": ({"show_sensitive": True}, "show_sensitive"),
    "reasoning stripped": ({"strip_reasoning": True}, "strip_reasoning"),
    "another endpoint": ({"endpoint": "http://127.0.0.1:2/v1"}, "endpoint"),
    "another judge": ({"judge_model": "j"}, "judge_model"),
}


@pytest.mark.parametrize(("change", "word"), REFUSED.values(), ids=REFUSED)
def test_that_a_run_does_not_go_on_with_other_arguments(
    change: dict[str, Any], word: str, folder: Path, tmp_path: Path
) -> None:
    resumable(folder, tmp_path)
    with pytest.raises(AppError, match=word):
        resume(folder, tmp_path, **change)


def test_that_a_run_does_not_go_on_with_a_changed_pack(folder: Path, tmp_path: Path) -> None:
    resumable(folder, tmp_path)
    (folder / "methodology.md").write_text("# Marina\n## Reply shape\n## Desk accuracy\n## Handling\nMore.\n")
    with pytest.raises(AppError, match="pack was changed"):
        resume(folder, tmp_path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda lines: [b"{broken", *lines], "line 1"),
        (lambda lines: [lines[0].replace(b'"error":null', b'"error":"x"'), *lines], "differs"),
        (lambda lines: [lines[0].replace(b'"MQ-', b'"ZZ-'), *lines], "not in the plan"),
        (lambda lines: [b'{"case_id":"MQ-0001"}', *lines], "lacks"),
    ],
    ids=["broken", "two records", "not planned", "fields missing"],
)
def test_that_a_damaged_journal_is_refused_in_words(
    damage: Callable[[list[bytes]], list[bytes]], message: str, folder: Path, tmp_path: Path
) -> None:
    file = resumable(folder, tmp_path) / "captures.jsonl"
    lines = [line for line in file.read_bytes().split(b"\n") if line]
    file.write_bytes(b"\n".join(damage(lines)) + b"\n")
    with pytest.raises(AppError, match=message):
        resume(folder, tmp_path)


def test_that_identical_repeats_in_the_journal_count_once(folder: Path, tmp_path: Path) -> None:
    file = resumable(folder, tmp_path) / "captures.jsonl"
    content = file.read_bytes()
    file.write_bytes(content + content)
    assert resume(folder, tmp_path).status == "QUALIFIED"


def test_that_resuming_nothing_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(AppError, match="no journal"):
        resume(folder, tmp_path)
    shutil.rmtree(tmp_path / "out", ignore_errors=True)


@pytest.mark.parametrize(
    ("content", "error"),
    [(b"x" * 10, "ReplyNotJson"), (b"{}", None), (b'"x"', "ReplyNotObject")],
)
def test_that_any_body_is_read_to_a_value(content: bytes, error: str | None) -> None:
    assert read_attempt(200, {}, content).error == error


@pytest.mark.parametrize("status", [204, 301, 302, 400, 401, 404, 418, 429, 500, 503, 599])
def test_that_any_other_status_is_an_error_by_its_number(status: int) -> None:
    found = read_attempt(status, {}, b"")
    expected = "ReplyNotJson" if status == 204 else f"HTTP {status}"
    assert found.error == expected
    assert found.retry is (status in (429, 500, 503))


def test_that_group_commits_do_not_slow_the_capture_down_by_a_slow_disk(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W20: with a flush of 30 ms, 35 replies must not take 35 flushes; at the end all are flushed."""
    flushes: list[float] = []

    def slow_flush(handle: int) -> None:
        flushes.append(time.monotonic())
        end = time.monotonic() + 0.03
        while time.monotonic() < end:
            pass

    monkeypatch.setattr("desktop.runs.qualification.journal.os.fsync", slow_flush)
    run_once(folder, tmp_path / "out")
    assert 1 <= len(flushes) < 30


def test_that_nobody_listening_is_told_before_any_case_is_sent(folder: Path, tmp_path: Path) -> None:
    def silent(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    around = surroundings(ScriptedEndpoint(folder), transport=httpx.MockTransport(silent))
    with pytest.raises(AppError, match="Nothing answers") as raised:
        qualify(folder, settings_for(tmp_path / "out"), around)
    assert raised.value.code == "not_reachable"
    assert not (tmp_path / "out").exists()
