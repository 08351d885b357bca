"""All that a bundle folder can be asked: parts, integrity, scoring again, a report, an export."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from desktop.reports.qualification.facts import shown_differences, view_as_written
from desktop.reports.qualification.html import render_qualification
from desktop.runs.qualification.runner import runner_name
from desktop.runs.qualification.store import read_folder
from packs.canonical import JsonValue, digest
from packs.documents.jsonlines import document
from packs.errors import AppError
from packs.qualification.bundle import HASHED, HASHES, SIGNATURE, parse_parts
from packs.qualification.differences import BundleDifference
from packs.qualification.failures import RedactionPolicy, policy_of
from packs.qualification.integrity import Integrity, check_integrity
from packs.qualification.pack import QualificationPack
from packs.qualification.rescore import Rescore, rescore
from packs.qualification.view import BundleParts, report_view

NOT_EXPORTED = "not exported"
EXPORT_STATEMENT = (
    "This export shows decision, figures and identity of a qualification run. It holds no input and no "
    "answer of any "
    "case. The bundle it was made from holds the evidence."
)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle as read: raw contents and parsed parts."""

    folder: Path
    contents: Mapping[str, bytes]
    parts: BundleParts

    @property
    def failures(self) -> JsonValue:
        try:
            return json.loads(self.contents.get("failures.json", b"null"))
        except (ValueError, RecursionError):
            return None


def open_bundle(folder: Path) -> Bundle:
    """Raises AppError when it is no bundle or a needed file cannot be read."""
    contents = read_folder(folder)
    try:
        return Bundle(folder, contents, parse_parts(contents))
    except KeyError as error:
        raise AppError(
            f"'{folder}' is no whole bundle: {error.args[0]} is missing.",
            "'packbench verify' tells everything that is wrong with it.",
            code="bundle_broken",
        ) from None
    except (ValueError, RecursionError) as error:
        raise AppError(
            f"A file of the bundle '{folder}' cannot be read: {error}.",
            "'packbench verify' tells everything that is wrong with it.",
            code="bundle_broken",
        ) from None


@dataclass(frozen=True, slots=True)
class Verification:
    """rescore: None when it was not asked for, or could not be done; `hindrance` says why it could not.

    A bundle whose answers cannot be scored again proves nothing, however whole its files are.
    """

    integrity: Integrity
    rescore: Rescore | None
    hindrance: str = ""

    @property
    def ok(self) -> bool:
        return self.integrity.ok and not self.hindrance and (self.rescore is None or self.rescore.same)

    @property
    def findings(self) -> list[str]:
        """Everything that speaks against the bundle, a sentence each: files, signature, then the scores."""
        found = self.integrity.findings
        if self.hindrance:
            found.append(self.hindrance)
        if self.rescore is not None:
            found.extend(str(difference) for difference in self.rescore.differences)
        return found

    def as_json(self) -> dict[str, JsonValue]:
        integrity, again = self.integrity, self.rescore
        return {
            "ok": self.ok,
            "ok_by_format": integrity.ok_by_format,
            "missing": list(integrity.missing),
            "absent_from_manifest": list(integrity.absent),
            "modified": list(integrity.modified),
            "unexpected": list(integrity.unexpected),
            "errors": list(integrity.errors),
            "further": list(integrity.further),
            "signature": {
                "status": integrity.signature.status,
                "public_key": integrity.signature.public_key or None,
            },
            "rescore": {
                "same": again.same,
                "depth": again.depth,
                "left_out": again.left_out,
                "note": again.note,
                "differences": [str(difference) for difference in again.differences],
            }
            if again is not None
            else None,
            "rescore_hindered_by": self.hindrance or None,
        }


def verify_folder(
    folder: Path,
    *,
    public_key: bytes | None = None,
    require_signature: bool = False,
    pack: QualificationPack | None = None,
    score_again: bool = True,
) -> Verification:
    """Raises AppError only when there is no folder, or none that was ever a bundle."""
    contents = read_folder(folder)
    if not any(name in contents for name in (*HASHED, HASHES)):
        raise AppError(f"'{folder}' holds no file of a bundle.", "Give the folder of a run.", code="no_bundle")
    return verify_contents(
        contents,
        public_key=public_key,
        require_signature=require_signature,
        pack=pack,
        score_again=score_again,
    )


def verify_contents(
    contents: Mapping[str, bytes],
    *,
    public_key: bytes | None = None,
    require_signature: bool = False,
    pack: QualificationPack | None = None,
    score_again: bool = True,
) -> Verification:
    """contents: as `read_folder` gives them, wherever they come from. Never raises for what is in them."""
    integrity = check_integrity(contents, public_key, require_signature=require_signature)
    if not score_again:
        return Verification(integrity, None)
    try:
        parts = parse_parts(contents)
        again = rescore(parts, json.loads(contents.get("failures.json", b"null")), pack)
        again = replace(again, differences=(*again.differences, *_shown_differences(contents, parts)))
    except (AppError, *_ODD_SHAPES) as error:
        return Verification(integrity, None, _hindrance(error))
    return Verification(integrity, again)


