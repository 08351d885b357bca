"""Reading task.yaml: every field checked, every fault told with its place (task-pack format, section 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from packs.documents.problems import FieldPath, Problem, Severity, dotted
from packs.documents.strict_json import shown
from packs.documents.yaml_tree import Document
from packs.registry import nearest
from packs.task.manifest_text import GENERATION_PURPOSE, PURPOSE, kind_of, not_finite_in
from packs.task.model import MANIFEST, GenerationSettings, Provenance, RecommendationSettings
from packs.task.scorers import DEFAULT_GATE, SCORERS
from packs.task.text import is_blank

TOP_KEYS = (
    "name",
    "type",
    "scorer",
    "scorer_params",
    "gates",
    "generation",
    "prompt_template",
    "examples_dir",
    "provenance",
    "recommendation",
)
GENERATION_KEYS = ("context", "max_tokens", "temperature", "seed", "runs_per_example", "answer", "stop")
GATE_KEYS = ("scorer", "scorer_params")
PROVENANCE_KEYS = ("source", "source_sha256", "drafted_by", "drafted_at", "reviewed")
RECOMMENDATION_KEYS = ("margin_points", "sureness_percent")
ANSWERS = ("free", "constrained")
MAX_STOP_WORDS = 4
"""Some servers take no more."""
_LARGEST = 2**31 - 1
MAX_GATES = 20
MAX_UNKNOWN_KEYS = 50
"""Told one by one; finding the nearest known key takes time."""


@dataclass(frozen=True, slots=True)
class ScorerEntry:
    """A scorer as written. name: None when it is not known. params: None when they are no mapping.

    path: the field that holds it, () for the primary.
    """

    name: str | None
    params: dict[str, Any] | None
    path: FieldPath

    @property
    def params_path(self) -> FieldPath:
        return (*self.path, "scorer_params")


@dataclass(slots=True)
class Manifest:
    """What could be read; None where a field has a fault."""

    name: str | None = None
    type: str | None = None
    primary: ScorerEntry = field(default_factory=lambda: ScorerEntry(None, None, ()))
    gates: list[ScorerEntry] = field(default_factory=list)
    generation: GenerationSettings | None = None
    context: int | None = None
    max_tokens: int | None = None
    prompt_template: str | None = None
    examples_dir: str | None = None
    provenance: Provenance | None = None
    recommendation: RecommendationSettings = field(default_factory=RecommendationSettings)


class ManifestReader:
    """Reads one document; `problems` grows in the order of the format's section 5.1."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self._unknown = 0

    def add(
        self, path: FieldPath, code: str, message: str, fix: str, severity: Severity = Severity.ERROR
    ) -> None:
        line, column = self.document.place(path)
        self.problems.append(Problem(MANIFEST, path, code, message, fix, severity, line, column))

    def read(self) -> Manifest | None:
        """None when there are no fields at all."""
        top = self.document.value
        if not isinstance(top, dict):
            what = "is empty" if top is None else "does not consist of fields with values"
            self.add((), "not_mapping", f"{MANIFEST} {what}.", "Begin with a line such as 'name: my-task'.")
            return None
        result = Manifest()
        result.name = self._text(top, (), "name")
        result.type = self._text(top, (), "type")
        scorer = self._scorer(top, ())
        result.primary = ScorerEntry(scorer, self._params(top, ()), ())
        self._generation(top, result)
        result.prompt_template = self._text(top, (), "prompt_template")
        result.examples_dir = self._text(top, (), "examples_dir")
        result.gates = self._gates(top)
        result.provenance = self._provenance(top)
        result.recommendation = self._recommendation(top)
        self._unknown_keys(top, (), TOP_KEYS)
        return result

    def _text(self, mapping: dict[str, Any], parent: FieldPath, key: str) -> str | None:
        value = mapping.get(key)
        if isinstance(value, str) and not is_blank(value):
            return value
        path = (*parent, key)
        where = dotted(path)
        purpose = f"Give {PURPOSE[key]}."
        if key not in mapping:
            self.add(path, "text_required", f"{where} is needed and is not there.", purpose)
        elif value is None or isinstance(value, str):
            self.add(path, "text_required", f"{where} is empty.", purpose)
        elif isinstance(value, bool | int | float):
            self.add(
                path,
                "text_required",
                f"{where} must be a text; {shown(value)} is read as {kind_of(value)}.",
                f'Put it in quotes: "{shown(value)}".',
            )
        else:
            self.add(path, "text_required", f"{where} must be a text; it is {kind_of(value)}.", purpose)
        return None

    def _scorer(self, mapping: dict[str, Any], parent: FieldPath) -> str | None:
        name = self._text(mapping, parent, "scorer")
        if name is None or name in SCORERS:
            return name
        near = nearest(name, SCORERS.names)
        meant = f" Did you mean '{near}'?" if near else ""
        path = (*parent, "scorer")
        self.add(
            path,
            "unknown_scorer",
            f"{dotted(path)}: there is no scorer '{name}'.{meant}",
            f"Use one of: {', '.join(SCORERS.names)}.",
        )
        return None

    def _params(self, mapping: dict[str, Any], parent: FieldPath) -> dict[str, Any] | None:
        value = mapping.get("scorer_params", {})
        path = (*parent, "scorer_params")
        if not isinstance(value, dict):
            self.add(
                path,
                "mapping_required",
                f"{dotted(path)} must be a mapping of names to values; it is {kind_of(value)}.",
                "List the parameters below it, or remove the key.",
            )
            return None
        bad = not_finite_in(value, path)
        if bad is not None:
            self.add(bad, "not_finite", f"{dotted(bad)} must be an ordinary number.", "Write a number.")
            return None
        return value

    def _generation(self, top: dict[str, Any], result: Manifest) -> None:
        value = top.get("generation")
        if not isinstance(value, dict):
            missing = "generation" not in top
            self.add(
                ("generation",),
                "mapping_required",
                "generation is needed and is not there."
                if missing
                else f"generation must be a mapping of names to values; it is {kind_of(value)}.",
                "Add it with context, max_tokens, temperature, seed and runs_per_example below.",
            )
            return
        context = result.context = self._whole(value, "context", at_least_one=True)
        max_tokens = result.max_tokens = self._whole(value, "max_tokens", at_least_one=True)
        temperature = self._number(value, "temperature")
        if temperature is not None and temperature < 0:
            self.add(
                ("generation", "temperature"),
                "negative",
                f"generation.temperature is {shown(temperature)}; it must be 0 or more.",
                "Use 0.",
            )
            temperature = None
        seed = self._whole(value, "seed", at_least_one=False)
        runs = self._whole(value, "runs_per_example", at_least_one=True)
        answer = value.get("answer", "free")
        if answer not in ANSWERS:
            self.add(
                ("generation", "answer"),
                "unknown_answer",
                f"generation.answer is {shown(answer)}, which is no choice.",
                "Use free or constrained, or remove the key.",
            )
            answer = None
        stop = self._stop_words(value)
        self._unknown_keys(value, ("generation",), GENERATION_KEYS)
        if None not in (context, max_tokens, temperature, seed, runs, answer, stop):
            assert context and max_tokens and temperature is not None and seed is not None and runs
            result.generation = GenerationSettings(
                context, max_tokens, float(temperature), seed, runs, str(answer), stop or ()
            )

    def _stop_words(self, generation: dict[str, Any]) -> tuple[str, ...] | None:
        """None when there is a fault."""
        value = generation.get("stop", [])
        path: FieldPath = ("generation", "stop")
        if not isinstance(value, list):
            message = f"generation.stop must be a list of texts; it is {kind_of(value)}."
            self.add(path, "list_required", message, "Write each text as '- …' below it, or remove the key.")
            return None
        if len(value) > MAX_STOP_WORDS:
            message = f"generation.stop has {len(value)} texts; {MAX_STOP_WORDS} are the most."
            self.add(path, "too_large", message, "Keep those that matter.")
            return None
        bad = [place for place, text in enumerate(value) if not isinstance(text, str) or not text]
        for place in bad:
            what = (
                "is empty" if value[place] in ("", None) else f"must be a text; it is {kind_of(value[place])}"
            )
            message = f"generation.stop[{place}] {what}."
            self.add((*path, place), "text_required", message, "Give a text in quotes, or remove the entry.")
        return None if bad else tuple(value)

    def _number(self, mapping: dict[str, Any], key: str) -> int | float | None:
        value = mapping.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            if abs(value) > _LARGEST:
                self.add(
                    ("generation", key),
                    "number_too_large",
                    f"generation.{key} is larger than what engines take.",
                    f"Give {GENERATION_PURPOSE[key]}.",
                    Severity.WARNING,
                )
            return value
        message = (
            f"generation.{key} must be a number; it is {shown(value)}."
            if key in mapping
            else f"generation.{key} is needed and is not there."
        )
        self.add(("generation", key), "number_required", message, f"Give {GENERATION_PURPOSE[key]}.")
        return None

    def _whole(self, mapping: dict[str, Any], key: str, *, at_least_one: bool) -> int | None:
        value = self._number(mapping, key)
        if value is None:
            return None
        path = ("generation", key)
        if value != int(value):
            self.add(
                path,
                "integer_required",
                f"generation.{key} must be a whole number; it is {shown(value)}.",
                f"Give {GENERATION_PURPOSE[key]}.",
            )
            return None
        if at_least_one and value < 1:
            self.add(
                path,
                "below_one",
                f"generation.{key} is {shown(value)}; it must be 1 or more.",
                f"Give {GENERATION_PURPOSE[key]}.",
            )
            return None
        return int(value)

    def _gates(self, top: dict[str, Any]) -> list[ScorerEntry]:
        value = top.get("gates", [])
        if not isinstance(value, list):
            self.add(
                ("gates",),
                "list_required",
                f"gates must be a list; it is {kind_of(value)}.",
                "Write each gate as '- scorer: …' below it, or remove the key.",
            )
            return []
        entries = []
        if len(value) > MAX_GATES:
            self.add(
                ("gates",),
                "too_large",
                f"There are {len(value)} gates; {MAX_GATES} are the most.",
                "Keep those that matter.",
            )
            return []
        for index, gate in enumerate(value):
            path: FieldPath = ("gates", index)
            if not isinstance(gate, dict):
                self.add(
                    path,
                    "mapping_required",
                    f"gates[{index}] must be a mapping with a scorer; it is {kind_of(gate)}.",
                    f"Write it as '- scorer: {DEFAULT_GATE.name}' with its scorer_params below.",
                )
                continue
            entries.append(ScorerEntry(self._scorer(gate, path), self._params(gate, path), path))
            self._unknown_keys(gate, path, GATE_KEYS)
        return entries

    def _provenance(self, top: dict[str, Any]) -> Provenance | None:
        if "provenance" not in top:
            return None
        value = top["provenance"]
        if not isinstance(value, dict):
            self.add(
                ("provenance",),
                "mapping_required",
                f"provenance must be a mapping of names to values; it is {kind_of(value)}.",
                f"Give {', '.join(PROVENANCE_KEYS)} below it, or remove the key.",
            )
            return None
        texts = [self._text(value, ("provenance",), key) for key in PROVENANCE_KEYS[:4]]
        reviewed = value.get("reviewed")
        if reviewed is not None and not isinstance(reviewed, bool):
            self.add(
                ("provenance", "reviewed"),
                "boolean_required",
                f"provenance.reviewed must be true or false; {shown(reviewed)} is {kind_of(reviewed)}.",
                "Write true when a person has checked every example, else false.",
            )
            return None
        self._unknown_keys(value, ("provenance",), PROVENANCE_KEYS)
        source, sha256, drafted_by, drafted_at = texts
        if source is None or sha256 is None or drafted_by is None or drafted_at is None:
            return None
        return Provenance(source, sha256, drafted_by, drafted_at, bool(reviewed))

    def _recommendation(self, top: dict[str, Any]) -> RecommendationSettings:
        """Our extension: how the recommendation is made for this pack."""
        value = top.get("recommendation", {})
        if not isinstance(value, dict):
            self.add(
                ("recommendation",),
                "mapping_required",
                f"recommendation must be a mapping of names to values; it is {kind_of(value)}.",
                f"Give {' or '.join(RECOMMENDATION_KEYS)} below it, or remove the key.",
            )
            return RecommendationSettings()
        margin = self._between(value, "margin_points", 0, 50)
        confidence = self._between(value, "sureness_percent", 51, 99)
        self._unknown_keys(value, ("recommendation",), RECOMMENDATION_KEYS)
        return RecommendationSettings(
            margin / 100 if margin is not None else None, confidence / 100 if confidence is not None else None
        )

    def _between(self, mapping: dict[str, Any], key: str, low: int, high: int) -> float | None:
        value = mapping.get(key)
        if key not in mapping:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        self.add(
            ("recommendation", key),
            "out_of_range",
            f"recommendation.{key} must be a number from {low} to {high}; it is {shown(value)}.",
            f"Give a number from {low} to {high}, or remove the key.",
        )
        return None

    def _unknown_keys(self, mapping: dict[str, Any], parent: FieldPath, known: tuple[str, ...]) -> None:
        for key in mapping:
            if key in known:
                continue
            self._unknown += 1
            if self._unknown > MAX_UNKNOWN_KEYS:
                return
            near = nearest(key, known)
            meant = f" Did you mean '{near}'?" if near else ""
            path = (*parent, key)
            self.problems.append(
                Problem(
                    MANIFEST,
                    path,
                    "unknown_key",
                    f"{dotted(path)} is not known and has no effect.{meant}",
                    f"Write '{near}', or remove it." if near else "Remove it.",
                    Severity.WARNING,
                    *self.document.key_place(path),
                )
            )
