"""Well-known models that may not be on this computer: would this one fit, if I had it?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from desktop.foundation.resource_files import resource
from desktop.inference.model_files.facts import ModelFacts, facts_from_tensors
from desktop.inference.model_files.gguf import Value
from desktop.inference.model_files.usual_weights import usual_tensors

FILE_NAME = "catalogue.yaml"


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """One model in one quantization. source: where its header quantities were read; read: the date.

    licence None: not established; the model's page says it. facts.file_bytes is computed from the shape.
    """

    name: str
    family: str
    quantization: str
    licence: str | None
    link: str
    source: str
    read: str
    facts: ModelFacts


def load_catalogue() -> tuple[CatalogueModel, ...]:
    """The list that comes with the program, some 100 ms. Raises only for a fault of ours in that file."""
    text = resource(FILE_NAME).read_text(encoding="utf-8")
    # Read when it is asked for, which the window's first picture does not.
    import yaml

    data = yaml.safe_load(text)
    return tuple(entry for model in data["models"] for entry in _entries(model, str(data["read"])))


def _entries(model: dict[str, Any], read: str) -> list[CatalogueModel]:
    architecture = str(model["architecture"])
    header: dict[str, Value] = {"general.architecture": architecture}
    for key, value in model["header"].items():
        header[f"{architecture}.{key}"] = tuple(value) if isinstance(value, list) else value
    vocabulary, merges, tied = int(model["vocabulary"]), int(model["merges"]), bool(model["tied"])
    found = []
    for quantization in model["quantizations"]:
        tensors = usual_tensors(header, vocabulary, tied, quantization)
        facts = facts_from_tensors(header, tensors, vocabulary, merges)
        # The header holds the vocabulary besides: some 20 bytes a token and 13 a merge, as in measured files.
        size = facts.tensor_bytes + 20 * vocabulary + 26 * merges
        found.append(
            CatalogueModel(
                name=str(model["name"]),
                family=str(model["family"]),
                quantization=quantization,
                licence=model.get("licence"),
                link=str(model["link"]),
                source=str(model["source"]),
                read=read,
                facts=replace(facts, file_bytes=size),
            )
        )
    return found
