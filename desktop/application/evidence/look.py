"""Looking into a bundle that somebody sent: is it untouched, who signed it, what does it say?

Takes the folder or the zip of a qualification run, and the zip of a task run. Everything in it is taken for
hostile: sizes are bounded, nothing is unpacked to disk, every value is checked for its kind.
"""

from __future__ import annotations

import contextlib
import json
import math
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from desktop.application.evidence.cases import Cases, cases_of
from desktop.reports.qualification.bundle_folder import verify_contents
from desktop.reports.text import one_line
from desktop.reports.verify_whole import verify_whole
from desktop.runs.qualification.store import FILE_BYTES, TOTAL_BYTES, read_folder
from packs import numbers
from packs.documents.zip_faults import ZIP_FAULTS
from packs.documents.zip_opening import opened_zip
from packs.errors import AppError
from packs.qualification.bundle import HASHED
from packs.qualification.decision_wording import OPERATORS

MAX_ENTRIES = 1_000
MAX_FINDINGS = 200
MAX_ROWS = 500
_LONGEST = 400
_KNOWN = ("QUALIFIED", "NOT_QUALIFIED", "INDETERMINATE")


@dataclass(frozen=True, slots=True)
class RequirementRow:
    """Shares 0 to 1, None where nothing was measured. verdict: met, missed, straddle or insufficient."""

    metric: str
    mandatory: bool
    asked: str
    operator: str
    threshold: float | None
    verdict: str
    n: int | None
    estimate: float | None
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class BundleCondition:
    """Something besides the requirements. good: None when it was only looked at."""

    name: str
    figure: str
    good: bool | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a bundle says and whether it proves it.

    status: of a qualification run, None for the bundle of a task run or where it cannot be read. findings:
    places that differ, at most `MOST_FINDINGS` of `differences`. signature: unsigned, matches_embedded_key
    or failed; None for bundles that are never signed. key: of the signature, in hex.
    """

    path: Path
    title: str
    about: str
    status: str | None
    summary: str
    resolve: tuple[str, ...]
    rows: tuple[RequirementRow, ...]
    conditions: tuple[BundleCondition, ...]
    findings: tuple[str, ...]
    differences: int
    files: str
    scored: str
    signature: str | None
    key: str
    cases: Cases = field(default_factory=Cases)
    model: str = ""
    """What was qualified, by its id; empty where that is not said."""

    @property
    def qualification(self) -> bool:
        """Of a qualification run, not of a task run."""
        return self.signature is not None

    @property
    def untouched(self) -> bool:
        return self.differences == 0


def look_into(path: Path) -> Evidence:
    """Checks the whole bundle; blocks, for seconds with a large one. Raises AppError when it is none."""
    if path.is_file():
        with _opened(path) as archive:
            if "scores.json" in archive.namelist():
                return _task_run(path, archive)
    return _qualification(path, contents_of(path))


def contents_of(path: Path) -> Mapping[str, bytes]:
    """The files of a qualification run's bundle by name, from its folder or a zip of it. Raises AppError."""
    if path.is_dir():
        return read_folder(path)
    if not path.is_file():
        raise AppError(f"There is no “{path.name}” any more.", "Look whether it was moved.", code="not_found")
    with _opened(path) as archive:
        return _contents(path, archive)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Whatever is wrong with the zip is told as one sentence."""
    try:
        with opened_zip(path) as archive:
            yield archive
    except (*ZIP_FAULTS, ValueError, OSError) as error:
        raise AppError(
            f"{path.name} cannot be read as a bundle: {one_line(str(error), 120)}.",
            "A bundle is the folder of a qualification run, or a zip. Get it again.",
            code="damaged",
        ) from None


def _contents(path: Path, archive: zipfile.ZipFile) -> dict[str, bytes]:
    """The files of the folder that holds the bundle: the top of the zip, or the one folder in it."""
    infos = [info for info in archive.infolist() if not info.is_dir()]
    if len(infos) > MAX_ENTRIES:
        raise _too_large(path)
    known = {*HASHED, "hashes.json"}
    homes = {PurePosixPath(info.filename).parent for info in infos if info.filename.rpartition("/")[2] in known}
    if not homes:
        raise AppError(
            f"{path.name} holds no bundle.",
            "A bundle has the files manifest.json, decision.json and hashes.json.",
            code="not_a_bundle",
        )
    home = min(homes, key=lambda folder: len(folder.parts))
    found: dict[str, bytes] = {}
    total = 0
    for info in infos:
        place = PurePosixPath(info.filename)
        if place.parent != home:
            if place.is_relative_to(home):
                found[f"{place.relative_to(home).parts[0]}/"] = b""
            continue
        with archive.open(info) as stream:
            # The sizes in the list may lie, so what really comes is counted.
            content = stream.read(FILE_BYTES + 1)
        total += len(content)
        if len(content) > FILE_BYTES or total > TOTAL_BYTES:
            raise _too_large(path)
        if place.name in found:
            raise AppError(
                f"{path.name} holds {place.name} twice.", "Ask for a plain zip of the folder.", code="damaged"
            )
        found[place.name] = content
    return found


def _qualification(path: Path, contents: Mapping[str, bytes]) -> Evidence:
    if not {*HASHED, "hashes.json"} & set(contents):
        raise AppError(
            f"{path.name} holds no bundle.",
            "A bundle has the files manifest.json, decision.json and hashes.json.",
            code="not_a_bundle",
        )
    verified = verify_contents(contents)
    integrity, again = verified.integrity, verified.rescore
    findings = verified.findings
    if again is None:
        scored = "Could not be scored again."
    elif again.same:
        scored = f"Scored again: the same numbers. {again.note}"
    else:
        scored = f"Scored again: {numbers.count(len(again.differences), 'place differs', 'places differ')}."
    manifest, decision = _object(contents, "manifest.json"), _object(contents, "decision.json")
    coverage = _object(contents, "coverage.json")
    status = decision.get("status")
    summary = _text(decision.get("summary"))
    listed = [name for name in HASHED if name in contents]
    wrong = {*integrity.missing, *integrity.modified, *integrity.absent}
    good = sum(name not in wrong for name in listed)
    about = [
        f"Qualification run of {numbers.moment(_text(manifest.get('completed_at')) or 'unknown time')}",
        f"operator: {_text(manifest.get('operator')) or 'not named'}",
    ]
    return Evidence(
        path=path,
        title=_text(manifest.get("pack")) or path.name,
        about=" · ".join(about),
        status=status if status in _KNOWN else None,
        summary=summary,
        resolve=tuple(_text(entry) for entry in _listed(decision.get("what_would_resolve"))[:5]),
        rows=tuple(
            _row(entry) for entry in _listed(decision.get("requirements"))[:MAX_ROWS] if isinstance(entry, dict)
        ),
        conditions=tuple(_conditions(decision, coverage)),
        findings=tuple(one_line(finding, _LONGEST) for finding in findings[:MAX_FINDINGS]),
        differences=len(findings),
        files=f"{good} of {len(HASHED)} files untouched",
        scored=scored,
        signature=integrity.signature.status,
        key=integrity.signature.public_key or "",
        cases=cases_of(contents),
        model=_model_of(_object(contents, "fingerprint.json")),
    )


def _row(entry: Mapping[str, Any]) -> RequirementRow:
    interval = entry.get("confidence_interval")
    interval = interval if isinstance(interval, dict) else {}
    operator, threshold = _text(entry.get("operator")), _share(entry.get("threshold"))
    return RequirementRow(
        metric=_text(entry.get("metric")).replace("_", " "),
        mandatory=entry.get("mandatory") is not False,
        asked=f"{OPERATORS.get(operator, operator)} {numbers.percent(threshold)}",
        operator=operator,
        threshold=threshold,
        verdict=_text(entry.get("verdict")),
        n=_whole(entry.get("n")),
        estimate=_share(entry.get("point_estimate")),
        lower=_share(interval.get("lower")),
        upper=_share(interval.get("upper")),
    )


def _conditions(decision: Mapping[str, Any], coverage: Mapping[str, Any]) -> list[BundleCondition]:
    found = []
    realised, least = _share(decision.get("realised_coverage")), _share(decision.get("minimum_coverage"))
    if realised is not None:
        wanted = f", at least {numbers.percent(least)} wanted" if least is not None else ""
        enough = realised >= least if least is not None else None
        found.append(BundleCondition("Declared values covered", f"{numbers.percent(realised)}{wanted}", enough))
    for key, message in (("critical_failures", "Critical"), ("challenge_gate", "Challenge")):
        gate = decision.get(key)
        if isinstance(gate, dict) and gate.get("verdict") not in (None, "not_gated"):
            good = {"none": True, "observed": False}.get(_text(gate.get("verdict")))
            figure = f"{_count(gate.get('observed_count'))} of {_count(gate.get('n'))}"
            found.append(
                BundleCondition(f"{message}: {_text(gate.get('metric')).replace('_', ' ')}", figure, good)
            )
    errors = _listed(decision.get("evaluator_errors"))
    found.append(BundleCondition("Answers that could not be scored", f"{len(errors):,}", not errors))
    return found


def _task_run(path: Path, archive: zipfile.ZipFile) -> Evidence:
    checked = verify_whole(path)
    reported: Mapping[str, Any] = {}
    if "run.json" in archive.namelist():
        with archive.open("run.json") as stream:
            reported = _parsed(stream.read(FILE_BYTES))
    pack = reported.get("pack")
    name = _text(pack.get("name")) if isinstance(pack, dict) else ""
    models = len(_listed(reported.get("candidates")))
    findings = [f"{difference.place}: {difference.message}" for difference in checked.differences]
    about = [f"Run of a task pack, {numbers.count(checked.answers, 'answer')}"]
    if models:
        about.append(numbers.count(models, "model"))
    return Evidence(
        path=path,
        title=name or path.name,
        about=" · ".join(about),
        status=None,
        summary="",
        resolve=(),
        rows=(),
        conditions=(),
        findings=tuple(one_line(finding, _LONGEST) for finding in findings[:MAX_FINDINGS]),
        differences=checked.count,
        files=f"{numbers.count(checked.entries, 'file')} compared with the manifest",
        scored=f"{numbers.count(checked.answers, 'answer')} scored again from what is in the bundle.",
        signature=None,
        key="",
    )


def _object(contents: Mapping[str, bytes], name: str) -> Mapping[str, Any]:
    return _parsed(contents.get(name, b""))


def _parsed(content: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _model_of(fingerprint: Mapping[str, Any]) -> str:
    model = fingerprint.get("model")
    identifier = model.get("identifier") if isinstance(model, dict) else None
    return _text(identifier.get("value")) if isinstance(identifier, dict) else ""


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return one_line(value, _LONGEST) if isinstance(value, str) else ""


def _share(value: object) -> float | None:
    """A share as it is stored, None for anything that is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if 0 <= value <= 1 else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else None


def _count(value: object) -> str:
    number = _whole(value)
    return numbers.UNKNOWN if number is None else f"{number:,}"


def _too_large(path: Path) -> AppError:
    return AppError(
        f"{path.name} is too large to be a bundle.", "Check where it comes from.", code="bundle_too_large"
    )
