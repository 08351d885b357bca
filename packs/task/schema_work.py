"""Work on one answer, counted in steps, and the keywords of JSON Schema that would otherwise have no bound.

The `jsonschema` library looks at every keyword with its own functions; here each is counted, and those whose
work or memory may grow faster than the answer are written anew. Counting instead of a clock gives the same
outcome on every machine.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jsonschema
from jsonschema import _legacy_keywords, _utils
from jsonschema.exceptions import ValidationError

from packs.task.ecma_regex import SlowPattern

MAX_STEPS = 200_000
"""For one answer: some two seconds. An answer of 10,000 values needs five for each at most, as schemas are."""
PATTERNS_S = 1.0
"""All searches for patterns in one answer together. Each has its own limit, which many may stay just below."""

Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


class TooMuchWork(Exception):
    """The schema needs more steps on the answer than it may take."""


class SchemaWork:
    """What has been done for one answer. `spend` raises TooMuchWork when more was done than may be."""

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self.left = steps
        self.spread = 0
        """Steps for each further subschema while it is found out which parts of a wide value were looked at."""
        self._searching_s = 0.0
        self._sizes: dict[int, int] = {}

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork

    def size(self, value: object) -> int:
        """About the characters of a value, which must stay alive while this does."""
        if isinstance(value, str):
            return len(value) + 8
        if not isinstance(value, dict | list):
            return 8
        known = self._sizes.get(id(value))
        if known is None:
            known = 8
            for item in value.items() if isinstance(value, dict) else value:
                known += self.size(item[1]) + len(item[0]) if isinstance(value, dict) else self.size(item)
            self._sizes[id(value)] = known
        return known

    def search(self, found_in: Callable[[str], bool], text: str, source: str) -> bool:
        """Does the pattern match? Raises SlowPattern when all searches together took too long."""
        self.spend(1 + len(text) // 256)
        begun = time.perf_counter()
        found = found_in(text)
        self._searching_s += time.perf_counter() - begun
        if self._searching_s > PATTERNS_S:
            raise SlowPattern(source)
        return found


def counted(original: Keyword, work: Callable[[], SchemaWork]) -> Keyword:
    """The same keyword, each use and each fault it finds counted; faults without their long messages."""

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        present = work()
        steps = 1
        for part in (value, instance):
            if isinstance(part, dict | list | str):
                steps += len(part) // 16
        present.spend(steps)
        for error in original(validator, value, instance, schema) or ():
            # Its message has the whole value in it, and the faults of all parts hang on it.
            present.spend(1 + present.size(instance) // 256)
            error.message = error.message[:200]
            error.context = []
            yield error

    return check


def bounded_keywords(base: type[Any], work: Callable[[], SchemaWork]) -> dict[str, Keyword]:
    """All keywords of a dialect of the library, counted, the greedy ones replaced."""
    replaced: dict[str, Keyword] = {
        "anyOf": _any_of,
        "oneOf": _one_of,
        "multipleOf": _multiple_of(base.VALIDATORS["multipleOf"]),
        "uniqueItems": _unique_items(work),
        "enum": _listed(base.VALIDATORS["enum"], work),
        "const": _listed(base.VALIDATORS["const"], work),
        "unevaluatedItems": _unevaluated_items(base, work),
        "unevaluatedProperties": _unevaluated_properties(base, work),
    }
    return {name: counted(replaced.get(name, keyword), work) for name, keyword in base.VALIDATORS.items()}


def plain_numbers(value: Any) -> Any:
    """The schema with numbers as strict JSON reads them: integers beyond 2^53 as doubles, infinite if need be.

    YAML knows integers of any length, which no double can be compared or divided with.
    """
    if isinstance(value, dict):
        return {key: plain_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_numbers(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    return value


def _fits(validator: Any, instance: Any, schema: Any, index: int) -> bool:
    return next(validator.descend(instance, schema, schema_path=index), None) is None


def _any_of(validator: Any, parts: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not any(_fits(validator, instance, part, index) for index, part in enumerate(parts)):
        yield ValidationError("fits none of the schemas")


def _one_of(validator: Any, parts: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    fitting = sum(_fits(validator, instance, part, index) for index, part in enumerate(parts))
    if fitting != 1:
        yield ValidationError("does not fit exactly one of the schemas")


def _multiple_of(original: Keyword) -> Keyword:
    def multiple_of(validator: Any, step: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if not validator.is_type(instance, "number"):
            return
        if math.isfinite(instance) and math.isfinite(step):
            yield from original(validator, step, instance, schema) or ()
        elif instance != 0:  # as the remainder of ECMAScript, which an infinite number has none of
            yield ValidationError("is no multiple")

    return multiple_of


def _unique_items(work: Callable[[], SchemaWork]) -> Keyword:
    def unique_items(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if not wanted or not isinstance(instance, list):
            return
        work().spend(work().size(instance) // 128)
        if len({_canonical(item) for item in instance}) < len(instance):
            yield ValidationError("holds a value twice")

    return unique_items


def _canonical(value: Any) -> str:
    """The same text for equal values alone: 1 and 1.0 are equal, 1 and true are not."""
    return json.dumps(_as_doubles(value), sort_keys=True)


def _as_doubles(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_doubles(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_doubles(item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) + 0.0  # minus zero equals zero
    return value


def _listed(original: Keyword, work: Callable[[], SchemaWork]) -> Keyword:
    def listed(validator: Any, values: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        work().spend(work().size(values) // 128)
        yield from original(validator, values, instance, schema) or ()

    return listed


def _evaluated(find: Any, validator: Any, instance: Any, schema: Any, work: SchemaWork) -> set[Any]:
    """Names or places that some part of the schema looked at; each subschema may bring all of them."""
    before = work.spread
    work.spread = before + len(instance) // 4096
    try:
        return set(find(validator, instance, schema))
    finally:
        work.spread = before


def _unevaluated_items(base: type[Any], work: Callable[[], SchemaWork]) -> Keyword:
    module: Any = _legacy_keywords if base is jsonschema.Draft201909Validator else _utils

    def unevaluated_items(
        validator: Any, subschema: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError]:
        if not isinstance(instance, list):
            return
        find = module.find_evaluated_item_indexes_by_schema
        seen = _evaluated(find, validator, instance, schema, work())
        if any(index not in seen for index in range(len(instance))):
            yield ValidationError("holds items that are not allowed")

    return unevaluated_items


def _unevaluated_properties(base: type[Any], work: Callable[[], SchemaWork]) -> Keyword:
    module: Any = _legacy_keywords if base is jsonschema.Draft201909Validator else _utils

    def unevaluated_properties(
        validator: Any, subschema: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError]:
        if not isinstance(instance, dict):
            return
        find = module.find_evaluated_property_keys_by_schema
        seen = _evaluated(find, validator, instance, schema, work())
        for name, value in instance.items():
            if name not in seen and next(validator.descend(value, subschema, path=name), None) is not None:
                yield ValidationError("holds fields that are not allowed")
                return

    return unevaluated_properties


def keep_class(dialects: Mapping[str, Any], work: Callable[[], SchemaWork]) -> Callable[..., Any]:
    """A validator's `evolve` that counts and stays among our own classes, by `$schema` where a part names one.

    The library's goes over to its own class there, which counts nothing.
    """

    def evolve(validator: Any, **changes: Any) -> Any:
        present = work()
        present.spend(1 + present.spread)
        schema = changes.setdefault("schema", validator.schema)
        named = schema.get("$schema") if isinstance(schema, dict) else None
        cls = dialects.get(named.rstrip("#"), type(validator)) if isinstance(named, str) else type(validator)
        for attribute, argument in (
            ("_ref_resolver", "resolver"),
            ("format_checker", "format_checker"),
            ("_registry", "registry"),
            ("_resolver", "_resolver"),
        ):
            if argument not in changes:
                changes[argument] = getattr(validator, attribute)
        return cls(**changes)

    return evolve
