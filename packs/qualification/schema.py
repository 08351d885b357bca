"""A small declarative schema: every fault of a value at once, each with the path to the exact field.

Fault keywords are those of JSON Schema, so that faults can be compared with those of other tools. `path` is
the object or value a JSON Schema checker would name (for a missing or unknown key its parent); `field` is the
key itself, which is where a person must look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from packs.canonical import JsonValue
from packs.documents.problems import FieldPath
from packs.registry import nearest


@dataclass(frozen=True, slots=True)
class Fault:
    path: FieldPath
    field: FieldPath
    keyword: str
    message: str
    fix: str


class Spec:
    """What a value must be."""

    def faults(self, value: JsonValue, path: FieldPath) -> Iterator[Fault]:
        raise NotImplementedError


def _wrong_type(path: FieldPath, value: JsonValue, wanted: str) -> Fault:
    return Fault(path, path, "type", f"This must be {wanted}; it is {_kind(value)}.", f"Write {wanted} here.")


def _kind(value: JsonValue) -> str:
    if value is None:
        return "empty (null)"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {_short(value)}"
    return "a list" if isinstance(value, list) else "a group of fields"


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")


@dataclass(frozen=True, slots=True)
class Anything(Spec):
    def faults(self, value: JsonValue, path: FieldPath) -> Iterator[Fault]:
        yield from ()


@dataclass(frozen=True, slots=True)
class Text(Spec):
    """min_length in characters; pattern by `re.search`, said in words by `pattern_words`."""

    min_length: int = 0
    pattern: str = ""
    pattern_text: str = ""

    def faults(self, value: JsonValue, path: FieldPath) -> Iterator[Fault]:
        if not isinstance(value, str):
            yield _wrong_type(path, value, "text")
            return
        if len(value) < self.min_length:
            message = (
                "This text is empty." if self.min_length == 1 else f"This text has {len(value)} characters."
            )
            fix = (
                "Write something here."
                if self.min_length == 1
                else f"Write at least {self.min_length} characters."
            )
            yield Fault(path, path, "minLength", message, fix)
        if self.pattern and not re.search(self.pattern, value):
            yield Fault(
                path,
                path,
                "pattern",
                f"{_short(value)} does not have the form wanted here.",
                self.pattern_text,
            )


@dataclass(frozen=True, slots=True)
class OneOf(Spec):
    values: tuple[str, ...]

    def faults(self, value: JsonValue, path: FieldPath) -> Iterator[Fault]:
        if isinstance(value, str) and value in self.values:
            return
        likely = nearest(value, self.values) if isinstance(value, str) else None
        keyword = "enum" if len(self.values) > 1 else "const"
        fix = f"Write '{likely}'." if likely else f"Write one of: {', '.join(self.values)}."
        yield Fault(
            path, path, keyword, f"{_kind(value).capitalize()} is not one of the values known here.", fix
        )


@dataclass(frozen=True, slots=True)
class NumberSpec(Spec):
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    whole: bool = False

    def faults(self, value: JsonValue, path: FieldPath) -> Iterator[Fault]:
        wanted = "a whole number" if self.whole else "a number"
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield _wrong_type(path, value, wanted)
            return
        if self.whole and isinstance(value, float) and not value.is_integer():
            yield _wrong_type(path, value, wanted)
            return
        if self.minimum is not None and value < self.minimum:
            yield Fault(
                path, path, "minimum", f"{value} is below {self.minimum:g}.", f"Write {self.minimum:g} or more."
            )
        if self.above is not None and value <= self.above:
            yield Fault(
                path,
                path,
                "exclusiveMinimum",
                f"{value} is not above {self.above:g}.",
                f"Write more than {self.above:g}.",
            )
        if self.maximum is not None and value > self.maximum:
            yield Fault(
                path, path, "maximum", f"{value} is above {self.maximum:g}.", f"Write {self.maximum:g} or less."
            )


@dataclass(frozen=True, slots=True)
class Boolean(Spec):
    def faults(self, value: JsonValue, path: FieldPath) -> Iterator[Fault]:
        if not isinstance(value, bool):
            yield _wrong_type(path, value, "true or false")


@dataclass(frozen=True, slots=True)
class Listing(Spec):
    item: Spec
    min_items: int = 0
    distinct: bool = False

    def faults(self, value: JsonValue, path: FieldPath) -> Iterator[Fault]:
        if not isinstance(value, list):
            yield _wrong_type(path, value, "a list")
            return
        if len(value) < self.min_items:
            yield Fault(path, path, "minItems", "This list is empty.", "Add at least one entry.")
        if self.distinct and len({repr(entry) for entry in value}) != len(value):
            yield Fault(path, path, "uniqueItems", "An entry stands twice in this list.", "Remove the repeat.")
        for index, entry in enumerate(value):
            yield from self.item.faults(entry, (*path, index))


@dataclass(frozen=True, slots=True)
class Nullable(Spec):
    """null or `inner`; any fault of the inner is told as one `keyword` fault."""

    inner: Spec
    keyword: str = "anyOf"

    def faults(self, value: JsonValue, path: FieldPath) -> Iterator[Fault]:
        if value is None:
            return
        first = next(self.inner.faults(value, path), None)
        if first is not None:
            yield Fault(path, path, self.keyword, first.message, f"{first.fix} Or write null.")


@dataclass(frozen=True, slots=True)
class Group(Spec):
    """An object. `others` says what further keys hold; None refuses them."""

    required: Mapping[str, Spec] = field(default_factory=dict)
    optional: Mapping[str, Spec] = field(default_factory=dict)
    others: Spec | None = None
    min_entries: int = 0

    def faults(self, value: JsonValue, path: FieldPath) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield _wrong_type(path, value, "a group of fields")
            return
        if len(value) < self.min_entries:
            yield Fault(path, path, "minProperties", "Nothing is named here.", "Add at least one entry.")
        known = (*self.required, *self.optional)
        for name in self.required:
            if name not in value:
                yield Fault(path, (*path, name), "required", f"'{name}' is missing.", f"Add '{name}'.")
        for name, entry in value.items():
            here = (*path, name)
            spec = self.required.get(name) or self.optional.get(name) or self.others
            if spec is not None:
                yield from spec.faults(entry, here)
                continue
            likely = nearest(name, [other for other in known if other not in value])
            fix = f"Did you mean '{likely}'? Else remove it." if likely else "Remove it."
            yield Fault(path, here, "additionalProperties", f"'{name}' is not a field known here.", fix)
