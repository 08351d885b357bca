"""What was qualified: the fingerprint document, its schema and its gaps. Format, section 15."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from packs.canonical import JsonValue, structured_hash, text_hash
from packs.documents.problems import FieldPath
from packs.qualification.schema import (
    Anything,
    Fault,
    Group,
    Listing,
    NumberSpec,
    Spec,
    Text,
)

FINGERPRINT_VERSION = "0.1.0"
STATES = ("known", "externally_supplied", "unavailable", "not_applicable")
PRESENT = ("known", "externally_supplied")

Envelope = dict[str, Any]
"""A value together with how it is known: section 15.1."""


def known(value: JsonValue, source: str) -> Envelope:
    return {"state": "known", "value": value, "source": source}


def supplied(value: JsonValue, source: str, at: str, by: str = "operator") -> Envelope:
    return {
        "state": "externally_supplied",
        "value": value,
        "source": source,
        "supplied_by": by,
        "supplied_at": at,
    }


def unavailable(reason: str) -> Envelope:
    return {"state": "unavailable", "reason": reason}


def not_applicable(reason: str) -> Envelope:
    return {"state": "not_applicable", "reason": reason}


@dataclass(frozen=True, slots=True)
class EnvelopeSpec(Spec):
    def faults(self, value: JsonValue, path: FieldPath) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield Fault(path, path, "type", "This must say its state.", "Write state and value.")
            return
        state = value.get("state")
        if state not in STATES:
            at = path if state is None else (*path, "state")
            known_states = f"One of: {', '.join(STATES)}."
            yield Fault(at, (*path, "state"), "enum", "The state is not known.", known_states)
            return
        for name in sorted(self._missing(state, value)):
            yield Fault(path, (*path, name), "required", f"'{name}' is missing.", f"Add {name}.")
        if state in PRESENT and "value" not in value and "file_hashes" not in value:
            yield Fault(path, path, "anyOf", "There is neither a value nor file hashes.", "Add one.")
        if state not in PRESENT and "value" in value:
            yield Fault(
                path, (*path, "value"), "not", f"A value that is {state} cannot be there.", "Remove it."
            )
        if "value" in value and value["value"] is None:
            yield Fault(
                (*path, "value"), (*path, "value"), "type", "The value is null.", "Say why it is not known."
            )
        for name in ("reason", "source", "supplied_by", "supplied_at"):
            if name in value:
                yield from Text(min_length=1).faults(value[name], (*path, name))
        if "file_hashes" in value:
            yield from Group(others=_HASH).faults(value["file_hashes"], (*path, "file_hashes"))
        for name in value:
            if name not in (
                "state",
                "value",
                "reason",
                "source",
                "supplied_by",
                "supplied_at",
                "file_hashes",
            ):
                yield Fault(
                    path, (*path, name), "additionalProperties", f"'{name}' is not known.", "Remove it."
                )

    @staticmethod
    def _missing(state: JsonValue, value: Mapping[str, JsonValue]) -> set[str]:
        needed = {
            "known": {"source"},
            "externally_supplied": {"supplied_by", "supplied_at"},
        }.get(str(state), {"reason"})
        return needed - set(value)


_FULL = Text(min_length=1)
_HASH = Text(pattern=r"^sha256:[0-9a-f]{64}$", pattern_text="sha256: and 64 hex digits.")
_ENVELOPE = EnvelopeSpec()

_SERVING = (
    "engine",
    "engine_version",
    "tensor_parallel_size",
    "max_num_seqs",
    "enable_chunked_prefill",
    "kv_cache_dtype",
)
"""Serving-config keys that have an envelope of their own."""

SCHEMA: Spec = Group(
    required={
        "fingerprint_version": _FULL,
        "captured_at": _FULL,
        "model": Group(
            required=dict.fromkeys(
                ("identifier", "revision", "weights", "quantization", "quantization_config_sha256"), _ENVELOPE
            ),
            optional={"runtime_digest": _ENVELOPE},
        ),
        "serving": Group(
            required=dict.fromkeys((*_SERVING, "config_sha256"), _ENVELOPE),
            optional={"declared_sampling": Group(others=Anything())},
        ),
        "prompting": Group(required=dict.fromkeys(("system_prompt_sha256", "chat_template_sha256"), _ENVELOPE)),
        "retrieval": _ENVELOPE,
        "sampling": Group(
            required={
                "temperature": NumberSpec(minimum=0),
                "top_p": NumberSpec(minimum=0, maximum=1),
                "seed": NumberSpec(whole=True),
                "max_tokens": NumberSpec(minimum=1, whole=True),
            },
            optional={"request_extras": Group(others=Anything())},
        ),
        "pack": Group(
            required={
                "id": _FULL,
                "version": _FULL,
                "content_sha256": _HASH,
                "thresholds_sha256": _HASH,
                "evaluators_sha256": _HASH,
            }
        ),
        "runner": Group(required={"version": _FULL}),
        "evaluators": Listing(Group(required={"id": _FULL, "version": _FULL, "kind": _FULL}), min_items=1),
        "operator": _ENVELOPE,
        "environment": Group(required=dict.fromkeys(("gpu", "driver", "cuda", "python"), _ENVELOPE)),
        "execution": Group(
            required={
                "concurrency": NumberSpec(minimum=1, whole=True),
                "max_retries": NumberSpec(minimum=0, whole=True),
                "timeout_seconds": NumberSpec(above=0),
                "endpoint_host": Text(),
            }
        ),
    }
)


def schema_faults(fingerprint: JsonValue) -> list[Fault]:
    return list(SCHEMA.faults(fingerprint, ()))


def known_paths() -> frozenset[str]:
    """Every dotted path that a fingerprint can have, groups included."""
    found: set[str] = set()

    def walk(spec: Spec, path: str) -> None:
        if path:
            found.add(path)
        if isinstance(spec, Group):
            for name, inner in {**spec.required, **spec.optional}.items():
                walk(inner, f"{path}.{name}" if path else name)

    walk(SCHEMA, "")
    return frozenset(found)


def missing_mandatory(fingerprint: Mapping[str, JsonValue], paths: tuple[str, ...] | list[str]) -> list[str]:
    """The mandatory paths that this fingerprint does not fill: section 15.3."""
    return [path for path in paths if not _filled(_lookup(fingerprint, path))]


def _lookup(document: JsonValue, path: str) -> JsonValue:
    value = document
    for step in path.split("."):
        if not isinstance(value, dict) or step not in value:
            return None
        value = value[step]
    return value


def _filled(value: JsonValue) -> bool:
    if isinstance(value, dict) and "state" in value:
        return value["state"] in PRESENT
    return value is not None and value != ""


@dataclass(frozen=True, slots=True)
class FingerprintInputs:
    """Everything a fingerprint is made from. None where nothing was given."""

    captured_at: str
    """UTC, seconds, 'Z'."""
    identifier: Envelope
    pack: Mapping[str, str]
    """id, version, content_sha256, thresholds_sha256, evaluators_sha256."""
    evaluators: list[dict[str, str]]
    sampling: Mapping[str, JsonValue]
    """temperature, top_p, seed, max_tokens and request_extras."""
    runner_version: str
    operator: str
    execution: Mapping[str, JsonValue]
    serving_config: Mapping[str, JsonValue] | None = None
    system_prompt: str | None = None
    chat_template: str | None = None
    weights: Envelope | None = None
    runtime_digest: Envelope | None = None
    environment: Mapping[str, Envelope] = field(default_factory=dict)


def build(inputs: FingerprintInputs) -> dict[str, Any]:
    """The fingerprint document. What was not given is unavailable, with the reason."""
    config = inputs.serving_config
    at = inputs.captured_at
    sampling = {name: value for name, value in inputs.sampling.items() if name != "request_extras"}
    if inputs.sampling.get("request_extras"):
        sampling["request_extras"] = inputs.sampling["request_extras"]
    return {
        "fingerprint_version": FINGERPRINT_VERSION,
        "captured_at": at,
        "model": {
            "identifier": inputs.identifier,
            "weights": inputs.weights or no_weights("no model index was given"),
            "runtime_digest": inputs.runtime_digest or unavailable("the endpoint does not tell a digest"),
            **_from_config(config, at, ("revision", "quantization")),
            "quantization_config_sha256": _quantization_hash(config),
        },
        "serving": {
            **_from_config(config, at, _SERVING),
            "config_sha256": serving_hash(config),
            **_declared_sampling(config),
        },
        "prompting": {
            "system_prompt_sha256": text_envelope(inputs.system_prompt, "system prompt"),
            "chat_template_sha256": text_envelope(inputs.chat_template, "chat template"),
        },
        "retrieval": not_applicable("this runner sends no retrieved documents"),
        "sampling": sampling,
        "pack": dict(inputs.pack),
        "runner": {"version": inputs.runner_version},
        "evaluators": sorted(inputs.evaluators, key=lambda entry: entry["id"]),
        "operator": supplied(inputs.operator, "command line", at),
        "environment": {
            name: inputs.environment.get(name) or unavailable("not looked for")
            for name in ("gpu", "driver", "cuda", "python")
        },
        "execution": dict(inputs.execution),
    }


def no_weights(reason: str) -> Envelope:
    return {**unavailable(reason), "file_hashes": {}}


def text_envelope(text: str | None, what: str) -> Envelope:
    if text is None:
        return unavailable(f"no {what} was given")
    return known(text_hash(text), f"{what.replace(' ', '_')}_file")


def serving_hash(config: Mapping[str, JsonValue] | None) -> Envelope:
    if config is None:
        return unavailable("no serving config was given")
    return known(structured_hash(dict(config)), "serving_config")


def config_envelope(config: Mapping[str, JsonValue] | None, name: str, at: str) -> Envelope:
    """One key of the serving config as the operator's word."""
    if config is None:
        return unavailable("no serving config was given")
    if name not in config:
        return unavailable(f"the serving config does not say {name}")
    return supplied(config[name], "serving_config", at)


def _from_config(
    config: Mapping[str, JsonValue] | None, at: str, names: tuple[str, ...]
) -> dict[str, Envelope]:
    return {name: config_envelope(config, name, at) for name in names}


def _quantization_hash(config: Mapping[str, JsonValue] | None) -> Envelope:
    value = config.get("quantization_config") if config is not None else None
    if not isinstance(value, dict):
        return unavailable("no quantization config was given")
    return known(structured_hash(value), "serving_config")


def _declared_sampling(config: Mapping[str, JsonValue] | None) -> dict[str, JsonValue]:
    value = config.get("sampling") if config is not None else None
    return {"declared_sampling": value} if isinstance(value, dict) else {}
