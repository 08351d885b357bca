"""Reads a qualification pack folder and tells every problem of every stage in one pass.

Rules L01-L14 and the schema stage are in `pack_files`, rules R01-R61 in the `rules_*` files, our own warnings
in `advice`.
Qualification-pack format, sections 2 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from packs.documents.problems import Problem, Severity
from packs.errors import AppError
from packs.qualification import schemas
from packs.qualification.advice import add_advice
from packs.qualification.draft import CORPORA, PackUnderCheck, RuleFinding
from packs.qualification.hashing import content_hash
from packs.qualification.pack import QualificationPack, case_from
from packs.qualification.pack_files import (
    read_artifact,
    read_corpus,
    read_manifest,
    read_methodology,
    read_rubrics,
)
from packs.qualification.rules_corpus import add_corpus_rules
from packs.qualification.rules_decision import add_decision_rules
from packs.qualification.rules_evaluators import add_evaluator_rules
from packs.qualification.rules_judge import add_judge_rules
from packs.qualification.schema import Spec

YAML_ARTIFACTS: Mapping[str, Spec] = {
    "evaluators": schemas.EVALUATORS,
    "thresholds": schemas.THRESHOLDS,
    "qualification_policy": schemas.POLICY,
    "triggers": schemas.TRIGGER_LISTS,
    "mappings": schemas.MAPPINGS,
}


@dataclass(frozen=True, slots=True)
class LoadResult:
    """pack: None while there is an error. findings: sorted by file path of the format, then message.

    draft: what was read, for an editor that shows faulty packs as well.
    """

    pack: QualificationPack | None
    findings: tuple[RuleFinding, ...]
    draft: PackUnderCheck = field(repr=False)

    @property
    def ok(self) -> bool:
        return self.pack is not None

    @property
    def problems(self) -> list[Problem]:
        return [finding.problem for finding in self.findings]


def load_pack(folder: Path) -> LoadResult:
    """Never raises for what is wrong with a pack."""
    draft = PackUnderCheck(folder)
    if read_manifest(draft):
        for artifact, spec in YAML_ARTIFACTS.items():
            read_artifact(draft, artifact, spec)
        read_methodology(draft)
        read_rubrics(draft)
        for corpus in CORPORA:
            read_corpus(draft, corpus)
        add_corpus_rules(draft)
        add_evaluator_rules(draft)
        add_judge_rules(draft)
        add_decision_rules(draft)
        add_advice(draft)
    pack = None
    if not any(finding.problem.severity is Severity.ERROR for finding in draft.findings):
        pack = _build(draft)
        _check_declared_hash(draft, pack)
        if any(finding.problem.severity is Severity.ERROR for finding in draft.findings):
            pack = None
    ordered = sorted(
        draft.findings,
        key=lambda finding: (
            finding.problem.severity is not Severity.ERROR,
            finding.subject,
            finding.problem.message,
        ),
    )
    return LoadResult(pack, tuple(ordered), draft)


def require_pack(folder: Path) -> QualificationPack:
    """The pack, or AppError naming the first problems."""
    result = load_pack(folder)
    if result.pack is not None:
        return result.pack
    errors = [problem for problem in result.problems if problem.severity is Severity.ERROR]
    shown = "; ".join(
        f"{problem.file}{f' line {problem.line}' if problem.line else ''}: {problem.message}"
        for problem in errors[:3]
    )
    more = f" and {len(errors) - 3} more" if len(errors) > 3 else ""
    raise AppError(
        f"The pack '{folder}' has {len(errors)} problem{'s' if len(errors) != 1 else ''}: {shown}{more}",
        "Run 'packbench validate' for the whole list.",
        code="pack_refused",
    )


def _build(draft: PackUnderCheck) -> QualificationPack:
    manifest = draft.documents["manifest"].value
    assert isinstance(manifest, dict)
    documents = {artifact: draft.documents[artifact].value for artifact in YAML_ARTIFACTS}
    rubrics: dict[str, Mapping[str, object]] = {}
    for identity, (_, document) in draft.rubrics.items():
        assert isinstance(document.value, dict)
        rubrics[identity] = document.value["rubric"]
    cases = {
        corpus: tuple(
            sorted(
                (case_from(line.value, corpus, line.line) for line in draft.cases[corpus]),
                key=lambda case: case.case_id,
            )
        )
        for corpus in CORPORA
    }
    methodology = draft.methodology
    assert methodology is not None
    return QualificationPack(
        folder=draft.folder,
        manifest=manifest,
        documents=documents,
        rubrics=rubrics,
        cases=cases,
        methodology=methodology,
        content_sha256=content_hash(
            manifest=manifest,
            cases={corpus: [case.raw for case in listed] for corpus, listed in cases.items()},
            rubrics=rubrics,
            documents=documents,
            methodology=methodology,
        ),
    )


def _check_declared_hash(draft: PackUnderCheck, pack: QualificationPack) -> None:
    declared = draft.section("manifest", "pack", "content_sha256")
    if declared is not None and declared != pack.content_sha256:
        draft.add(
            "R61",
            "content_hash_differs",
            "pack.content_sha256",
            ("manifest", ("pack", "content_sha256")),
            "The content of the pack is not what its declared hash says: something was changed since.",
            f"If the change is meant, write {pack.content_sha256} or null.",
        )
