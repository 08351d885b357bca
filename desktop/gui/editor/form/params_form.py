"""The form of a scorer's parameters, made from its own parameter model: a new scorer needs no widget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.form.fields import BoundField, ChoiceField, NumberField, TextField
from desktop.gui.editor.form.list_field import ListField
from desktop.gui.editor.form.map_field import MapField
from desktop.gui.editor.form.schema_field import SchemaField
from desktop.gui.editor.form.tolerance_field import ToleranceField
from desktop.gui.editor.form.two_level_field import TwoLevelField
from desktop.gui.theme import Theme
from packs.documents.problems import FieldPath
from packs.task.model import MANIFEST
from packs.task.scorers import SCORERS


def params_fields(theme: Theme, document: PackDocument, scorer: str, path: FieldPath) -> list[BoundField]:
    """One field for each parameter of `scorer`, in its own order; none for an unknown scorer.

    A mapping whose values are entries of a list of the same scorer (`stands_for` in its model) shares the
    field of that list: entries, and below each what stands for it. path: of the `scorer_params` mapping.
    """
    if scorer not in SCORERS:
        return []
    described: dict[str, Any] = SCORERS[scorer].Params.model_json_schema(by_alias=True).get("properties", {})
    below = {
        str(message["stands_for"]): name
        for name, message in described.items()
        if described.get(str(message.get("stands_for")), {}).get("type") == "array"
    }
    fields: list[BoundField] = []
    for name, message in described.items():
        if name in below:
            fields.append(_two_levels(theme, document, (*path, name), below[name], message, described))
        elif name not in below.values():
            fields.append(_field(theme, document, (*path, name), name, message))
    return fields


def _two_levels(
    theme: Theme,
    document: PackDocument,
    path: FieldPath,
    others: str,
    described: Mapping[str, Any],
    all_described: Mapping[str, Any],
) -> BoundField:
    name = str(path[-1])
    entry = str(described.get("entry", "entry"))
    other = str(all_described[others].get("entry", "spelling"))
    note = f"{described.get('description', '')} The {other}s below a {entry} count as it.".strip()
    label = str(described.get("title", name))
    return TwoLevelField(theme, document, MANIFEST, path, others, label, entry=entry, other=other, note=note)


def _field(
    theme: Theme, document: PackDocument, path: FieldPath, name: str, described: Mapping[str, Any]
) -> BoundField:
    label = str(described.get("title", name))
    note = str(described.get("description", ""))
    match described.get("type"):
        case "array":
            entry = str(described.get("entry", "entry"))
            return ListField(theme, document, MANIFEST, path, label, entry=entry, note=note)
        case "object" if "is_schema" in described:
            return SchemaField(theme, document, path, label, note=note)
        case "object":
            headers = ("Also accepted", "Counts as")
            return MapField(theme, document, MANIFEST, path, label, headers, note=note)
        case "number" if "says_what_passes" in described:
            return ToleranceField(theme, document, path, label, note=note)
        case "number" | "integer":
            return NumberField(theme, document, MANIFEST, path, label, note=note, width=16)
        case "string" if "enum" in described:
            texts = described.get("choices", {})
            choices = [(value, texts.get(value, value)) for value in described["enum"]]
            default = described.get("default")
            return ChoiceField(theme, document, MANIFEST, path, label, choices, default=default, note=note)
    return TextField(theme, document, MANIFEST, path, label, note=note)
