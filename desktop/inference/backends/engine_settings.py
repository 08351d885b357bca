"""What the engine child is told: every setting by name, none left to the engine's default.

Standard library only: the child reads this before it loads anything else.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

KV_CACHE_TYPES = ("f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """One line of JSON on the child's standard input. `api_key` is never shown or recorded.

    Batches of 128 tokens: while a prompt is read the engine stops only between batches (1.1 s instead of
    12.5 s on the starter model at the same speed). One slot: several only read the shared prefix again.
    `prompt_store_mib` 0: no second prompt cache that would make an answer depend on those before it.
    `context_checkpoints` 0: none of the snapshots from which sliding-window models would be continued; they
    too would make an answer depend on earlier ones.
    """

    model_path: str
    api_key: str
    context_tokens: int
    threads: int
    batch_tokens: int = 128
    slots: int = 1
    kv_cache_type: str = "f16"
    load_mode: str = "mapped"
    """'mapped' or 'read': see `hardware.load_mode`."""
    check_tensors: bool = False
    thinking: bool = False
    slot_folder: str = ""
    """Where the state after the shared prefix is kept, ending in a separator; empty: nowhere. The child removes
    it when the program is gone."""
    prompt_store_mib: int = 0
    context_checkpoints: int = 0
    full_sliding_window: bool = False
    fit_by_engine: bool = False
    verbosity: int = 1
    """Errors only. The reason of a failed load appears nowhere else."""
    niceness: int = 10
    http_threads: int = 2
    wait_policy: str = "passive"
    """`OMP_WAIT_POLICY`: waiting threads sleep. On a busy machine 433 to 609 ms an example instead of 689 to
    3,378 (platform notes, section 4)."""

    def to_line(self) -> bytes:
        return json.dumps(asdict(self), ensure_ascii=True).encode() + b"\n"

    @staticmethod
    def from_line(line: bytes) -> EngineSettings:
        """Raises ValueError or TypeError when the line is not one of ours."""
        return EngineSettings(**json.loads(line))

    def recorded(self) -> dict[str, object]:
        """For the journal: all but the key and the folders of this computer."""
        hidden = {"api_key", "model_path", "slot_folder"}
        return {name: value for name, value in asdict(self).items() if name not in hidden}
