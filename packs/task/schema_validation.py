"""JSON Schema in the dialects of the format: nothing is fetched, patterns are ECMAScript, work is bounded.

Wraps the `jsonschema` library: its keywords that search with Python's own regular expressions are replaced, and
every step is counted, so that a schema that doubles itself at each level ends (see `schema_work`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema
import referencing
import referencing.exceptions
from jsonschema import validators
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema_specifications import REGISTRY as SPECIFICATIONS  # type: ignore[import-untyped]
from referencing.jsonschema import DRAFT7, DRAFT201909, DRAFT202012

from packs.documents.problems import FieldPath
from packs.registry import nearest
from packs.task.ecma_regex import BadPattern, EcmaPattern, SlowPattern
from packs.task.schema_work import (
    MAX_STEPS,
    SchemaWork,
    TooMuchWork,
    bounded_keywords,
    counted,
    keep_class,
    plain_numbers,
)

PROBE_STEPS = 20_000
"""On a value of a few characters. A real schema takes some hundred."""
PROBED_NAMES = 100
EXPLAINED_SIZE = 8_000
"""Characters of a wrong schema up to which the library may look for the best words."""
MAX_TOTAL_SIZE = 300_000
"""Of all patterns, counted as `EcmaPattern.size`."""
MAX_PATTERNS = 1000
MAX_VIOLATIONS = 50
"""Kept in the record of one answer."""

_DIALECTS: Mapping[str, tuple[type[Any], referencing.Specification[Any]]] = {
    "http://json-schema.org/draft-07/schema": (jsonschema.Draft7Validator, DRAFT7),
    "https://json-schema.org/draft/2019-09/schema": (jsonschema.Draft201909Validator, DRAFT201909),
    "https://json-schema.org/draft/2020-12/schema": (jsonschema.Draft202012Validator, DRAFT202012),
}
_DEFAULT = "http://json-schema.org/draft-07/schema"
_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


class BadSchema(ValueError):
    """The schema itself cannot be used. path: place inside the schema."""

    def __init__(self, message: str, fix: str, path: FieldPath = ()) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.path = path


class CompiledSchema:
    """A schema that was checked whole before its first use. Raises BadSchema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        schema = plain_numbers(dict(schema))
        base, specification = _dialect(schema)
        self._patterns: dict[str, EcmaPattern] = {}
        self._foreign: dict[str, EcmaPattern] = {}
        self._size = 0
        self._state = threading.local()
        self._names: set[str] = set()
        classes = {name: self._extended(base) for name, (base, _) in _DIALECTS.items()}
        evolve = keep_class(classes, lambda: self._work)
        for made in classes.values():
            made.evolve = evolve
        own = classes[_dialect_name(schema)]
        self._check_schema(base, own, schema)
        resource = specification.create_resource(schema)
        registry: referencing.Registry[Any] = SPECIFICATIONS  # the published dialects, held in the library
        try:
            registry = registry.with_resource(resource.id() or "", resource).with_resource("", resource)
            self._check_parts(resource, registry.crawl())
        except (referencing.exceptions.Unresolvable, ValueError, AttributeError, TypeError) as error:
            if isinstance(error, BadSchema):
                raise
            # An address that cannot be taken apart, such as "http://[bad".
            raise BadSchema(
                f"An address in the schema ($id or $ref) cannot be read: {str(error)[:200]}.",
                "Write it as a whole address, or leave $id out.",
            ) from None
        except RecursionError:
            raise _too_deep() from None
        self._validator = own(schema, registry=registry)

    @property
    def patterns(self) -> tuple[str, ...]:
        return tuple(self._patterns)

    def violations(self, value: object, steps: int = MAX_STEPS) -> list[dict[str, str]]:
        """Every way in which `value` does not fit: `at` (JSON pointer), `rule` (keyword), for
        `required` also `name`.

        Empty when it fits. Raises SlowPattern, and TooMuchWork when it needs more than `steps`.
        """
        self._state.work = SchemaWork(steps)
        found: list[dict[str, str]] = []
        try:
            for error in self._validator.iter_errors(value):
                found.append(_violation(error, found))
                if len(found) >= MAX_VIOLATIONS:
                    break
        except RecursionError:
            raise TooMuchWork from None
        return found

    def is_costly(self) -> bool:
        """Does it need a great deal of work on values of a few characters? A 'no' is no proof."""
        scalars: tuple[Any, ...] = ({}, [], [{}], "a", 0, None)
        named = [dict.fromkeys(sorted(self._names)[:PROBED_NAMES], value) for value in scalars]
        for value in (*scalars, {"a": 1}, ["a", 1], *named):
            try:
                self.violations(value, PROBE_STEPS)
            except TooMuchWork:
                return True
            except SlowPattern:
                continue
        return False

    @property
    def _work(self) -> SchemaWork:
        work: SchemaWork = self._state.work
        return work

    def _check_schema(self, base: type[Any], own: type[Any], schema: Mapping[str, Any]) -> None:
        self._state.work = SchemaWork()
        try:
            checker = own(base.META_SCHEMA, registry=SPECIFICATIONS)
            fault = next(checker.iter_errors(schema), None)
            if fault is None:
                return
            if self._work.size(schema) <= EXPLAINED_SIZE:
                # Without its format check, which would read patterns as Python's own expressions.
                base.check_schema(schema, format_checker=None)
        except TooMuchWork:
            raise BadSchema("The schema is too large to be checked.", "Make it smaller.") from None
        except SchemaError as error:
            raise _from_schema_error(error) from None
        except RecursionError:
            raise _too_deep() from None
        raise _from_schema_error(fault)

    def _check_parts(self, root: referencing.Resource[Any], registry: referencing.Registry[Any]) -> None:
        keys: set[str] = set()
        pending = [(root, registry.resolver_with_root(root))]
        while pending:
            part, resolver = pending.pop()
            schema = part.contents
            if isinstance(schema, Mapping):
                keys.update(schema)
                self._check_patterns(schema)
                if isinstance(schema.get("properties"), Mapping):
                    self._names.update(str(name) for name in schema["properties"])
                for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
                    if isinstance(schema.get(keyword), str):
                        _check_reference(resolver, schema[keyword])
            pending.extend((child, resolver.in_subresource(child)) for child in part.subresources())
        if {"unevaluatedProperties", "patternProperties"} <= keys:
            raise BadSchema(
                "The schema uses patternProperties with unevaluatedProperties, which is not supported.",
                "Use additionalProperties instead.",
            )

    def _check_patterns(self, schema: Mapping[str, Any]) -> None:
        sources = [schema["pattern"]] if isinstance(schema.get("pattern"), str) else []
        if isinstance(schema.get("patternProperties"), Mapping):
            sources += list(schema["patternProperties"])
        for source in sources:
            try:
                if source not in self._patterns:
                    self._patterns[source] = EcmaPattern(source)
                    self._size += self._patterns[source].size
                if self._size > MAX_TOTAL_SIZE or len(self._patterns) > MAX_PATTERNS:
                    raise BadPattern("All patterns together are too large.", 0)
            except BadPattern as error:
                raise BadSchema(
                    f"The pattern '{source}' in the schema cannot be used: at character {error.offset + 1}: "
                    f"{error.reason}",
                    "Correct the expression.",
                ) from None

    def _found(self, source: str, text: str) -> bool:
        pattern = self._patterns.get(source)
        if pattern is None:  # of a published dialect that the schema refers to
            pattern = self._foreign.setdefault(source, EcmaPattern(source))
        return self._work.search(pattern.found_in, text, source)

    def _extended(self, base: type[Any]) -> Any:
        """The library's class for a dialect with keywords of our own."""

        def pattern(validator: Any, source: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
            if isinstance(instance, str) and not self._found(source, instance):
                yield ValidationError("does not match the pattern")

        def pattern_properties(
            validator: Any, table: Any, instance: Any, schema: Any
        ) -> Iterator[ValidationError]:
            if not isinstance(instance, dict):
                return
            for source, subschema in table.items():
                for key, value in instance.items():
                    if self._found(source, key):
                        yield from validator.descend(value, subschema, path=key, schema_path=source)

        def additional(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
            if not isinstance(instance, dict):
                return
            known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
            for key, value in instance.items():
                if key in known or any(self._found(source, key) for source in patterns):
                    continue
                if isinstance(allowed, dict):
                    yield from validator.descend(value, allowed, path=key)
                elif allowed is False:
                    yield ValidationError(f"the field '{key}' is not allowed")

        own = {
            "pattern": pattern,
            "patternProperties": pattern_properties,
            "additionalProperties": additional,
        }
        keywords = bounded_keywords(base, lambda: self._work)
        keywords.update((name, counted(keyword, lambda: self._work)) for name, keyword in own.items())
        return validators.extend(base, keywords)  # type: ignore[no-untyped-call]


def _dialect_name(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$schema", _DEFAULT)).rstrip("#")


def _dialect(schema: Mapping[str, Any]) -> tuple[type[Any], referencing.Specification[Any]]:
    named = schema.get("$schema", _DEFAULT)
    known = _DIALECTS.get(_dialect_name(schema)) if isinstance(named, str) else None
    if known is None:
        raise BadSchema(
            f"The schema says it is written in '{named}', which is not supported.",
            "Use draft-07, 2019-09 or 2020-12 in $schema, or leave $schema out.",
            ("$schema",),
        )
    return known


def _too_deep() -> BadSchema:
    return BadSchema("The schema is nested too deep.", "Make it flatter.")


def _from_schema_error(error: ValidationError | SchemaError) -> BadSchema:
    path: FieldPath = tuple(error.absolute_path)
    if (path and path[-1] == "type") or (len(path) > 1 and path[-2] == "type"):
        near = nearest(str(error.instance), _TYPES)
        meant = f" Did you mean '{near}'?" if near else ""
        return BadSchema(
            f"The schema names a type '{error.instance}' that does not exist.{meant}",
            f"Use one of: {', '.join(_TYPES)}.",
            path,
        )
    where = "/".join(str(part) for part in path) or "the top"
    return BadSchema(
        f"The schema is not a valid JSON Schema: at {where}: {error.message[:200]}.", "Correct this part.", path
    )


def _check_reference(resolver: Any, target: str) -> None:
    try:
        resolver.lookup(target)
    except (referencing.exceptions.Unresolvable, ValueError, KeyError):
        local = target.startswith("#")
        raise BadSchema(
            f"The schema refers to '{target}', which is not there."
            if local
            else f"The schema refers to '{target}' outside of itself; nothing is fetched.",
            "Define it under definitions or $defs." if local else "Copy what it refers to into this schema.",
        ) from None


def _violation(error: ValidationError, earlier: list[dict[str, str]]) -> dict[str, str]:
    pointer = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in error.absolute_path)
    record = {"at": pointer, "rule": str(error.validator)}
    if error.validator == "required" and isinstance(error.instance, dict):
        named = {entry.get("name") for entry in earlier if entry["at"] == pointer}
        required: Any = error.validator_value
        missing = [name for name in required if name not in error.instance and name not in named]
        if missing:
            record["name"] = missing[0]
    return record


__all__ = ["BadSchema", "CompiledSchema", "SlowPattern", "TooMuchWork"]
