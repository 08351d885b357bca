"""What a command prints with `--json`: name, version and fields, described beside the command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FORMAT_KEY = "json_format"
"""Stands first in each document that has a name; no document uses it for anything else."""


@dataclass(frozen=True, slots=True)
class JsonField:
    """One row of a description. Where one field of an object is described, all are.

    path: dotted; `[]` for each entry of a list, `{}` for each value of a map, `?` at the end when it is not
    always there. kind: JSON's names of types, with ' or ' between them.
    """

    path: str
    kind: str
    meaning: str


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """format: name/version; None where a public format fixes the document. when: if not always."""

    format: str | None
    fields: tuple[JsonField, ...]
    when: str = ""

    def stamped(self, content: Mapping[str, object]) -> dict[str, Any]:
        """The document as it is printed."""
        return dict(content) if self.format is None else {FORMAT_KEY: self.format, **content}


def fields(*rows: tuple[str, str, str]) -> tuple[JsonField, ...]:
    return tuple(JsonField(*row) for row in rows)


def problem_fields(path: str) -> tuple[JsonField, ...]:
    """Of a list of what is wrong with a pack; see `Problem.as_json`."""
    return fields(
        (path, "array", "what is wrong with the pack, or doubtful"),
        (f"{path}[].file", "string", "the file in the pack; empty for the pack itself"),
        (f"{path}[].field", "string or null", "the field in that file, dotted"),
        (f"{path}[].path", "array", "the same field as a list of names and positions"),
        (f"{path}[].line", "integer or null", "counted from 1"),
        (f"{path}[].column", "integer or null", "counted from 1"),
        (f"{path}[].code", "string", "the kind of the problem; stays the same over versions"),
        (f"{path}[].severity", "string", "error or warning"),
        (f"{path}[].message", "string", "what is wrong"),
        (f"{path}[].fix", "string", "what to do about it"),
    )


def memory_fields(path: str) -> tuple[JsonField, ...]:
    """Of main memory; see `memory_json`."""
    return fields(
        (path, "object", "main memory"),
        (f"{path}.total_mib", "number or null", "in all"),
        (f"{path}.available_mib", "number or null", "free for a model now"),
        (f"{path}.limit_mib", "number or null", "a limit below the total"),
        (f"{path}.limited_by", "string or null", "who set the limit"),
        (f"{path}.source", "string", "where the figures come from"),
        (f"{path}.problem", "string", "why something is unknown; empty if nothing is"),
    )


def fit_fields(path: str) -> tuple[JsonField, ...]:
    """See `fit_figures`."""
    return fields(
        (f"{path}largest_context_tokens", "integer or null", "the longest context that fits"),
        (f"{path}trained_context_tokens", "integer or null", "the context that the model was made for"),
        (f"{path}expected_tokens_per_second", "array or null", "lowest and highest speed expected"),
        (f"{path}measured", "object or null", "of the last run here"),
        (f"{path}measured.peak_mib", "number or null", "highest use of memory"),
        (f"{path}measured.tokens_per_second", "number or null", "speed of writing"),
        (f"{path}measured.engine", "string or null", "the engine that ran it"),
        (f"{path}measured.at", "string or null", "when"),
    )


def verification_fields(path: str) -> tuple[JsonField, ...]:
    """Of a qualification bundle; see `Verification.as_json`."""
    return fields(
        (f"{path}ok", "boolean", "intact, untouched and scored the same"),
        (f"{path}ok_by_format", "boolean", "the same as far as the format asks for it"),
        (f"{path}missing", "array", "files that are listed and not there"),
        (f"{path}absent_from_manifest", "array", "files that the list of digests leaves out"),
        (f"{path}modified", "array", "files with another content"),
        (f"{path}unexpected", "array", "files that nobody listed"),
        (f"{path}errors", "array", "what else is wrong, by the format"),
        (f"{path}further", "array", "what this program found beyond the format"),
        (f"{path}signature", "object", "of the bundle"),
        (f"{path}signature.status", "string", "whether it is signed and the signature holds"),
        (f"{path}signature.public_key", "string or null", "the key that signed it"),
        (f"{path}rescore", "object or null", "null when it was not scored again"),
        (f"{path}rescore.same", "boolean", "do the figures come out again?"),
        (f"{path}rescore.depth", "string", "how far it could be scored again"),
        (f"{path}rescore.left_out", "integer", "answers that could not be"),
        (f"{path}rescore.note", "string", "the same as a sentence"),
        (f"{path}rescore.differences", "array", "each place that differs"),
        (f"{path}rescore_hindered_by", "string or null", "why it cannot be scored again"),
    )


def report_fields(*more: JsonField) -> tuple[JsonField, ...]:
    """Of a task run: what a report in JSON holds. See `desktop.reports.json`."""
    return (
        *fields(
            ("format", "string", "packbench-report/1, the same name"),
            ("program", "string", "name and version"),
            ("created_at", "string", "UTC"),
            ("answer", "object", "which model to use"),
            ("answer.headline", "string", "the answer"),
            ("answer.reason", "string", "why"),
            ("answer.limits", "array", "what limits it, one sentence each"),
            ("answer.recommended", "string or null", "the model; null when none can be named"),
            ("answer.runners_up", "array", "models that are nearly as good"),
            ("answer.runners_up[].model", "string", "its name"),
            ("answer.runners_up[].why", "string", "why it is second"),
            ("answer.arithmetic", "array", "the sums behind it"),
            ("run", "object", "pack, machine, backend and settings"),
            ("candidates", "array", "the models, with quality, speed and memory"),
            ("examples", "array", "with `id`, `input` and `expected`"),
            ("units", "array", "each answer, with cause, score and times"),
        ),
        *more,
    )
