"""What a person does with a bundle: compare it with another, check it against what runs now, export it.

Everything here blocks. Bundles may be folders or zips.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.application.evidence.look import contents_of
from desktop.reports.qualification.bundle_folder import Bundle, export_files, verify_contents
from desktop.reports.qualification.parts import share
from desktop.reports.text import one_line
from desktop.runs.qualification.store import write_bundle
from packs import numbers
from packs.errors import AppError
from packs.qualification.bundle import parse_parts
from packs.qualification.compare import BundleComparison, compare_bundles

if TYPE_CHECKING:
    from desktop.runs.qualification.check import CheckResult, CheckSettings

SURE = 0.05
LEVELS = {"unchanged": 0, "unknown": 1, "changed": 2}
MAX_NOTES = 20


# Comparing


@dataclass(frozen=True, slots=True)
class Flipped:
    """A case whose outcome in a test is another one in the later bundle."""

    case: str
    test: str
    corpus: str
    better: bool


@dataclass(frozen=True, slots=True)
class ComparedBundles:
    """All texts on one line. figures: (what, before, after)."""

    title: str
    sentences: tuple[str, ...]
    figures: tuple[tuple[str, str, str], ...]
    flipped: tuple[Flipped, ...]


def compare_two(one: Path, other: Path) -> ComparedBundles:
    """In either order: the earlier run is the one before. Raises AppError."""
    first, second = bundle_of(one), bundle_of(other)
    if str(second.parts.manifest.get("completed_at")) < str(first.parts.manifest.get("completed_at")):
        first, second = second, first
    try:
        found = compare_bundles(first.parts, second.parts)
        return _compared(found, first, second)
    except (KeyError, TypeError, AssertionError, AttributeError, ValueError) as error:
        raise AppError(
            f"One of the two is no whole bundle ({error}).", "Open it alone to see more.", code="bundle_broken"
        ) from None


def _compared(found: BundleComparison, first: Bundle, second: Bundle) -> ComparedBundles:
    sentences = []
    if not found.same_pack:
        sentences.append("The two runs used different packs, so only what both hold can be compared.")
    for change in found.tests:
        if change.lost or change.won:
            doubt = "" if change.p_value < SURE else " So few changes may be chance."
            sentences.append(
                f"{_name(change.test)}, {change.corpus} cases: {len(change.lost)} of {change.compared} got "
                f"worse, {len(change.won)} better.{doubt}"
            )
    if not found.flipped:
        sentences.append("No case changed its outcome.")
    fired = [_name(name) for name in found.triggers.fired]
    sentences.append(
        f"What was qualified differs in: {', '.join(fired)}."
        if fired
        else "What was qualified is the same, as far as the fingerprints tell."
    )
    return ComparedBundles(
        f"{_title(found.a, first)}, against {_title(found.b, second)}",
        tuple(one_line(sentence, 600) for sentence in sentences),
        tuple(_figures(found)),
        tuple(
            Flipped(one_line(case, 200), _name(change.test), change.corpus, better)
            for change in found.tests
            for cases, better in ((change.lost, False), (change.won, True))
            for case in cases
        ),
    )


def _title(side: Mapping[str, Any], bundle: Bundle) -> str:
    """'run-1 of 2026-11-30 10:15 UTC'."""
    moment = numbers.moment(str(bundle.parts.manifest.get("completed_at") or ""))
    return one_line(f"{side['run_id']} of {moment}", 120)


def _figures(found: BundleComparison) -> list[tuple[str, str, str]]:
    a: dict[str, Any] = found.a
    b: dict[str, Any] = found.b
    rows = [("Decision", str(a["status"]), str(b["status"]))]
    for name in sorted({*a["metrics"], *b["metrics"]}):
        old = a["metrics"].get(name, {}).get("point_estimate")
        new = b["metrics"].get(name, {}).get("point_estimate")
        rows.append((_name(name), share(old), share(new)))
    rows.append(("Declared values covered", share(a["realised_coverage"]), share(b["realised_coverage"])))
    rows.append(("Critical failures", str(a["critical_count"]), str(b["critical_count"])))
    return [(one_line(what, 120), one_line(old, 80), one_line(new, 80)) for what, old, new in rows]


# Checking against what runs now


@dataclass(frozen=True, slots=True)
class CheckedBundle:
    """rows: (what, state, why); state one of STATE_WORDS' keys. level: 0 unchanged, 1 unknown, 2 changed."""

    sentence: str
    level: int
    rows: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...]


