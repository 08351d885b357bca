"""What a bundle says of the judge as a whole: format, sections 13.4 and 20."""

from __future__ import annotations

from packs.canonical import JsonValue
from packs.qualification.calibration import agreement_record
from packs.qualification.judge import declared_model, transport_of, uncertainty_maximum
from packs.qualification.pack import QualificationPack
from packs.qualification.scoring import ScoredRun


def metrics_judge(
    pack: QualificationPack, scored: ScoredRun, destination: str, model: str | None = None
) -> dict[str, JsonValue] | None:
    """The `judge` object of metrics.json; None without a judge.

    destination: host or service that saw the replies, or 'none'. model: as the judge itself said it.
    """
    judge, identity, beside, calibration = pack.judge, scored.identity, scored.overlay, scored.calibration
    if judge is None or identity is None or beside is None or calibration is None:
        return None
    record = calibration.record
    pairs = agreement_record(beside.agreed, beside.n, beside.pairs)
    return {
        "executed": True,
        "transport": transport_of(judge),
        "destination": destination,
        "model": model or declared_model(judge),
        "prompt_sha256": identity.prompt_sha256,
        "prompt_version": identity.prompt_version,
        "rubric_version": identity.rubric_version,
        "declared_agreement": record["declared_agreement"],
        "calibration_n": record["n"],
        "calibration_agreed": record["agreed"],
        "calibration_agreement": record["agreement"],
        "calibration_kappa": record["kappa"],
        "calibration_lower": record["lower"],
        "calibration_upper": record["upper"],
        "calibration_valid": record["valid"],
        "calibration_detail": record["detail"],
        "calibration_disagreements": record["disagreements"],
        "known_failures": record["known_failures"],
        "provenance": record["provenance"],
        "overlay_n": beside.n,
        "overlay_agreed": beside.agreed,
        "overlay_agreement": beside.agreement,
        "overlay_kappa": pairs["kappa"],
        "overlay_lower": pairs["lower"],
        "overlay_upper": pairs["upper"],
        "disagreements": list(beside.disagreements),
        "uncertain_cases": scored.uncertain_cases,
        "uncertainty_maximum": uncertainty_maximum(judge),
    }


def decision_judge(full: dict[str, JsonValue] | None) -> dict[str, JsonValue] | None:
    """The shorter `judge` object of decision.json."""
    names = (
        "executed",
        "model",
        "prompt_sha256",
        "prompt_version",
        "rubric_version",
        "calibration_agreement",
        "calibration_valid",
        "overlay_agreement",
        "uncertain_cases",
        "uncertainty_maximum",
    )
    return {name: full[name] for name in names} if full is not None else None


def prompt_hash_note(pack: QualificationPack, scored: ScoredRun) -> str | None:
    """A sentence when the declared prompt hash is not that of the prompt sent (section 28, W26)."""
    judge, identity = pack.judge, scored.identity
    if judge is None or identity is None or transport_of(judge) == "offline-mock":
        return None
    declared = (judge.judge or {}).get("prompt_sha256")
    if declared == identity.prompt_sha256:
        return None
    return (
        f"The pack declares the judge prompt {declared}; the one sent was {identity.prompt_sha256}. "
        "What was learnt about the judge with another prompt need not hold."
    )
