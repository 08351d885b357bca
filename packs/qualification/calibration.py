"""How far a judge agrees: with people on calibration cases, with the reference on the run.

Qualification-pack format, sections 13.3 and 13.4. Beside the plain percentage there are Cohen's kappa and a
Wilson interval (section 28, W27): with many passes even a judge that always passes agrees often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from packs.canonical import JsonValue
from packs.qualification.aggregate import rounded
from packs.qualification.judge import JUDGE_FAILURE, JudgeVerdict
from packs.qualification.pack import Case, EvaluatorSpec
from packs.qualification.rows import EvaluatorError
from packs.statistics.wilson import wilson_interval

UNCERTAINTY_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Calibration:
    """record: what is stored. uncertain: calibration cases that the judge was too unsure about."""

    record: dict[str, JsonValue]
    errors: tuple[EvaluatorError, ...]
    uncertain: tuple[dict[str, JsonValue], ...]

    @property
    def valid(self) -> bool:
        return self.record["valid"] is True


def cohens_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Agreement beyond chance of two raters' categories, -1..1, six decimals.

    None without pairs, or when both raters used a single category throughout, where it is not defined.
    """
    if not pairs:
        return None
    n = len(pairs)
    agreed = sum(first == second for first, second in pairs) / n
    left = Counter(first for first, _ in pairs)
    right = Counter(second for _, second in pairs)
    chance = sum(left[name] * right[name] for name in left) / (n * n)
    if chance == 1:
        return None
    return rounded((agreed - chance) / (1 - chance))


def agreement_record(agreed: int, n: int, pairs: Sequence[tuple[str, str]]) -> dict[str, JsonValue]:
    interval = wilson_interval(agreed, n) if n else None
    return {
        "kappa": cohens_kappa(pairs),
        "lower": rounded(interval.lower) if interval else None,
        "upper": rounded(interval.upper) if interval else None,
    }


def calibrate(
    spec: EvaluatorSpec, cases: Iterable[Case], verdicts: Mapping[str, JudgeVerdict | EvaluatorError]
) -> Calibration:
    """verdicts: by case id; an error where the judge failed."""
    judge = spec.judge or {}
    limit = spec.config.get("uncertainty_maximum")
    provenance: Counter[str] = Counter()
    disagreements: list[JsonValue] = []
    known: list[JsonValue] = []
    errors: list[EvaluatorError] = []
    uncertain: list[dict[str, JsonValue]] = []
    pairs: list[tuple[str, str]] = []
    for case in cases:
        provenance[str(case.raw.get("provenance"))] += 1
        verdict = verdicts.get(case.case_id)
        human = case.metadata.get("human_passed")
        if not isinstance(human, bool):
            errors.append(EvaluatorError(spec.id, case.case_id, JUDGE_FAILURE, "no person scored this case"))
            continue
        if not isinstance(verdict, JudgeVerdict):
            missing = EvaluatorError(spec.id, case.case_id, JUDGE_FAILURE, "the judge was not asked")
            errors.append(verdict or missing)
            continue
        wanted = "pass" if human else str(case.metadata.get("human_failure_type"))
        found = verdict.failure_type or "pass"
        pairs.append((wanted, found))
        if wanted != found:
            disagreements.append(
                {
                    "case_id": case.case_id,
                    "human_failure_type": None if human else wanted,
                    "judge_failure_type": verdict.failure_type,
                    "uncertainty": verdict.uncertainty,
                }
            )
        mode = case.metadata.get("known_failure_mode")
        if isinstance(mode, str):
            known.append(
                {
                    "case_id": case.case_id,
                    "mode": mode,
                    "agreed": wanted == found,
                    "human_failure_type": None if human else wanted,
                    "judge_failure_type": verdict.failure_type,
                    "uncertainty": verdict.uncertainty,
                }
            )
        if is_uncertain(verdict.uncertainty, limit):
            uncertain.append(
                {"case_id": case.case_id, "uncertainty": verdict.uncertainty, "corpus": "calibration"}
            )
    agreed = sum(first == second for first, second in pairs)
    agreement = rounded(agreed / len(pairs)) if pairs else None
    record: dict[str, JsonValue] = {
        "executed": True,
        "n": len(pairs),
        "agreed": agreed,
        "agreement": agreement,
        "declared_agreement": judge.get("judge_agreement"),
        "minimum_sample_size": judge.get("minimum_sample_size"),
        "provenance": dict(provenance),
        "disagreements": disagreements,
        "known_failures": known,
        **agreement_record(agreed, len(pairs), pairs),
    }
    why = _why_invalid(record, judge, errors)
    record["valid"] = not why
    record["detail"] = " ".join(why) or "The judge agrees with people as declared."
    return Calibration(record, tuple(errors), tuple(uncertain))


