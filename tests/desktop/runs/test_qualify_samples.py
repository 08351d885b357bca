"""Both samples against the mock endpoint's model ids, over real sockets on this computer."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from desktop.reports.qualification.html import render_qualification
from desktop.runs.qualification.mock_endpoint import mock_endpoint
from desktop.runs.qualification.run import QualifyResult, RunEnvironment, qualify
from desktop.runs.qualification.settings import QualifySettings
from packs.qualification.judge import prompt_hash
from packs.qualification.loader import load_pack, require_pack
from tests.fakes.qualification_runs import NOW, fixed_environment, no_sleep

SAMPLES = Path(__file__).parents[3] / "packs" / "samples"
HOUSING, CONTACTS = SAMPLES / "housing-routing", SAMPLES / "contact-routing"


def run(folder: Path, output: Path, model: str, **changes: object) -> QualifyResult:
    with mock_endpoint(require_pack(folder)) as server:
        settings = QualifySettings(
            endpoint=server.address,
            output=output,
            operator="sample test",
            model=model,
            max_retries=0,
            system_prompt=folder / "system_prompt.txt",
            serving_config=folder / "serving.yaml",
            **changes,  # type: ignore[arg-type]
        )
        around = RunEnvironment(
            render_qualification, lambda: NOW, sleep=no_sleep, environment=fixed_environment
        )
        return qualify(folder, settings, around)


@pytest.mark.parametrize(
    ("model", "status", "reason"),
    [
        ("etalon-demo-baseline", "QUALIFIED", ""),
        ("etalon-demo-quantized", "NOT_QUALIFIED", "team_accuracy"),
        ("etalon-demo-degraded-prompt", "NOT_QUALIFIED", "handling_accuracy"),
        ("etalon-demo-small", "NOT_QUALIFIED", "critical"),
        ("etalon-demo-broken", "NOT_QUALIFIED", "answer_shape"),
        ("etalon-demo-error", "INDETERMINATE", "no usable reply"),
        ("any-other-model", "QUALIFIED", ""),
    ],
)
def test_that_housing_routing_decides_as_stated(model: str, status: str, reason: str, tmp_path: Path) -> None:
    result = run(HOUSING, tmp_path, model)
    assert result.status == status
    assert reason in result.summary
    assert result.format_exit_code == (2 if model == "etalon-demo-error" else 0)


@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_that_two_flips_at_a_temperature_still_qualify(temperature: float, tmp_path: Path) -> None:
    result = run(HOUSING, tmp_path, "etalon-demo-sampling", temperature=temperature)
    assert result.status == "QUALIFIED"
    accuracy = next(m for m in result.scored.metrics["qualification"] if m["id"] == "team_accuracy")
    assert accuracy["n"] - accuracy["events"] == (0 if temperature == 0 else 2)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("model", "status"),
    [
        ("etalon-contact-baseline", "QUALIFIED"),
        ("etalon-contact-security-leak", "NOT_QUALIFIED"),
        ("etalon-contact-abstain-miss", "NOT_QUALIFIED"),
        ("etalon-contact-soft", "NOT_QUALIFIED"),
    ],
)
def test_that_contact_routing_decides_as_stated(model: str, status: str, tmp_path: Path) -> None:
    assert run(CONTACTS, tmp_path, model).status == status


@pytest.mark.parametrize("judge", ["etalon-judge-uncertain", "etalon-judge-fault"])
@pytest.mark.parametrize("model", ["etalon-contact-baseline", "etalon-contact-security-leak"])
def test_that_a_judge_of_no_use_leaves_the_decision_open(model: str, judge: str, tmp_path: Path) -> None:
    result = run(CONTACTS, tmp_path, model, judge_model=judge)
    leak_with_uncertain_judge = model.endswith("leak") and judge.endswith("uncertain")
    assert result.status == ("NOT_QUALIFIED" if leak_with_uncertain_judge else "INDETERMINATE")


@pytest.mark.parametrize("model", ["etalon-contact-baseline", "etalon-contact-soft"])
def test_that_the_external_judge_without_its_key_leaves_the_decision_open(model: str, tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    for file in CONTACTS.rglob("*"):
        if file.is_file():
            target = folder / file.relative_to(CONTACTS)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes().replace(b"transport: endpoint", b"transport: typesafe"))
    result = run(folder, tmp_path / "out", model)
    assert result.status == "INDETERMINATE"
    assert "JudgeFailure" in {error.error_type for error in result.scored.errors}


@pytest.mark.parametrize("folder", [HOUSING, CONTACTS], ids=lambda folder: folder.name)
def test_that_a_sample_has_no_problem_and_rebuilds_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    assert load_pack(folder).problems == []
    runpy.run_path(str(folder / "build_corpus.py"))["main"](tmp_path)
    for name in ("qualification", "challenge", "calibration"):
        rebuilt = (tmp_path / f"{name}.jsonl").read_bytes()
        assert rebuilt == (folder / "corpus" / f"{name}.jsonl").read_bytes()


def test_that_the_declared_judge_prompt_is_the_one_sent() -> None:
    pack = require_pack(CONTACTS)
    assert pack.judge is not None
    assert pack.judge.judge is not None
    assert pack.judge.judge["prompt_sha256"] == prompt_hash(pack.judge, pack.rubrics["routing_judgement"])


@pytest.mark.parametrize(("folder", "least", "maximum"), [(HOUSING, 60, 80), (CONTACTS, 60, 80)])
def test_that_a_sample_has_enough_cases(folder: Path, least: int, maximum: int) -> None:
    cases = require_pack(folder).cases
    assert least <= len(cases["qualification"]) <= maximum
    assert len(cases["calibration"]) == 12
    assert len(cases["challenge"]) >= 15


@pytest.mark.parametrize("folder", [HOUSING, CONTACTS], ids=lambda folder: folder.name)
def test_that_no_two_cases_of_a_sample_say_the_same(folder: Path) -> None:
    texts = [case.user_text for listed in require_pack(folder).cases.values() for case in listed]
    assert len(set(texts)) == len(texts)