def _shown_differences(contents: Mapping[str, bytes], parts: BundleParts) -> Iterator[BundleDifference]:
    view = view_as_written(parts)
    return shown_differences(
        contents,
        parts,
        render_qualification(view),
        view,
        same_program=parts.manifest.get("runner") == runner_name(),
    )


_ODD_SHAPES = (
    *(KeyError, IndexError, TypeError, AttributeError, AssertionError),
    *(ValueError, ArithmeticError, RecursionError),
)
"""What reading a tree raises that has another shape than a bundle has, or figures that are none."""


def _hindrance(error: Exception) -> str:
    if isinstance(error, KeyError):
        what = f"{error.args[0]} is missing" if error.args else "something is missing"
    elif isinstance(error, AppError | ValueError):
        what = str(error).rstrip(".")
    else:
        what = f"a file has another shape than a bundle has ({type(error).__name__})"
    return (
        f"The answers could not be scored again, so nothing shows that the decision follows from them: {what}."
    )


def view_of(
    bundle: Bundle, policy: RedactionPolicy | None = None, *, show_sensitive: bool = False
) -> dict[str, Any]:
    """A fresh view; policy: instead of the recorded one. Raises AppError for a bundle of another shape."""
    recorded = policy_of(bundle.parts.manifest.get("redaction"))
    try:
        return report_view(bundle.parts, policy or recorded, show_sensitive=show_sensitive)
    except (KeyError, TypeError, AssertionError, AttributeError) as error:
        raise AppError(
            f"The bundle '{bundle.folder}' has another shape than a bundle has ({type(error).__name__}: "
            f"{error}).",
            "'packbench verify' tells what is wrong with it.",
            code="bundle_broken",
        ) from None


def export_files(bundle: Bundle, verification: Verification) -> dict[str, bytes]:
    """`auditor-report.html` and `manifest.json`: format, section 23. No inputs and no answers."""
    view = _without_cases(view_of(bundle))
    page = render_qualification(view)
    manifest, decision = bundle.parts.manifest, bundle.parts.decision
    signature = bundle.contents.get(SIGNATURE)
    record: dict[str, JsonValue] = {
        "kind": "etalon.auditor-export",
        "export_version": 1,
        "statement": EXPORT_STATEMENT,
        "auditor_report_sha256": digest(page),
        "run_id": manifest["run_id"],
        "pack": manifest["pack"],
        "pack_content_sha256": manifest["pack_content_sha256"],
        "runner": manifest["runner"],
        "started_at": manifest["started_at"],
        "completed_at": manifest["completed_at"],
        "operator": manifest["operator"],
        "decision": {
            name: decision[name]
            for name in (
                "status",
                "summary",
                "requirements",
                "critical_failures",
                "challenge_gate",
                "valid_until",
            )
        },
        "coverage": dict(bundle.parts.coverage),
        "fingerprint": view["identity_rows"],
        "judge": decision.get("judge"),
        "classification": bundle.parts.metrics["classification"],
        "hashes": _parsed(bundle.contents.get(HASHES)),
        "signature": _parsed(signature),
        "bundle_integrity_ok": verification.integrity.ok,
        "integrity_errors": [
            *verification.integrity.findings,
            *([verification.hindrance] if verification.hindrance else []),
        ],
        "rescored_same": verification.rescore.same if verification.rescore is not None else None,
    }
    return {"auditor-report.html": page, "manifest.json": document(record)}


def _parsed(content: bytes | None) -> JsonValue:
    try:
        return json.loads(content) if content is not None else None
    except (ValueError, RecursionError):
        return None


def _without_cases(view: dict[str, Any]) -> dict[str, Any]:
    hidden = dict.fromkeys(("input_excerpt", "output_excerpt", "expected", "actual", "detail"), NOT_EXPORTED)
    return {
        **view,
        "failing_cases": [{**shown, **hidden} for shown in view["failing_cases"]],
        "failures": [
            {**group, "examples": [{**shown, **hidden} for shown in group["examples"]]}
            for group in view["failures"]
        ],
        "evaluator_errors": [
            {name: error[name] for name in ("evaluator", "case_id", "error_type")}
            for error in view["evaluator_errors"]
        ],
        "header_redaction": "This export holds no input and no answer.",
        "notes": dict.fromkeys(view["notes"], "This export holds no input and no answer."),
    }
