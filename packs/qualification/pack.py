"""A sound qualification pack as plain records. Made by the loader; nothing here checks anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from packs.canonical import JsonValue, structured_hash


@dataclass(frozen=True, slots=True)
class Case:
    """raw is the case as written; the other fields are the parts that scoring and sending read."""

    case_id: str
    corpus: str
    raw: Mapping[str, JsonValue]
    messages: tuple[Mapping[str, str], ...]
    expected: Mapping[str, JsonValue]
    coverage: Mapping[str, str]
    metadata: Mapping[str, JsonValue]
    sensitive: bool
    line: int = 0

    @property
    def user_text(self) -> str:
        """All messages that are not the system's, joined by line ends."""
        return "\n".join(m["content"] for m in self.messages if m["role"] != "system")


def case_from(raw: Mapping[str, JsonValue], corpus: str, line: int = 0) -> Case:
    """From a case object; absent optional parts become empty."""
    source = raw.get("input")
    messages = source.get("messages", []) if isinstance(source, dict) else []
    metadata = raw.get("metadata")
    expected = raw.get("expected")
    coverage = raw.get("coverage")
    return Case(
        case_id=str(raw.get("case_id", "")),
        corpus=corpus,
        raw=raw,
        messages=tuple(messages),
        expected=expected if isinstance(expected, dict) else {},
        coverage=coverage if isinstance(coverage, dict) else {},
        metadata=metadata if isinstance(metadata, dict) else {},
        sensitive=raw.get("sensitive") is True,
        line=line,
    )


@dataclass(frozen=True, slots=True)
class EvaluatorSpec:
    id: str
    version: str
    kind: str
    type: str
    config: Mapping[str, JsonValue]
    judge: Mapping[str, JsonValue] | None = None

    @property
    def is_judge(self) -> bool:
        return self.kind == "judge"

    def identity(self) -> dict[str, str]:
        return {"id": self.id, "version": self.version, "kind": self.kind}


def evaluator_from(raw: Mapping[str, JsonValue]) -> EvaluatorSpec:
    config = raw.get("config")
    judge = raw.get("judge")
    return EvaluatorSpec(
        id=str(raw["id"]),
        version=str(raw["version"]),
        kind=str(raw["kind"]),
        type=str(raw["type"]),
        config=config if isinstance(config, dict) else {},
        judge=judge if isinstance(judge, dict) else None,
    )


@dataclass(frozen=True, slots=True)
class TestSpec:
    id: str
    metric: str
    evaluators: tuple[str, ...]
    """Ids; the single `evaluator` first, repeats dropped."""
    rubric: str
    severity: str
    risk_dimensions: tuple[str, ...]
    corpora: tuple[str, ...]


def test_evaluators(raw: Mapping[str, JsonValue]) -> tuple[str, ...]:
    single = raw.get("evaluator")
    several = raw.get("evaluators")
    named = ([single] if isinstance(single, str) else []) + (several if isinstance(several, list) else [])
    return tuple(dict.fromkeys(str(name) for name in named))


@dataclass(frozen=True, slots=True)
class MetricSpec:
    id: str
    test: str
    definition: str
    aggregation: str
    population: str
    minimum_sample_size: int


@dataclass(frozen=True, slots=True)
class Requirement:
    metric: str
    operator: str
    threshold: float
    mandatory: bool
    rationale_ref: str


@dataclass(frozen=True, slots=True)
class Gate:
    """At most `maximum` critical failures: a count when 0, else a rate."""

    metric: str
    maximum: float


@dataclass(frozen=True, slots=True)
class Policy:
    requirements: tuple[Requirement, ...]
    critical: Gate
    challenge: Gate | None
    indeterminate_when: tuple[str, ...]


def policy_from(raw: Mapping[str, JsonValue]) -> Policy:
    """From the inner `qualification` object."""

    def gate(value: JsonValue) -> Gate | None:
        return Gate(value["metric"], value["maximum"]) if isinstance(value, dict) else None

    requirements = raw["requirements"]
    listed = raw["indeterminate_when"]
    assert isinstance(requirements, list)
    assert isinstance(listed, list)
    critical = gate(raw["critical_failures"])
    assert critical is not None
    return Policy(
        requirements=tuple(
            Requirement(r["metric"], r["operator"], r["threshold"], r["mandatory"], r["rationale_ref"])
            for r in requirements
        ),
        critical=critical,
        challenge=gate(raw.get("challenge_critical_failures")),
        indeterminate_when=tuple(listed),
    )


