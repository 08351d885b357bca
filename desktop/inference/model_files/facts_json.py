"""Facts of a model as plain JSON and back: for the cache of headers and for the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields
from typing import Any

from desktop.inference.model_files.facts import ModelFacts

_PER_LAYER = ("feed_forward", "heads", "kv_heads")
_BY_TYPE = ("repackable_bytes", "block_bytes")


def facts_to_json(facts: ModelFacts) -> dict[str, Any]:
    """Lists of one and the same number become that number."""
    data = asdict(facts)
    for name in _PER_LAYER:
        values = data[name]
        data[name] = values[0] if len(set(values)) == 1 else list(values)
    if isinstance(data["window_pattern"], tuple):
        data["window_pattern"] = list(data["window_pattern"])
    return {name: value for name, value in data.items() if value is not None}


def facts_from_json(data: Mapping[str, Any]) -> ModelFacts:
    """Raises KeyError, TypeError or ValueError for anything that `facts_to_json` did not write."""
    layers = int(data["layers"])
    values: dict[str, Any] = {}
    for entry in fields(ModelFacts):
        if entry.name not in data:
            if entry.default is MISSING and entry.name != "trained_context":
                raise KeyError(entry.name)
            continue
        values[entry.name] = data[entry.name]
    values.setdefault("trained_context", None)
    for name in _PER_LAYER:
        value = values[name]
        values[name] = tuple(int(item) for item in value) if isinstance(value, list) else (int(value),) * layers
        if len(values[name]) != layers:
            raise ValueError(f"{name} has {len(values[name])} numbers for {layers} layers")
    for name in _BY_TYPE:
        values[name] = {str(key): float(size) for key, size in values[name].items()}
    if isinstance(values.get("window_pattern"), list):
        values["window_pattern"] = tuple(bool(item) for item in values["window_pattern"])
    return ModelFacts(**values)
