"""Asks the engine what it would set aside for a model, without reading a weight.

With its own fitting switched on and its log at the most talkative, the engine plans all buffers before it reads
the file's data, so a header with a hole behind it is enough. The child is stopped as soon as the plan is out.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_CHILD = """
import json, sys
import xllamacpp as x
asked = json.loads(sys.argv[1])
p = x.CommonParams()
p.model.path = asked["model"]
p.n_ctx = asked["n_ctx"]
p.n_parallel = asked["n_parallel"]
p.n_batch = p.n_ubatch = asked["n_ubatch"]
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
kind = getattr(x.ggml_type, "GGML_TYPE_" + asked["cache"].upper())
p.cache_type_k = p.cache_type_v = kind
if not asked["flash"]:
    p.flash_attn_type = x.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
p.fit_params = True
p.warmup = False
p.verbosity = 10
x.Server(p)
"""
_CACHE = re.compile(r"llama_kv_cache: size =\s+([\d.]+) MiB \(")
_STATE = re.compile(r"llama_memory_recurrent: size =\s+([\d.]+) MiB \(")
_SCRATCH = re.compile(r"sched_reserve:\s+\S+ compute buffer size =\s+([\d.]+) MiB")
_DONE = ("projected to use", "fitting params to free memory took", "failed to fit")


@dataclass(frozen=True)
class EnginePlan:
    """MiB, as the engine prints them with two decimals."""

    cache: float
    recurrent: float
    scratch: float


def engine_plan(model: Path, settings: Mapping[str, object]) -> EnginePlan:
    """settings: n_ctx, n_parallel, n_ubatch, cache, flash. Fails the test with the engine's last words."""
    asked = json.dumps({"model": str(model), **settings})
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, asked],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    cache = recurrent = 0.0
    scratch: float | None = None
    last: list[str] = []
    assert child.stderr is not None
    try:
        for line in child.stderr:
            last = [*last[-20:], line]
            if match := _CACHE.search(line):
                cache += float(match[1])
            elif match := _STATE.search(line):
                recurrent += float(match[1])
            elif match := _SCRATCH.search(line):
                scratch = float(match[1])
            if any(message in line for message in _DONE):
                break
    finally:
        child.kill()
        child.wait()
        child.stderr.close()
    assert scratch is not None, "the engine printed no plan; its last words:\n" + "".join(last)
    return EnginePlan(cache, recurrent, scratch)