def check_now(path: Path, settings: CheckSettings, now: datetime) -> CheckedBundle:
    """Does the result still speak for what runs now? Asks the endpoint. Raises AppError."""
    return checked_text(check_result(path, settings, now))


def check_result(path: Path, settings: CheckSettings, now: datetime) -> CheckResult:
    """Verifies the bundle too: one that proves nothing speaks for nothing. Raises AppError."""
    from desktop.runs.qualification.check import check_bundle

    bundle = bundle_of(path)
    result = check_bundle(bundle.parts, settings, now)
    return replace(result, bundle_findings=tuple(verify_contents(bundle.contents).findings))


def checked_text(result: CheckResult) -> CheckedBundle:
    """What changed stands on top, then what is not known, then the rest."""
    unseen, changed = set(result.unseen), set(result.changes)
    rows = [
        (one_line(change.what, 80), "fired", one_line(f"{change.before} before, {change.now} now", 300))
        for change in result.further
    ]
    states = result.comparison.states
    for state in sorted(states, key=lambda state: 0 if state in changed else 1 if state in unseen else 2):
        known = "" if not state.unverified else " (was never known)"
        reason = f"{state.reason or ''}{known}".strip()
        how = result.how(state) if state in unseen else ""
        shown = "ambiguous" if state in unseen and state.state == "fired" else state.state
        rows.append((_name(state.trigger), shown, one_line(": ".join(filter(None, (reason, how))), 300)))
    notes = [f"The bundle does not verify: {finding}" for finding in result.bundle_findings[:MAX_NOTES]]
    if result.network_fault:
        notes.append(
            f"The server could not be asked: {fault_text(result.network_fault)}. That is no sign of a "
            "change: what is said about the model rests on your word alone."
        )
    notes += [f"Taken on trust: {trust}." for trust in result.on_trust]
    notes += [
        f"The stored fingerprint, {path}: {problem}" for path, problem in result.comparison.stored_problems
    ]
    return CheckedBundle(
        check_verdict(result), LEVELS[result.answer], tuple(rows), tuple(one_line(note, 400) for note in notes)
    )


def check_verdict(result: CheckResult) -> str:
    """One of three answers in words. What was not looked at, or a silent endpoint, is no sign of a change."""
    if result.answer == "changed":
        names = [*(change.what for change in result.further), *(_name(s.trigger) for s in result.changes)]
        told = {0: "That does not matter.", 1: "Somebody should look.", 2: "Qualify again."}
        severity = max([change.exit_code for change in result.further] + [s.exit_code for s in result.changes])
        return f"Changed: {one_line(', '.join(names), 300)}. {told[severity]}"
    if result.answer == "unchanged":
        return "Unchanged: everything that was looked at is the same."
    if result.bundle_findings:
        return "Unknown: no change was seen, but the bundle does not verify, so it speaks for nothing."
    if result.network_fault:
        return "Unknown: the server could not be asked. No change was seen; check again once it answers."
    count = len(result.unseen)
    if not count:
        return "Unknown: no change was seen, but the bundle's own record of what was qualified is faulty."
    few = "1 thing was" if count == 1 else f"{count} things were"
    return f"Unknown: no change was seen, but {few} not looked at. How each could be is said beside it."


def fault_text(fault: str) -> str:
    """The kind of a network fault, as the HTTP client names it, in words."""
    if fault.startswith("Connect"):
        return "nothing answers at this address"
    if "Timeout" in fault:
        return "it took too long to answer"
    return one_line(fault, 200)


# Exporting


def export_bundle(path: Path, target: Path) -> bool:
    """Writes an auditor's folder without inputs and answers. Returns whether the bundle is untouched.

    Raises AppError, also when `target` is there already.
    """
    if target.exists():
        raise AppError(f"'{target}' is there already.", "Name a new folder.", code="exists")
    bundle = bundle_of(path)
    found = verify_contents(bundle.contents)
    write_bundle(target, export_files(bundle, found))
    return found.ok


def bundle_of(path: Path) -> Bundle:
    """From a folder or a zip. Raises AppError when it is no whole bundle."""
    contents = contents_of(path)
    try:
        return Bundle(path, contents, parse_parts(contents))
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise AppError(
            f"{path.name} is no whole bundle: {one_line(str(error), 120)}.",
            "Open it alone to see what is wrong with it.",
            code="bundle_broken",
        ) from None


def _name(message: str) -> str:
    return one_line(message, 120).replace("_", " ")
