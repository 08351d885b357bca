"""Weak points of the public tool (format, section 28) that are mended here, each by its number.

Others are in test_qualify_robust (W1-W4, W20, W22, W23), test_cli_qualification (W12, W24, W31), and
tests/packs/qualification/test_qualification_rescore (W33).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from desktop.reports.qualification.html import render_qualification
from desktop.runs.qualification.check import CheckSettings, check_bundle
from desktop.runs.qualification.events import JudgeProgress, ReplyArrived
from desktop.runs.qualification.run import QualifyResult, qualify
from packs.documents.problems import Problem, Severity
from packs.errors import AppError
from packs.qualification.bundle import parse_parts
from packs.qualification.loader import load_pack
from packs.qualification.redaction import scrub_shown
from tests.fakes.qualification_runs import (
    NOW,
    ScriptedEndpoint,
    fixed_environment,
    read_json,
    read_lines,
    run_once,
    settings_for,
    surroundings,
)
from tests.fakes.qualification_vectors import overlaid


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return overlaid({"base": "base_pack"}, tmp_path)


def edit(file: Path, change: Callable[[Any], None]) -> None:
    value = yaml.safe_load(file.read_text(encoding="utf-8"))
    change(value)
    file.write_text(yaml.safe_dump(value, sort_keys=False), encoding="utf-8")


def warnings(folder: Path, code: str) -> list[Problem]:
    result = load_pack(folder)
    assert result.ok
    return [problem for problem in result.problems if problem.code == code]


SECRET_REPLY = '{"label": "mooring", "behaviour": "classify", "why": "asked about password: reset"}'


def test_that_w5_scoring_reads_the_raw_reply_and_the_bundle_holds_no_secret(
    folder: Path, tmp_path: Path
) -> None:
    plain = run_once(folder, tmp_path / "plain", {"MQ-0001": {"content": SECRET_REPLY}})
    assert plain.status == "QUALIFIED"
    everything = b"".join(file.read_bytes() for file in plain.folder.iterdir())
    assert b"password: reset" not in everything
    assert read_json(plain.folder, "manifest.json")["secret_exclusions"] == 1
    strict = run_once(
        folder, tmp_path / "strict", {"MQ-0001": {"content": SECRET_REPLY}}, strict_scrubbing=True
    )
    assert strict.status == "INDETERMINATE"
    assert read_json(strict.folder, "manifest.json")["scoring"] == {"strict_scrubbing": True}
    assert any("secrets were taken out" in note for note in strict.notes)


@pytest.mark.parametrize(
    "key",
    [
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "hf_abcdefghijklmnopqrst",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        '{"token":"abcdef"}',
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_that_w5_what_is_shown_is_free_of_further_keys(key: str) -> None:
    shown, count = scrub_shown(f"before {key} after")
    assert count == 1
    assert "abc" not in shown.replace("[secret-excluded]", "")


def sensitive_run(folder: Path, output: Path, **changes: Any) -> QualifyResult:
    file = folder / "corpus" / "qualification.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for case in lines[:3]:
        case["sensitive"] = True
    file.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    replies = {
        "MQ-0001": {"content": "My UNSPEAKABLE words"},
        "MQ-0002": {"content": '{"label": "UNSPEAKABLE", "behaviour": "classify"}'},
        "MQ-0003": {"content": '{"label": "UNSPEAKABLE"', "finish_reason": "length"},
    }
    return run_once(folder, output, replies, **changes)


def test_that_w6_no_shown_column_holds_what_a_sensitive_case_said(folder: Path, tmp_path: Path) -> None:
    result = sensitive_run(folder, tmp_path / "out")
    for name in ("failures.json", "report.json"):
        assert "UNSPEAKABLE" not in (result.folder / name).read_text(encoding="utf-8")
    page = render_qualification(read_json(result.folder, "report.json"))
    assert b"UNSPEAKABLE" not in page
    shown = sensitive_run(folder, tmp_path / "shown", show_sensitive=True)
    assert "UNSPEAKABLE" in (shown.folder / "failures.json").read_text(encoding="utf-8")


def test_that_w8_a_critical_event_in_too_few_cases_is_told(folder: Path, tmp_path: Path) -> None:
    def more_cases_wanted(value: Any) -> None:
        value["metrics"][3]["minimum_sample_size"] = 10

    edit(folder / "thresholds.yaml", more_cases_wanted)
    reply = {"MQ-0004": {"content": '{"label": "advert", "behaviour": "escalate"}'}}
    result = run_once(folder, tmp_path / "out", reply)
    assert result.status == "INDETERMINATE"
    assert any("1 critical failures were seen" in note for note in result.notes)
    assert result.scored.decision.critical["observed_count"] == 1


def test_that_w9_a_pass_rate_as_critical_metric_is_warned_of(folder: Path) -> None:
    edit(folder / "thresholds.yaml", lambda value: value["metrics"][3].update(aggregation="pass_rate"))
    edit(
        folder / "qualification.yaml",
        lambda value: value["qualification"]["critical_failures"].update(maximum=0.5),
    )
    assert warnings(folder, "critical_pass_rate")


def test_that_w10_a_diluted_population_is_warned_of(folder: Path) -> None:
    edit(folder / "thresholds.yaml", lambda value: value["metrics"][2].update(population="all"))
    (found,) = warnings(folder, "population_diluted")
    assert found.line is not None


def test_that_w11_what_nobody_requires_is_told_when_it_keeps_the_decision_open(
    folder: Path, tmp_path: Path
) -> None:
    def optional(value: Any) -> None:
        value["qualification"]["requirements"][2]["mandatory"] = False

    edit(folder / "qualification.yaml", optional)
    edit(folder / "thresholds.yaml", lambda value: value["metrics"][2].update(minimum_sample_size=9))
    result = run_once(folder, tmp_path / "out")
    assert result.status == "INDETERMINATE"
    assert any("Not mandatory" in note for note in result.notes)


def test_that_w13_tables_use_the_pack_s_own_field_names(folder: Path, tmp_path: Path) -> None:
    def rename(value: Any) -> None:
        value["evaluators"][1]["config"]["field"] = "desk"
        value["evaluators"][0]["config"] = {"required_fields": ["desk"]}
        value["evaluators"][3]["config"]["field"] = "desk"

    edit(folder / "evaluators.yaml", rename)
    pack = load_pack(folder).pack
    assert pack is not None
    replies = {
        case.case_id: {
            "content": json.dumps(
                {"desk": case.expected["label"], "behaviour": case.expected["required_behaviour"]}
            )
        }
        for listed in pack.cases.values()
        for case in listed
    }
    result = run_once(folder, tmp_path / "out", replies)
    table = read_json(result.folder, "metrics.json")["classification"]["qualification"]
    assert table["field"] == "desk"
    assert all(entry["recall"]["value"] == 1.0 for entry in table["per_class"])


BAD_PACKS: dict[str, tuple[str, str, str, str]] = {
    "an unknown evaluator type": ("evaluators.yaml", "exact_match", "exact_macth", "evaluator_type_unknown"),
    "a kind that does not fit": (
        "evaluators.yaml",
        "kind: reference",
        "kind: deterministic",
        "evaluator_type_unknown",
    ),
    "an unknown setting": (
        "evaluators.yaml",
        "expected_field: label",
        "expectedfield: label",
        "setting_unknown",
    ),
    "no critical labels": ("evaluators.yaml", "critical_labels:\n    - distress", "x: 1", "setting_missing"),
    "a dangling metric": ("evaluators.yaml", "metric: m_desk", "metric: m_dsk", "test_metric_unknown"),
    "an unknown fingerprint path": (
        "pack.yaml",
        "- model.identifier",
        "- model.identifer",
        "fingerprint_path_unknown",
    ),
    "too large a sample": (
        "thresholds.yaml",
        "minimum_sample_size: 2",
        "minimum_sample_size: 200",
        "sample_above_corpus",
    ),
    "a key twice": ("pack.yaml", "repeat_runs: 3", "repeat_runs: 2\n  repeat_runs: 3", "duplicate_key"),
    "a threshold nobody can meet": (
        "thresholds.yaml,qualification.yaml",
        "threshold: 0.5",
        "threshold: 1.0",
        "threshold_never_met",
    ),
    "a critical maximum above one": (
        "qualification.yaml",
        "maximum: 0.0",
        "maximum: 2",
        "critical_maximum_above_one",
    ),
    "a label nobody may give": ("evaluators.yaml", "      - advert\n", "", "label_not_allowed"),
}


@pytest.mark.parametrize(("files", "old", "new", "code"), BAD_PACKS.values(), ids=BAD_PACKS)
def test_that_w15_a_pack_that_cannot_work_is_warned_of_at_its_place(
    files: str, old: str, new: str, code: str, folder: Path
) -> None:
    for name in files.split(","):
        file = folder / name
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
    found = warnings(folder, code)
    assert found
    assert found[0].severity is Severity.WARNING
    assert found[0].line is not None


def test_that_w15_a_claim_that_is_no_pattern_is_warned_of_in_its_line(folder: Path) -> None:
    file = folder / "corpus" / "qualification.jsonl"
    text = file.read_text(encoding="utf-8").replace(
        '"prohibited_claims":[]', '"prohibited_claims":["C++ (free"]', 1
    )
    file.write_text(text, encoding="utf-8")
    (found,) = warnings(folder, "pattern_unusable")
    assert found.line == 1
    assert found.column is not None
    assert text[found.column - 1 :].startswith('"C++ (free"')


def test_that_w16_all_stages_are_told_at_once_with_line_column_field_and_fix(folder: Path) -> None:
    (folder / "mappings.yaml").write_text("mappings: 5\n", encoding="utf-8")
    pack = (folder / "pack.yaml").read_text(encoding="utf-8")
    (folder / "pack.yaml").write_text(
        pack.replace("  seed: 7\n", "").replace("top_p: 1.0", "top_p: 3"), encoding="utf-8"
    )
    text = (folder / "qualification.yaml").read_text(encoding="utf-8")
    (folder / "qualification.yaml").write_text(text.replace("#reply-shape", "#nowhere"), encoding="utf-8")
    file = folder / "corpus" / "challenge.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([lines[0], "{broken", *lines[2:]]) + "\n", encoding="utf-8")
    problems = {problem.code: problem for problem in load_pack(folder).problems}
    missing = problems["schema_required"]
    assert missing.path == ("sampling", "seed")
    assert (
        problems["schema_maximum"].line
        == pack.replace("  seed: 7\n", "")[: pack.index("top_p")].count("\n") + 1
    )
    assert problems["schema_maximum"].column == 3
    assert problems["schema_type"].file == "mappings.yaml"
    assert problems["anchor_missing"].line is not None
    assert problems["not_json"].line == 2
    assert all(problem.fix for problem in problems.values())


def test_that_w17_a_run_without_a_system_prompt_says_so(folder: Path, tmp_path: Path) -> None:
    result = run_once(folder, tmp_path / "out")
    assert any("without one" in note for note in result.notes)
    assert "without one" in json.dumps(read_json(result.folder, "decision.json")["notes"])


@pytest.mark.parametrize("path", ["../outside.md", "/etc/hostname", "C:\\x.md", "a/../../b.md"])
def test_that_w18_no_path_leaves_the_pack(path: str, folder: Path) -> None:
    (folder.parent / "outside.md").write_text("# Reply shape\n", encoding="utf-8")
    edit(folder / "pack.yaml", lambda value: value["artifacts"].update(methodology=path))
    result = load_pack(folder)
    assert not result.ok
    assert "outside_folder" in {problem.code for problem in result.problems}


def test_that_w18_no_link_leaves_the_pack(folder: Path) -> None:
    (folder.parent / "secret.md").write_text("# Reply shape\n", encoding="utf-8")
    (folder / "methodology.md").unlink()
    (folder / "methodology.md").symlink_to(folder.parent / "secret.md")
    assert "outside_folder" in {problem.code for problem in load_pack(folder).problems}


def judge_pack(tmp_path: Path) -> Path:
    folder = overlaid({"base": "base_pack_judge"}, tmp_path)
    edit(
        folder / "evaluators.yaml", lambda value: value["evaluators"][4]["config"].update(transport="endpoint")
    )
    return folder


class JudgingEndpoint(ScriptedEndpoint):
    """Also plays the judge: passes everything, `broken` makes it answer nonsense."""

    judged = 0
    broken = False

    def handle(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/chat/completions"):
            body = json.loads(request.content)
            if body["messages"][0]["content"].startswith("ETALON_JUDGE_V1"):
                self.judged += 1
                self.requests.append(body)
                self.keys.append(request.headers.get("authorization", ""))
                shown = body["messages"][-1]["content"]
                wrong = "MK0003" in shown or "MK0006" in shown
                code = "critical_misroute" if "MK0003" in shown else "abstain_miss"
                verdict = {
                    "passed": not wrong,
                    "failure_type": code if wrong else None,
                    "uncertainty": 0.1,
                    "label": "x",
                    "rationale": "because",
                }
                content = "nonsense" if self.broken else json.dumps(verdict)
                return httpx.Response(200, json={"choices": [{"message": {"content": content}}]})
        return super().handle(request)


def test_that_w21_verdicts_are_journalled_and_not_asked_for_twice(tmp_path: Path) -> None:
    folder = judge_pack(tmp_path)
    endpoint = JudgingEndpoint(folder)

    class Killed(BaseException):
        pass

    def kill(event: object) -> None:
        if isinstance(event, JudgeProgress) and event.done == 12:
            raise Killed

    with pytest.raises(Killed):
        qualify(folder, settings_for(tmp_path / "out"), surroundings(endpoint, on_event=kill))
    first = endpoint.judged
    result = qualify(folder, settings_for(tmp_path / "out", resume=True), surroundings(endpoint))
    assert result.status == "QUALIFIED"
    total = 20 + 5 + 8
    assert total <= endpoint.judged <= total + 4
    assert first >= 12


def test_that_w26_the_judge_has_its_own_key_and_token_limit(tmp_path: Path) -> None:
    folder = judge_pack(tmp_path)
    endpoint = JudgingEndpoint(folder)
    settings = settings_for(
        tmp_path / "out",
        key="model-key",
        judge_key="judge-key",
        judge_endpoint="http://localhost:2/v1",
        judge_max_tokens=17,
    )
    result = qualify(folder, settings, surroundings(endpoint))
    by_judge = [body["messages"][0]["content"].startswith("ETALON_JUDGE") for body in endpoint.requests]
    for body, key, judged in zip(endpoint.requests, endpoint.keys, by_judge, strict=True):
        assert key == ("Bearer judge-key" if judged else "Bearer model-key")
        assert body["max_tokens"] == (17 if judged else 64)
    assert b"judge-key" not in b"".join(file.read_bytes() for file in result.folder.iterdir())


def test_that_w26_the_model_s_key_goes_to_no_other_host(tmp_path: Path) -> None:
    folder = judge_pack(tmp_path)
    endpoint = JudgingEndpoint(folder)
    settings = settings_for(tmp_path / "out", key="model-key", judge_endpoint="http://judge.test/v1")
    qualify(folder, settings, surroundings(endpoint))
    for body, key in zip(endpoint.requests, endpoint.keys, strict=True):
        if body["messages"][0]["content"].startswith("ETALON_JUDGE"):
            assert key == ""


def test_that_w26_another_judge_prompt_than_declared_is_told(tmp_path: Path) -> None:
    folder = judge_pack(tmp_path)
    result = qualify(folder, settings_for(tmp_path / "out"), surroundings(JudgingEndpoint(folder)))
    notes = read_json(result.folder, "decision.json")["notes"]
    assert any("judge prompt" in note for note in notes)


def test_that_w27_agreement_comes_with_kappa_and_an_interval(tmp_path: Path) -> None:
    result = run_once(overlaid({"base": "base_pack_judge"}, tmp_path), tmp_path / "out")
    judge = read_json(result.folder, "metrics.json")["judge"]
    assert judge["calibration_agreement"] == 1.0
    assert judge["calibration_kappa"] == 1.0
    assert 0.6 < judge["calibration_lower"] < 1.0
    assert judge["calibration_upper"] == 1.0


def checked(bundle: Path, transport: httpx.MockTransport, **changes: Any) -> Any:
    parts = parse_parts({file.name: file.read_bytes() for file in bundle.iterdir()})
    settings = CheckSettings(**{"endpoint": "http://127.0.0.1:1/v1", "model": "mk-ok", **changes})
    return check_bundle(parts, settings, NOW, transport=transport, environment=fixed_environment)


def ollama(digest: str) -> Callable[[httpx.Request], httpx.Response]:
    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/tags":
            return httpx.Response(200, json={"models": [{"name": "mk-ok", "digest": digest}]})
        return httpx.Response(200, json={"data": [{"id": "mk-ok"}]})

    return handle


def test_that_w28_a_model_replaced_under_its_name_is_seen(folder: Path, tmp_path: Path) -> None:
    """Real digests come without 'sha256:'."""
    endpoint = ScriptedEndpoint(folder)
    serve = ollama("a" * 64)

    def handle(request: httpx.Request) -> httpx.Response:
        chat = request.url.path.endswith("/chat/completions")
        return endpoint.handle(request) if chat else serve(request)

    around = surroundings(endpoint, transport=httpx.MockTransport(handle))
    bundle = qualify(folder, settings_for(tmp_path / "out"), around).folder
    digest = read_json(bundle, "fingerprint.json")["model"]["runtime_digest"]
    assert digest["value"] == "sha256:" + "a" * 64
    pack = {"pack": folder, "operator": "op"}
    assert checked(bundle, httpx.MockTransport(ollama("a" * 64)), **pack).exit_code == 0
    replaced = checked(bundle, httpx.MockTransport(ollama("b" * 64)), **pack)
    assert replaced.exit_code == 2
    assert replaced.further[0].what == "digest of the model"


def test_that_w28_another_host_or_concurrency_is_seen(folder: Path, tmp_path: Path) -> None:
    bundle = run_once(folder, tmp_path / "out").folder
    listing = httpx.MockTransport(lambda request: httpx.Response(200, json={"data": [{"id": "mk-ok"}]}))
    pack = {"pack": folder, "operator": "op"}
    assert checked(bundle, listing, **pack).exit_code == 0
    assert checked(bundle, listing, **pack, concurrency=4).exit_code == 0
    assert checked(bundle, listing, **pack, concurrency=9).exit_code == 1
    assert checked(bundle, listing, **{**pack, "endpoint": "http://other.test/v1"}).exit_code == 1


def test_that_w28_graphics_of_this_machine_say_nothing_about_another() -> None:
    from desktop.runs.qualification.environment import read_environment

    def card(command: list[str]) -> str:
        return "Card X, 555.1\n" if len(command) > 1 else "| CUDA Version: 12.4 |"

    here = read_environment(endpoint_is_here=True, run=card)
    away = read_environment(endpoint_is_here=False, run=card)
    assert here["gpu"]["value"] == "Card X"
    assert here["cuda"]["value"] == "12.4"
    assert away["gpu"]["state"] == "unavailable"


def test_that_w29_a_state_that_differs_is_told_from_a_value_that_differs(folder: Path, tmp_path: Path) -> None:
    bundle = run_once(folder, tmp_path / "out").folder

    def silent(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no", request=request)

    result = checked(bundle, httpx.MockTransport(silent), pack=folder, operator="op")
    assert result.network_fault == "ConnectError"
    (fired,) = [state for state in result.comparison.states if state.state == "fired"]
    assert "value is the same" in fired.reason
    other = httpx.MockTransport(lambda request: httpx.Response(200, json={"data": [{"id": "x"}]}))
    changed = checked(bundle, other, model="x", pack=folder, operator="op")
    (fired,) = [state for state in changed.comparison.states if state.state == "fired"]
    assert fired.reason == "the value differs"


def test_that_w30_what_is_taken_on_trust_is_told(folder: Path, tmp_path: Path) -> None:
    bundle = run_once(folder, tmp_path / "out").folder
    two = httpx.MockTransport(lambda request: httpx.Response(200, json={"data": [{"id": "a"}, {"id": "b"}]}))
    result = checked(bundle, two, model=None, seed=7)
    assert any("sampling" in message for message in result.on_trust)


def test_that_w25_every_reply_is_told_and_the_slow_ones_show(folder: Path, tmp_path: Path) -> None:
    seen: list[ReplyArrived] = []

    def on_event(event: object) -> None:
        if isinstance(event, ReplyArrived):
            seen.append(event)

    result = qualify(
        folder, settings_for(tmp_path / "out"), surroundings(ScriptedEndpoint(folder), on_event=on_event)
    )
    assert len(seen) == 35
    durations = read_json(result.folder, "metrics.json")["performance"]["case_duration_seconds"]
    assert durations["median"] <= durations["p90"] <= durations["p99"] <= durations["max"]


def test_that_w32_the_report_names_every_failing_case(folder: Path, tmp_path: Path) -> None:
    pack = load_pack(folder).pack
    assert pack is not None
    wrong = {case.case_id: {"content": "prose <b>&amp;"} for case in pack.cases["qualification"]}
    result = run_once(folder, tmp_path / "out", wrong)
    page = render_qualification(read_json(result.folder, "report.json")).decode("utf-8")
    for case in pack.cases["qualification"]:
        assert case.case_id in page
    assert "<script" not in page
    assert "prose <b>" not in page
    assert not re.search(r"""(?:src|href)=["'](?!#)""", page)
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert "<h3" in page.split('id="methodology"')[1]


