"""The format's own recommendation: smallest footprint within a share of the best quality (section 17.4)."""

from __future__ import annotations

from collections.abc import Sequence

from packs.numbers import fixed, quality, rounded, whole
from packs.task.compared_candidates import footprint_of, frontier, name_key, size_of, why_not_finished
from packs.task.recommendation import Candidate, NotPicked, Recommendation, Rule


def tolerance_recommendation(candidates: Sequence[Candidate], tolerance: float) -> Recommendation:
    """tolerance in [0, 1); see `recommend`."""
    excluded = [reason for candidate in candidates if (reason := _why_not(candidate)) is not None]
    out = {reason.name for reason in excluded}
    eligible = [candidate for candidate in candidates if candidate.name not in out]
    kept, lost = frontier(eligible)
    rule = Rule.PEAK_WITHIN_TOLERANCE
    if not eligible:
        by_name = {reason.name: reason for reason in excluded}
        nearest = tuple(by_name[one.name] for one in sorted(candidates, key=lambda one: -(one.quality or 0.0)))
        sentence = _none_sentence(candidates)
        because = "none_eligible" if candidates else "no_candidates"
        return Recommendation(
            rule, None, sentence, excluded=tuple(excluded), nearest=nearest, none_because=because
        )
    best = max(eligible, key=_quality)
    band = [one for one in eligible if _quality(one) >= _quality(best) * (1 - tolerance)]
    footprint = footprint_of(band)
    pick = min(
        band,
        key=lambda one: (
            size_of(one, footprint),
            -_quality(one),
            -(one.tokens_per_second or 0.0),
            name_key(one.name),
        ),
    )
    others = sorted((one for one in candidates if one is not pick), key=lambda one: -(one.quality or 0.0))
    runners = [_why_not(one) or _runner(one, pick, best, one in band, footprint, tolerance) for one in others]
    return Recommendation(
        rule,
        pick.name,
        _sentence(pick, best, footprint, tolerance),
        kept,
        lost,
        tuple(excluded),
        tuple(runners),
        footprint=footprint,
        pick_is_best=pick is best,
    )


def _none_sentence(candidates: Sequence[Candidate]) -> str:
    """Names gates only where a gate was the reason."""
    if not candidates:
        return "No model was run."
    if any(why_not_finished(candidate) is None for candidate in candidates):
        return "No model can be recommended: none passed all gates in every answer."
    return f"No model can be recommended: none of the {len(candidates)} finished."


def _quality(candidate: Candidate) -> float:
    return candidate.quality or 0.0


def _why_not(candidate: Candidate) -> NotPicked | None:
    reason = why_not_finished(candidate)
    if reason is not None or candidate.gates_passed:
        return reason
    gates = ", ".join(f"{gate} ({count} times)" for gate, count in candidate.gate_failures.items())
    return NotPicked(candidate.name, "gates", f"{candidate.name} failed gates: {gates}.")


def _runner(
    one: Candidate, pick: Candidate, best: Candidate, in_band: bool, footprint: str, tolerance: float
) -> NotPicked:
    if not in_band:
        drop = rounded((_quality(best) - _quality(one)) / _quality(best) * 100, 1)
        return NotPicked(
            one.name,
            "below_tolerance",
            f"{one.name} is {fixed(drop, 1)} % below the best, outside of {tolerance * 100:g} %.",
            drop_percent=drop,
        )
    extra = size_of(one, footprint) - size_of(pick, footprint)
    if footprint == "none":
        return NotPicked(
            one.name, "slower_or_lower", f"{one.name} is slower or of lower quality than {pick.name}."
        )
    if extra > 0:
        what = "memory" if footprint == "memory" else "weights"
        return NotPicked(
            one.name,
            f"larger_{what}",
            f"{one.name} needs {whole(extra)} MiB more {what} than {pick.name}.",
            extra_mib=int(rounded(extra, 0)),
        )
    return NotPicked(one.name, "same_footprint_lost_tie", f"{one.name} has the same size and lost the tie.")


def _sentence(pick: Candidate, best: Candidate, footprint: str, tolerance: float) -> str:
    text = f"Use {pick.name}: quality {quality(pick.quality)}"
    text += (
        ", the best"
        if pick is best
        else f", within {tolerance * 100:g} % of the best ({quality(best.quality)})"
    )
    if footprint == "none":
        return text + ". These models run behind an API, so size plays no part."
    if pick is best:
        return text + "."
    size = f"{whole(size_of(pick, footprint))} MiB instead of {whole(size_of(best, footprint))}"
    stand_in = "" if footprint == "memory" else " (weights; memory was not measured for all)"
    return f"{text}, with {size}{stand_in}."
