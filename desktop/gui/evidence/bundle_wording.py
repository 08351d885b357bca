"""What a bundle says, in words, signs and chips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop.gui.theme import Tone
from desktop.gui.widgets.chip import VERDICT_CHIPS, ChipLook, chip
from desktop.gui.widgets.interval import IntervalValue
from packs import numbers

if TYPE_CHECKING:
    from desktop.application.evidence.look import Evidence, RequirementRow

MEANINGS = {
    "QUALIFIED": "QUALIFIED: this deployment is shown to be good enough.",
    "INDETERMINATE": "INDETERMINATE: this deployment is not yet shown to be good enough.",
    "NOT_QUALIFIED": "NOT_QUALIFIED: this deployment is shown not to be good enough.",
}
_TONES = {"QUALIFIED": Tone.GOOD, "INDETERMINATE": Tone.WARN, "NOT_QUALIFIED": Tone.BAD}
_CHIPS = {
    "met": VERDICT_CHIPS["met"],
    "missed": VERDICT_CHIPS["missed"],
    "straddle": VERDICT_CHIPS["open"],
    "insufficient": chip("Too few cases", Tone.WARN, sign="warning"),
}
_SIGNATURES = {
    "unsigned": (Tone.MUTED, "sign", "Not signed: nothing shows who made it."),
    "matches_supplied_key": (Tone.GOOD, "tick", "Signed by the key given."),
    "failed": (Tone.BAD, "cross", "The signature does not hold."),
}


def verdict_chip(row: RequirementRow) -> ChipLook:
    return _CHIPS.get(row.verdict, chip(row.verdict or "not known", Tone.MUTED, sign="dash", outlined=True))


def interval_of(row: RequirementRow) -> IntervalValue | None:
    """None where nothing was measured."""
    if row.estimate is None or row.lower is None or row.upper is None:
        return None
    met = row.verdict == "met"
    tone = {"met": Tone.GOOD, "missed": Tone.BAD}.get(row.verdict, Tone.WARN)
    return IntervalValue(
        row.lower,
        row.upper,
        row.estimate,
        tone=tone,
        threshold=row.threshold,
        met_above=row.operator not in ("lte", "lt"),
        diamond=not met,
    )


def bounds(row: RequirementRow) -> str:
    if row.lower is None or row.upper is None:
        return numbers.UNKNOWN
    return f"{numbers.fixed(row.lower * 100, 1)} – {numbers.fixed(row.upper * 100, 1)}"


def answer(evidence: Evidence) -> tuple[str, str, str, Tone]:
    """Sentence, reason, limits and tone: the decision counts only where the bundle proves it."""
    if not evidence.untouched:
        count = numbers.count(evidence.differences, "place differs", "places differ")
        says = f"It says {evidence.status}; that is not proved. " if evidence.status else ""
        return (
            f"This bundle proves nothing as it is: {count}.",
            f"{says}The places are listed below.",
            "",
            Tone.BAD,
        )
    if evidence.status is not None:
        settle = f"What would settle it: {' '.join(evidence.resolve)}" if evidence.resolve else ""
        return MEANINGS[evidence.status], evidence.summary, settle, _TONES[evidence.status]
    if evidence.signature is None:
        message = "Untouched: every file is as listed, and every answer scores the same."
        return message, evidence.scored, "", Tone.GOOD
    return "The bundle is untouched, but holds no decision that is known.", evidence.summary, "", Tone.WARN


def signature_line(evidence: Evidence) -> tuple[Tone, str, str]:
    """Tone, icon and words; with a key, what it is worth."""
    if evidence.signature == "matches_embedded_key":
        message = "Signed. Whose key it is only you can know: compare it with the one you were given."
        return Tone.INFO, "key", message
    return _SIGNATURES.get(evidence.signature or "unsigned", _SIGNATURES["failed"])


def grouped(key: str) -> str:
    """'4f1c 9a07 be52 …' in lines of four groups."""
    groups = [key[start : start + 4] for start in range(0, len(key), 4)]
    return "\n".join(" ".join(groups[start : start + 4]) for start in range(0, len(groups), 4))
