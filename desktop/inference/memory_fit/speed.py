"""How fast a model will write, before it has run here (memory-fit specification, section 10).

One token costs a little for each layer and the reading of all weights it uses. Prompt reading is another matter
and is not predicted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.inference.memory_fit.fit import CACHE_BYTES, FitModel

_FAST_TYPES = frozenset({"F32", "F16", "Q8_0", "Q4_0", "Q4_K", "MXFP4"})
"""Types whose bytes need little arithmetic; all others read more slowly."""
_LAYER_SECONDS = 0.165e-3
_FAST_SHARE = 0.8
_SLOW_SHARE = 0.75
_UNCALIBRATED, _CALIBRATED = 0.40, 0.20
_RUNS_NEEDED = 3
_TRUST_IN_DEFAULTS = 0.05
_MAX_CORRECTION = 10.0


@dataclass(frozen=True, slots=True)
class TokenCost:
    """What one token reads, bytes, and through how many layers."""

    layers: int
    fast_bytes: float
    slow_bytes: float


@dataclass(frozen=True, slots=True)
class MachineSpeed:
    """Seconds a layer and seconds a byte of fast and of slow weights, and from how many runs they come."""

    layer_s: float
    fast_s: float
    slow_s: float
    runs: int = 0


@dataclass(frozen=True, slots=True)
class SpeedRange:
    """Tokens a second; whole numbers are to be shown, never a fraction."""

    low: float
    high: float
    calibrated: bool


@dataclass(frozen=True, slots=True)
class SpeedRun:
    """One finished run on this machine: what a token cost and how fast it went."""

    cost: TokenCost
    tokens_per_second: float


def token_cost(model: FitModel, tokens_so_far: int = 512, cache_type: str = "f16") -> TokenCost:
    """`tokens_so_far`: how much of the context is read back for each new token."""
    facts, plan = model.facts, model.plan
    fast = slow = 0.0
    for name, size in facts.block_bytes.items():
        if name in _FAST_TYPES:
            fast += size
        else:
            slow += size
    output = facts.embedding_bytes if facts.tied_output else facts.output_bytes
    if facts.output_type in _FAST_TYPES:
        fast += output
    else:
        slow += output
    element = CACHE_BYTES[cache_type]
    for group in plan.attention:
        tokens = min(tokens_so_far, plan.window) if group.window else tokens_so_far
        fast += group.count * tokens * (group.key_elements + group.value_elements) * element
    fast += plan.recurrent_layers * 4 * plan.state_elements
    return TokenCost(facts.layers, fast, slow)


def default_speed(bandwidth_gbps: float) -> MachineSpeed:
    """From the median of the memory benchmark, 10^9 bytes a second, above 0. Nothing has run here yet."""
    fast = 1 / (_FAST_SHARE * bandwidth_gbps * 1e9)
    return MachineSpeed(_LAYER_SECONDS, fast, fast / _SLOW_SHARE)


def calibrated_speed(default: MachineSpeed, runs: Sequence[SpeedRun]) -> MachineSpeed:
    """Least squares on the relative error of seconds a token, held near the defaults as long as runs are few.

    `runs`: of this machine with the same thread count. With none the default comes back.
    """
    used = [run for run in runs if run.tokens_per_second > 0]
    if not used:
        return default
    base = (default.layer_s, default.fast_s, default.slow_s)
    # Unknowns are factors on the defaults; each row says: these shares of the time must add up to 1.
    rows = [
        tuple(
            part * factor * run.tokens_per_second
            for part, factor in zip(
                (run.cost.layers, run.cost.fast_bytes, run.cost.slow_bytes), base, strict=True
            )
        )
        for run in used
    ]
    common = sum(sum(row) for row in rows) / sum(sum(row) ** 2 for row in rows)
    matrix = [
        [sum(row[i] * row[j] for row in rows) + (_TRUST_IN_DEFAULTS if i == j else 0.0) for j in range(3)]
        for i in range(3)
    ]
    right = [sum(row[i] for row in rows) + _TRUST_IN_DEFAULTS * common for i in range(3)]
    factors = [min(max(factor, 1 / _MAX_CORRECTION), _MAX_CORRECTION) for factor in _solve(matrix, right)]
    layer, fast, slow = (value * factor for value, factor in zip(base, factors, strict=True))
    return MachineSpeed(layer, fast, slow, len(used))


def expected_speed(cost: TokenCost, machine: MachineSpeed) -> SpeedRange:
    seconds = (
        cost.layers * machine.layer_s + cost.fast_bytes * machine.fast_s + cost.slow_bytes * machine.slow_s
    )
    calibrated = machine.runs >= _RUNS_NEEDED
    spread = _CALIBRATED if calibrated else _UNCALIBRATED
    return SpeedRange((1 - spread) / seconds, (1 + spread) / seconds, calibrated)


def speed_word(tokens_per_second: float) -> str:
    """One word for a list. Most people read some five or six tokens a second."""
    for least, word in ((35.0, "very fast"), (14.0, "fast"), (5.0, "readable"), (1.5, "slow")):
        if tokens_per_second >= least:
            return word
    return "very slow"


def speed_sentence(tokens_per_second: float) -> str:
    for least, message in (
        (35.0, "Writes many times faster than you read."),
        (14.0, "Writes faster than you read."),
        (5.0, "Writes about as fast as you read."),
        (1.5, "Writes more slowly than you read."),
    ):
        if tokens_per_second >= least:
            return message
    return "Writes a word every few seconds."


def speed_figures(speed: SpeedRange) -> str:
    """'18 – 27 tok/s', in whole numbers."""
    low, high = max(round(speed.low), 0), max(round(speed.high), 1)
    if low < 1:
        return f"up to {high} tok/s"
    return f"{low} – {high} tok/s" if low != high else f"about {low} tok/s"


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Three equations, positive definite, by elimination."""
    a = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(3):
        for j in range(i + 1, 3):
            factor = a[j][i] / a[i][i]
            a[j] = [x - factor * y for x, y in zip(a[j], a[i], strict=True)]
    out = [0.0, 0.0, 0.0]
    for i in (2, 1, 0):
        out[i] = (a[i][3] - sum(a[i][j] * out[j] for j in range(i + 1, 3))) / a[i][i]
    return out