def _why_invalid(
    record: Mapping[str, JsonValue], judge: Mapping[str, JsonValue], errors: Sequence[EvaluatorError]
) -> list[str]:
    why = []
    if errors:
        why.append(f"{len(errors)} calibration cases gave no verdict to compare.")
    n, minimum = record["n"], judge.get("minimum_sample_size")
    if not isinstance(minimum, int | float) or not isinstance(n, int) or n < minimum:
        why.append(f"Only {n} cases could be compared; {minimum} are wanted.")
    agreement, declared = record["agreement"], judge.get("judge_agreement")
    if not isinstance(declared, int | float) or not isinstance(agreement, float) or agreement < declared:
        why.append(f"The agreement is {agreement}; {declared} is declared.")
    modes = judge.get("known_failure_modes")
    known = record["known_failures"]
    seen = {entry["mode"] for entry in known} if isinstance(known, list) else set()
    unseen = [str(mode) for mode in modes if mode not in seen] if isinstance(modes, list) else []
    if unseen:
        why.append(f"No case showed: {', '.join(unseen)}.")
    return why


def is_uncertain(uncertainty: float, limit: JsonValue) -> bool:
    return isinstance(limit, int | float) and uncertainty + UNCERTAINTY_SLACK >= limit


@dataclass(frozen=True, slots=True)
class Overlay:
    """The judge beside the reference on the run's own replies."""

    n: int
    agreed: int
    agreement: float | None
    disagreements: tuple[dict[str, JsonValue], ...]
    uncertain: tuple[dict[str, JsonValue], ...]
    pairs: tuple[tuple[str, str], ...]


def overlay(rows: Iterable[Mapping[str, JsonValue]], limit: float) -> Overlay:
    """From result rows with judge and reference evidence; one row a case, the first wins."""
    compared: dict[str, tuple[Mapping[str, JsonValue], Mapping[str, JsonValue]]] = {}
    doubtful: dict[tuple[str, str], float] = {}
    for row in rows:
        evidence = row.get("evidence")
        judged = evidence.get("judge") if isinstance(evidence, dict) else None
        reference = evidence.get("reference") if isinstance(evidence, dict) else None
        if row.get("run_index") != 0 or not isinstance(judged, dict):
            continue
        corpus, case_id = str(row["corpus"]), str(row["case_id"])
        if is_uncertain(judged["uncertainty"], limit):
            doubtful.setdefault((corpus, case_id), judged["uncertainty"])
        if corpus != "qualification" or not isinstance(reference, dict) or reference.get("not_scorable"):
            continue
        compared.setdefault(case_id, (judged, reference))
    pairs = {
        case_id: (str(reference["failure_type"] or "pass"), str(judged["failure_type"] or "pass"))
        for case_id, (judged, reference) in compared.items()
    }
    agreed = sum(first == second for first, second in pairs.values())
    return Overlay(
        n=len(pairs),
        agreed=agreed,
        agreement=rounded(agreed / len(pairs)) if pairs else None,
        disagreements=tuple(
            {
                "case_id": case_id,
                "reference_failure_type": None if first == "pass" else first,
                "judge_failure_type": None if second == "pass" else second,
            }
            for case_id, (first, second) in pairs.items()
            if first != second
        ),
        uncertain=tuple(
            {"case_id": case_id, "uncertainty": value, "corpus": corpus}
            for (corpus, case_id), value in doubtful.items()
        ),
        pairs=tuple(pairs.values()),
    )
