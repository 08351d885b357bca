"""When an old result no longer speaks for what runs today: qualification-pack format, section 16."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from packs.canonical import JsonValue, canonical_text
from packs.qualification.fingerprint import PRESENT, STATES, schema_faults
from packs.qualification.schemas import TRIGGER_GROUPS, TRIGGERS

SAME_VALUE = "the value is the same; how it is known, or how its number is written, differs"

SEVERITY = {"always_requalify": 2, "review_required": 1, "no_material_impact": 0}

_ENVELOPES: Mapping[str, tuple[str, ...]] = {
    "model_weights": ("model.weights",),
    "model_revision": ("model.identifier", "model.revision"),
    "quantization": ("model.quantization",),
    "system_prompt": ("prompting.system_prompt_sha256",),
    "retrieval_corpus": ("retrieval",),
    "inference_engine_version": ("serving.engine_version",),
    "serving_config": ("serving.config_sha256",),
    "chat_template": ("prompting.chat_template_sha256",),
    "hardware_topology": ("environment.gpu",),
    "driver_version": ("environment.driver",),
    "operator": ("operator",),
}
_SCALARS: Mapping[str, tuple[str, ...]] = {
    "pack_version": ("pack.version", "pack.content_sha256"),
    "threshold_change": ("pack.thresholds_sha256",),
    "runner_version": ("runner.version",),
}
_SAMPLING = ("temperature", "top_p", "seed", "max_tokens")


@dataclass(frozen=True, slots=True)
class Projection:
    """What a trigger reads. ambiguous: why it cannot be compared, empty when it can."""

    value: JsonValue
    ambiguous: str = ""
    unavailable: bool = False
    """Some part says it is unavailable."""
    captured: bool = True
    """At least one part was captured (`not_applicable` counts as captured)."""


def project(fingerprint: JsonValue, trigger: str) -> Projection:
    """The part of a fingerprint that `trigger` compares: section 16.1."""
    if trigger in _ENVELOPES:
        return _envelopes(fingerprint, _ENVELOPES[trigger])
    if trigger in _SCALARS:
        return _scalars(fingerprint, _SCALARS[trigger])
    if trigger == "evaluator_version":
        return _evaluators(_lookup(fingerprint, "evaluators"))
    if trigger == "sampling_parameters":
        return _sampling(_lookup(fingerprint, "sampling"))
    raise ValueError(f"unknown trigger {trigger!r}")


_ABSENT = object()


def _lookup(document: JsonValue, path: str) -> JsonValue:
    value = document
    for step in path.split("."):
        if not isinstance(value, dict) or step not in value:
            return _ABSENT
        value = value[step]
    return value


def _envelopes(fingerprint: JsonValue, paths: tuple[str, ...]) -> Projection:
    parts: list[JsonValue] = []
    states: list[JsonValue] = []
    for path in paths:
        envelope = _lookup(fingerprint, path)
        if not isinstance(envelope, dict):
            return Projection(None, f"{path} is missing")
        why = _envelope_fault(envelope)
        if why:
            return Projection(None, f"{path}: {why}")
        state = envelope["state"]
        states.append(state)
        kept = ("state", "value", "file_hashes") if state in PRESENT else ("state",)
        parts.append({name: envelope[name] for name in kept if name in envelope})
    return Projection(
        parts,
        unavailable="unavailable" in states,
        captured=any(state != "unavailable" for state in states),
    )


def _envelope_fault(envelope: Mapping[str, JsonValue]) -> str:
    state = envelope.get("state")
    if state not in STATES:
        return "the state is not known"
    if state not in PRESENT:
        if "value" in envelope:
            return "it is absent and yet has a value"
        return "" if _filled(envelope.get("reason")) else "no reason is given"
    if state == "known" and not _filled(envelope.get("source")):
        return "no source is given"
    if state == "externally_supplied" and not (
        _filled(envelope.get("supplied_by")) and _filled(envelope.get("supplied_at"))
    ):
        return "it is not said who supplied it and when"
    value, hashes = envelope.get("value"), envelope.get("file_hashes")
    usable = isinstance(hashes, dict) and bool(hashes)
    blank = value is None or (isinstance(value, str) and not value.strip())
    return "there is no value" if blank and not usable else ""


def _filled(value: JsonValue) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _scalars(fingerprint: JsonValue, paths: tuple[str, ...]) -> Projection:
    values = []
    for path in paths:
        value = _lookup(fingerprint, path)
        if value is _ABSENT or value is None or (isinstance(value, str) and not value.strip()):
            return Projection(None, f"{path} is missing")
        values.append(value)
    return Projection(values)


def _evaluators(listed: JsonValue) -> Projection:
    if not isinstance(listed, list) or not listed:
        return Projection(None, "no evaluator is listed")
    for entry in listed:
        if not isinstance(entry, dict) or not all(
            _filled(entry.get(name)) for name in ("id", "version", "kind")
        ):
            return Projection(None, "an evaluator lacks id, version or kind")
    return Projection(listed)


def _sampling(sampling: JsonValue) -> Projection:
    if not isinstance(sampling, dict) or any(sampling.get(name) is None for name in _SAMPLING):
        return Projection(None, "a sampling value is missing")
    kept = {name: sampling[name] for name in _SAMPLING}
    return Projection({**kept, "request_extras": sampling.get("request_extras", {})})


@dataclass(frozen=True, slots=True)
class TriggerState:
    """state: 'same', 'fired', 'ambiguous' or 'not_observed'."""

    trigger: str
    group: str
    state: str
    reason: str
    unverified: bool
    exit_code: int


@dataclass(frozen=True, slots=True)
class TriggerComparison:
    """states in the order of the declared groups. stored_problems: (path, words) of the stored fingerprint."""

    states: tuple[TriggerState, ...]
    stored_problems: tuple[tuple[str, str], ...]

    def named(self, state: str) -> list[str]:
        return [entry.trigger for entry in self.states if entry.state == state]

    @property
    def fired(self) -> list[str]:
        return self.named("fired")

    @property
    def not_observed(self) -> list[str]:
        return self.named("not_observed")

    @property
    def ambiguous(self) -> list[str]:
        return self.named("ambiguous")

    @property
    def unverified(self) -> list[str]:
        return [entry.trigger for entry in self.states if entry.unverified]

    @property
    def exit_code(self) -> int:
        return max((entry.exit_code for entry in self.states), default=0)

    @property
    def check_exit_code(self) -> int:
        """Any problem in the stored fingerprint lifts it to at least 1."""
        return max(self.exit_code, 1) if self.stored_problems else self.exit_code


def compare_fingerprints(
    stored: JsonValue,
    live: JsonValue,
    declared: Mapping[str, JsonValue],
    not_observed: Collection[str] = (),
) -> TriggerComparison:
    """Every trigger of the stored bundle's own groups, stored side against live side."""
    states = []
    for group in TRIGGER_GROUPS:
        listed = declared.get(group)
        for trigger in listed if isinstance(listed, list) else ():
            if trigger in TRIGGERS:
                state = _compare(stored, live, trigger, group, trigger in not_observed)
                states.append(state)
    return TriggerComparison(tuple(states), tuple(fingerprint_problems(stored)))


