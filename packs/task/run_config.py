"""Run configuration files: which models a run considers (task-pack format, section 20.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from packs.documents.files import NotUtf8, decode
from packs.documents.strict_json import shown
from packs.documents.yaml_tree import Document, YamlFault, parse_yaml
from packs.errors import AppError
from packs.registry import nearest
from packs.task.text import is_blank

BACKENDS_OF_THE_FORMAT = {"ollama": True, "rapid-mlx": True, "anthropic": False}
"""Has the backend models of this computer? By name, the one that is meant when none is named first."""
KEYS = {
    "backend": "what runs the models; `ollama` when left out; `--backend` wins over it",
    "candidates": "list of the models' names, in the order of the run",
    "use_local_models": "true: also the models that the backend lists; left out: true, but not for a "
    "service elsewhere",
}
"""With what each means, for the help."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """candidates: names in order, repeats kept. use_local_models: also those the backend lists."""

    backend: str
    candidates: tuple[str, ...]
    use_local_models: bool


class BadRunConfig(AppError):
    """code: 'yaml', 'not_mapping', 'backend', 'candidates', 'use_local_models', 'api_local_models',
    'api_needs_candidates', 'unknown_key'. line, column: from 1, or None."""

    def __init__(
        self, code: str, message: str, fix: str, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message, fix, code=code)
        self.line = line
        self.column = column


def parse_run_config(
    content: bytes,
    name: str = "the run configuration",
    backends: Mapping[str, bool] = BACKENDS_OF_THE_FORMAT,
) -> RunConfig:
    """Raises BadRunConfig for the first fault, in the order of the format. `name` is used in messages.

    backends: those accepted beyond the format, in the form of `BACKENDS_OF_THE_FORMAT`.
    """
    try:
        document = parse_yaml(decode(content))
    except NotUtf8 as error:
        raise BadRunConfig(
            "yaml", f"{name} is not UTF-8; it looks like {error.likely}.", "Save it as UTF-8."
        ) from None
    except YamlFault as fault:
        where = name if fault.line is None else f"{name}, line {fault.line}"
        raise BadRunConfig("yaml", f"{where}: {fault.reason}", fault.fix, fault.line, fault.column) from None
    value = document.value
    if not isinstance(value, dict):
        raise BadRunConfig(
            "not_mapping",
            f"{name} does not consist of fields with values.",
            "Begin with 'candidates: [a-model]'.",
        )
    return _Reader(document, value, name, {**BACKENDS_OF_THE_FORMAT, **backends}).read()


class _Reader:
    def __init__(
        self, document: Document, value: dict[str, Any], name: str, backends: Mapping[str, bool]
    ) -> None:
        self.document = document
        self.value = value
        self.name = name
        self.backends = backends

    def fault(self, code: str, key: str, message: str, fix: str) -> BadRunConfig:
        line, column = self.document.place((key,))
        where = self.name if line is None else f"{self.name}, line {line}"
        return BadRunConfig(code, f"{where}: {message}", fix, line, column)

    def read(self) -> RunConfig:
        backend = self._backend()
        candidates = self._candidates()
        local = self.value.get("use_local_models")
        if local is not None and not isinstance(local, bool):
            raise self.fault(
                "use_local_models",
                "use_local_models",
                f"use_local_models must be true or false; it is {shown(local)}.",
                "Write true or false without quotes.",
            )
        if not self.backends[backend]:
            if local:
                raise self.fault(
                    "api_local_models",
                    "use_local_models",
                    f"use_local_models cannot be true with {backend}, which has no local models.",
                    "Remove the line.",
                )
            if not candidates:
                raise self.fault(
                    "api_needs_candidates",
                    "candidates",
                    f"candidates is needed with {backend}.",
                    "Name the models to run.",
                )
        for key in self.value:
            if key not in KEYS:
                near = nearest(key, KEYS)
                meant = f" Did you mean '{near}'?" if near else ""
                raise self.fault(
                    "unknown_key", key, f"'{key}' is not known.{meant}", f"Use one of: {', '.join(KEYS)}."
                )
        return RunConfig(backend, candidates, local if local is not None else self.backends[backend])

    def _backend(self) -> str:
        backend = self.value.get("backend")
        if backend is None:
            return next(iter(BACKENDS_OF_THE_FORMAT))
        if isinstance(backend, str) and backend in self.backends:
            return backend
        raise self.fault(
            "backend",
            "backend",
            f"there is no backend {shown(backend)}.",
            f"Use one of: {', '.join(self.backends)}.",
        )

    def _candidates(self) -> tuple[str, ...]:
        candidates = self.value.get("candidates")
        if candidates is None:
            return ()
        if not isinstance(candidates, list) or any(
            not isinstance(name, str) or is_blank(name) for name in candidates
        ):
            raise self.fault(
                "candidates",
                "candidates",
                "candidates must be a list of names of models.",
                "Write each as '- name', in quotes if it looks like a number.",
            )
        return tuple(candidates)
