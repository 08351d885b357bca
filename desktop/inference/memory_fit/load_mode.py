"""Shall the engine map a model's file or read it? One rule for the prediction and for the engine itself.

Weights of some types get a second copy, rearranged for the processor. Mapped, both copies count until the
system drops the first; read, there is only one (memory-fit specification, section 2: 1302 against 783 MiB for a
model of 1B).
"""

from __future__ import annotations

from desktop.inference.machine.probe_processor import read_processor
from desktop.inference.memory_fit.fit import FitModel, LoadMode
from desktop.inference.memory_fit.verdict import better_load_mode
from desktop.inference.model_files.facts import FactsError, facts_from_gguf
from desktop.inference.model_files.gguf import GgufFile


def load_mode_of(file: GgufFile, repack_types: frozenset[str] | None = None) -> LoadMode:
    """'mapped' for a file whose facts cannot be told. `repack_types` None: of this machine's processor."""
    try:
        model = FitModel.of(facts_from_gguf(file))
    except FactsError:
        return "mapped"
    types = read_processor().repack_types if repack_types is None else repack_types
    return better_load_mode(model, types)