def _compare(stored: JsonValue, live: JsonValue, trigger: str, group: str, unseen: bool) -> TriggerState:
    severity = SEVERITY[group]
    before = project(stored, trigger)
    after = before if unseen else project(live, trigger)
    why = before.ambiguous or after.ambiguous
    if why:
        return TriggerState(trigger, group, "ambiguous", why, False, max(severity, 1))
    if unseen:
        exit_code = severity if before.captured else 0
        return TriggerState(
            trigger, group, "not_observed", "nothing was given to compare with", before.unavailable, exit_code
        )
    if canonical_text(before.value) != canonical_text(after.value):
        return TriggerState(trigger, group, "fired", _why_differs(before.value, after.value), False, severity)
    return TriggerState(trigger, group, "same", "", before.unavailable, 0)


def _why_differs(before: JsonValue, after: JsonValue) -> str:
    """Tells a real change from one of form alone (section 28, W29)."""
    if _without_state(before) == _without_state(after):
        return SAME_VALUE
    return "the value differs"


def _without_state(value: JsonValue) -> JsonValue:
    """For a comparison by value: states of present envelopes dropped, 0 and 0.0 alike."""
    if isinstance(value, dict):
        kept = {name: _without_state(item) for name, item in value.items()}
        if kept.get("state") in PRESENT:
            del kept["state"]
        return kept
    return [_without_state(item) for item in value] if isinstance(value, list) else value


def fingerprint_problems(fingerprint: JsonValue) -> list[tuple[str, str]]:
    """(path, words) of every schema fault and every trigger field that cannot be compared."""
    problems = [(".".join(map(str, fault.path)) or "$", fault.message) for fault in schema_faults(fingerprint)]
    for trigger in TRIGGERS:
        why = project(fingerprint, trigger).ambiguous
        if why:
            problems.append((trigger, why))
    return problems