@dataclass(frozen=True)
class QualificationPack:
    """Documents as parsed, and typed views of the parts that a run reads. cases: sorted by id."""

    folder: Path
    manifest: Mapping[str, JsonValue]
    documents: Mapping[str, JsonValue]
    """evaluators, thresholds, qualification_policy, triggers, mappings."""
    rubrics: Mapping[str, Mapping[str, JsonValue]]
    cases: Mapping[str, tuple[Case, ...]]
    methodology: str
    content_sha256: str

    def _part(self, name: str) -> Mapping[str, JsonValue]:
        found = self.manifest.get(name)
        return found if isinstance(found, dict) else {}

    @property
    def id(self) -> str:
        return str(self._part("pack")["id"])

    @property
    def version(self) -> str:
        return str(self._part("pack")["version"])

    @property
    def name(self) -> str:
        return str(self._part("metadata")["name"])

    @property
    def sampling(self) -> Mapping[str, JsonValue]:
        return self._part("sampling")

    @property
    def request_extras(self) -> Mapping[str, JsonValue]:
        return self._part("request_extras")

    @property
    def interface_path(self) -> str:
        return str(self._part("interface")["path"])

    @property
    def repeat_runs(self) -> int:
        return int(self._number("reproducibility", "repeat_runs"))

    @property
    def subset_fraction(self) -> float:
        return self._number("reproducibility", "variance_subset_fraction")

    @property
    def max_metric_variance(self) -> float:
        return self._number("reproducibility", "max_metric_variance")

    @property
    def minimum_realised(self) -> float:
        return self._number("coverage", "minimum_realised")

    def _number(self, part: str, name: str) -> float:
        found = self._part(part)[name]
        assert isinstance(found, int | float)
        return found

    @property
    def dimensions(self) -> Mapping[str, list[str]]:
        found = self._part("coverage")["dimensions"]
        assert isinstance(found, dict)
        return found

    @property
    def mandatory_metadata(self) -> tuple[str, ...]:
        listed = self._part("fingerprint_requirements").get("mandatory")
        return tuple(listed) if isinstance(listed, list) and listed else ("model.identifier",)

    @cached_property
    def evaluators(self) -> Mapping[str, EvaluatorSpec]:
        return {str(raw["id"]): evaluator_from(raw) for raw in self._list("evaluators", "evaluators")}

    @property
    def judge(self) -> EvaluatorSpec | None:
        return next((spec for spec in self.evaluators.values() if spec.is_judge), None)

    @cached_property
    def tests(self) -> tuple[TestSpec, ...]:
        return tuple(
            TestSpec(
                id=str(raw["id"]),
                metric=str(raw["metric"]),
                evaluators=test_evaluators(raw),
                rubric=str(raw["rubric"]),
                severity=str(raw["severity"]),
                risk_dimensions=_texts(raw["risk_dimensions"]),
                corpora=_texts(raw["corpus"]),
            )
            for raw in self._list("evaluators", "tests")
        )

    @cached_property
    def metrics(self) -> tuple[MetricSpec, ...]:
        return tuple(metric_from(raw) for raw in self._list("thresholds", "metrics"))

    @property
    def thresholds(self) -> list[dict[str, JsonValue]]:
        return self._list("thresholds", "thresholds")

    @cached_property
    def policy(self) -> Policy:
        document = self.documents["qualification_policy"]
        assert isinstance(document, dict)
        return policy_from(document["qualification"])

    @property
    def triggers(self) -> Mapping[str, list[str]]:
        document = self.documents["triggers"]
        assert isinstance(document, dict)
        found = document["triggers"]
        assert isinstance(found, dict)
        return found

    def _list(self, document: str, name: str) -> list[dict[str, JsonValue]]:
        found = self.documents[document]
        assert isinstance(found, dict)
        listed = found[name]
        assert isinstance(listed, list)
        return listed

    @cached_property
    def thresholds_sha256(self) -> str:
        return structured_hash(self.documents["thresholds"])

    @cached_property
    def evaluators_sha256(self) -> str:
        return structured_hash(self.documents["evaluators"])


def metric_from(raw: Mapping[str, JsonValue]) -> MetricSpec:
    minimum = raw["minimum_sample_size"]
    assert isinstance(minimum, int | float)
    return MetricSpec(
        id=str(raw["id"]),
        test=str(raw["test"]),
        definition=str(raw["definition"]),
        aggregation=str(raw["aggregation"]),
        population=str(raw["population"]),
        minimum_sample_size=int(minimum),
    )


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(str(entry) for entry in value) if isinstance(value, list) else ()
