"""Judges against qualification/judge.json."""

from __future__ import annotations

from typing import Any

import pytest

from packs.qualification.calibration import calibrate, overlay
from packs.qualification.judge import (
    JUDGE_FAILURE,
    PROMPT_MARKER,
    JudgeFailure,
    JudgeVerdict,
    compact_candidate,
    mock_verdict,
    read_typed,
    read_verdict,
    system_message,
    user_message,
)
from packs.qualification.pack import EvaluatorSpec, case_from
from packs.qualification.replies import Reply, content_of, parse_object
from packs.qualification.rows import EvaluatorError
from packs.qualification.taxonomy import behaviour_failure, label_failure
from tests.fakes.qualification_vectors import cases

DEFAULT_JUDGE = {"model": "judge-toy", "model_revision": "r1", "model_hash": "unavailable"}


def spec_of(case: dict[str, Any]) -> EvaluatorSpec:
    return EvaluatorSpec("j", "1", "judge", "rubric_judge", case["config"], case.get("judge", DEFAULT_JUDGE))


def reported(verdict: JudgeVerdict) -> dict[str, Any]:
    found = {
        "passed": verdict.passed,
        "failure_code": verdict.failure_type,
        "uncertainty": verdict.uncertainty,
        "label": verdict.label,
        "model": verdict.model,
    }
    return found if verdict.confidence is None else {**found, "confidence": verdict.confidence}


@pytest.mark.parametrize("case", cases("judge.json", "offline_mock"))
def test_that_the_offline_judge_follows_the_taxonomy(case: dict[str, Any]) -> None:
    subject = case_from(case["case"], "qualification")
    reply = Reply(case["content"] or "", case["candidate"], "stop", truncated=False)
    if case["outcome"].get("judge_failure"):
        with pytest.raises(JudgeFailure):
            mock_verdict(spec_of(case), subject, reply)
    else:
        assert reported(mock_verdict(spec_of(case), subject, reply)) == case["outcome"]


@pytest.mark.parametrize("case", cases("judge.json", "endpoint"))
def test_that_an_endpoint_verdict_is_read_or_refused(case: dict[str, Any]) -> None:
    content = case["reply"] if case["reply"] is not None else content_of(case["body"])
    if case["endpoint_error"] or case["outcome"].get("judge_failure"):
        with pytest.raises(JudgeFailure):
            read_verdict("" if case["endpoint_error"] else content, "judge-toy")
    else:
        assert reported(read_verdict(content, "judge-toy")) == case["outcome"]


@pytest.mark.parametrize("case", cases("judge.json", "typesafe"))
def test_that_a_typed_verdict_is_read_or_refused(case: dict[str, Any]) -> None:
    if case["outcome"].get("judge_failure"):
        with pytest.raises(JudgeFailure):
            read_typed(case["response"], "fuel")
    else:
        assert reported(read_typed(case["response"], "fuel")) == case["outcome"]


@pytest.mark.parametrize("case", cases("judge.json", "taxonomy"))
def test_that_a_wrong_label_has_its_code(case: dict[str, Any]) -> None:
    found = label_failure(
        case["expected_label"], case["actual_label"], case["critical_labels"], ambiguous=case["ambiguous"]
    )
    assert found == case["failure"]


@pytest.mark.parametrize("case", cases("judge.json", "behaviour_taxonomy"))
def test_that_a_wrong_behaviour_has_its_code(case: dict[str, Any]) -> None:
    assert behaviour_failure(case["expected"], case["actual"]) == case["failure"]


@pytest.mark.parametrize("case", cases("judge.json", "calibration"))
def test_that_calibration_counts_agreement_as_the_format_says(case: dict[str, Any]) -> None:
    spec = spec_of(case)
    subjects = [case_from(raw, "calibration") for raw in case["cases"]]
    verdicts: dict[str, JudgeVerdict | EvaluatorError] = {}
    for subject in subjects:
        content = compact_candidate(subject) or ""
        reply = Reply(content, parse_object(content), "stop", truncated=False)
        try:
            verdicts[subject.case_id] = mock_verdict(spec, subject, reply)
        except JudgeFailure as error:
            verdicts[subject.case_id] = EvaluatorError("j", subject.case_id, JUDGE_FAILURE, str(error))
    result = calibrate(spec, subjects, verdicts)
    assert {name: result.record[name] for name in case["output"]} == case["output"]
    disagreements: Any = result.record["disagreements"]
    known: Any = result.record["known_failures"]
    assert [entry["case_id"] for entry in disagreements] == case["disagreeing"]
    assert [[entry["case_id"], entry["agreed"]] for entry in known] == case["known_failures"]
    assert len(result.errors) == case["error_count"]


@pytest.mark.parametrize("case", cases("judge.json", "overlay"))
def test_that_the_overlay_compares_judge_and_reference(case: dict[str, Any]) -> None:
    result = overlay(case["results"], case["uncertainty_maximum"])
    assert {"n": result.n, "agreed": result.agreed, "agreement": result.agreement} == case["overlay"]
    assert [entry["case_id"] for entry in result.disagreements] == case["disagreeing"]
    assert [[entry["case_id"], entry["uncertainty"], entry["corpus"]] for entry in result.uncertain] == case[
        "uncertain"
    ]


@pytest.mark.parametrize("case", cases("judge.json", "user_message", lambda c: c["content"]))
def test_that_the_judge_is_shown_ticket_and_candidate(case: dict[str, Any]) -> None:
    subject = case_from({"case_id": "c", "input": {"messages": case["messages"]}}, "qualification")
    assert user_message(subject, case["content"] or "") == case["user_message"]


@pytest.mark.parametrize("case", cases("judge.json", "prompt"))
def test_that_the_judge_prompt_holds_every_part_in_order(case: dict[str, Any]) -> None:
    """The words are our own, so the digest is not that of the vector; the parts are those of section 13.2."""
    lines = system_message(case["config"], case["rubric"]).splitlines()
    assert lines[0] == PROMPT_MARKER
    text = "\n".join(lines)
    parts = [
        case["config"]["prompt_version"],
        f"{case['rubric']['id']} {case['rubric']['version']}",
        *case["config"]["critical_labels"],
        *case["config"]["public_labels"],
        " ".join(case["rubric"]["criterion"].split()),
        *case["rubric"]["failure_conditions"],
        "passed",
        "failure_type",
        "uncertainty",
        "rationale",
    ]
    positions = [text.find(part) for part in parts]
    assert -1 not in positions
    assert positions == sorted(positions)