def test_that_w34_the_size_of_a_bundle_is_bounded_by_a_request(folder: Path, tmp_path: Path) -> None:
    """With the whole pack inside; the public tool needs some 2.7 kB without it."""
    result = run_once(folder, tmp_path / "out")
    size = sum(file.stat().st_size for file in result.folder.iterdir() if file.suffix == ".jsonl")
    assert size / len(read_lines(result.folder, "inputs.jsonl")) < 3000


def test_that_a_remote_endpoint_is_told_in_the_evidence(folder: Path, tmp_path: Path) -> None:
    result = run_once(folder, tmp_path / "out", endpoint="http://192.0.2.7/v1")
    assert any("192.0.2.7 is not on this computer" in note for note in result.notes)


def test_that_no_pack_that_lacks_cases_is_run(folder: Path, tmp_path: Path) -> None:
    (folder / "corpus" / "challenge.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(AppError, match="problem"):
        run_once(folder, tmp_path / "out")


def test_that_w7_critical_failures_by_truncation_are_told(folder: Path, tmp_path: Path) -> None:
    """The format's rule is followed; a reader learns that the label was right or missing."""
    cut = {"content": '{"label": "distress", "behaviour": "escalate"}', "finish_reason": "length"}
    counted = run_once(folder, tmp_path / "cut", {"MQ-0004": cut})
    assert counted.status == "NOT_QUALIFIED"
    assert any("cut off at the token limit" in note for note in counted.notes)
    empty = run_once(folder, tmp_path / "empty", {"MQ-0004": {"content": "", "finish_reason": "length"}})
    assert any("left out of the count" in note for note in empty.notes)
