"""Is a bundle whole and untouched? The format's own rules (section 21), and a few of ours beside them.

Cases: qualification/verify_faults.json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from packs.canonical import JsonValue, digest
from packs.documents.jsonlines import document
from packs.qualification.bundle import HASHED, HASHES, SIGNATURE
from packs.qualification.decision import INDETERMINATE, NOT_QUALIFIED, QUALIFIED, VALID_UNTIL
from packs.qualification.signing import SignatureCheck, check_signature
from packs.qualification.triggers import fingerprint_problems

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
STATUSES = (QUALIFIED, NOT_QUALIFIED, INDETERMINATE)


@dataclass(frozen=True, slots=True)
class Integrity:
    """The format's findings, and `further` ones that the public tool does not look for (section 28, W33).

    missing: of the thirteen files. absent: not in hashes.json. modified: another digest. unexpected: files
    beside them.
    """

    missing: tuple[str, ...]
    absent: tuple[str, ...]
    modified: tuple[str, ...]
    unexpected: tuple[str, ...]
    errors: tuple[str, ...]
    signature: SignatureCheck
    further: tuple[str, ...]

    @property
    def ok_by_format(self) -> bool:
        return not (self.missing or self.absent or self.modified or self.unexpected or self.errors)

    @property
    def ok(self) -> bool:
        return self.ok_by_format and not self.further

    @property
    def findings(self) -> list[str]:
        """Every finding as a sentence."""
        return [
            *(f"{name} is missing." for name in self.missing),
            *(f"{name} is not in hashes.json, so nothing shows that it is untouched." for name in self.absent),
            *(f"{name} was changed after the bundle was written." for name in self.modified),
            *(f"{name} does not belong to a bundle." for name in self.unexpected),
            *self.errors,
            *self.further,
        ]


def check_integrity(
    contents: Mapping[str, bytes], public_key: bytes | None = None, *, require_signature: bool = False
) -> Integrity:
    """contents: file name to bytes, sub-folders and links as names ending in '/'."""
    errors: list[str] = []
    missing = tuple(name for name in HASHED if name not in contents)
    known = {*HASHED, HASHES, SIGNATURE}
    unexpected = tuple(name for name in sorted(contents) if name not in known and not name.endswith("/"))
    absent: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    listed = _listed_digests(contents.get(HASHES), errors)
    if listed is not None:
        absent = tuple(name for name in HASHED if name not in listed)
        modified = tuple(
            name
            for name in HASHED
            if name in contents
            and (wanted := listed.get(name)) is not None
            and digest(contents[name]) != wanted
        )
    _check_documents(contents, errors)
    signature = check_signature(
        contents.get(SIGNATURE), contents.get(HASHES, b""), public_key, required=require_signature
    )
    if signature.status == "failed":
        errors.append(signature.trouble)
    return Integrity(missing, absent, modified, unexpected, tuple(errors), signature, _further(contents))


def _listed_digests(content: bytes | None, errors: list[str]) -> dict[str, str | None] | None:
    """Digest by file name, None for one of no use; None as a whole when hashes.json cannot be read at all."""
    if content is None:
        errors.append("hashes.json is missing.")
        return None
    try:
        record: JsonValue = json.loads(content)
    except (ValueError, RecursionError):
        errors.append("hashes.json is not JSON.")
        return None
    if not isinstance(record, dict):
        errors.append("hashes.json is no object.")
        return {}
    if record.get("algorithm") != "sha256":
        errors.append("hashes.json names another algorithm than sha256.")
    files = record.get("files")
    if not isinstance(files, dict):
        errors.append("hashes.json lists no files.")
        return {}
    found: dict[str, str | None] = {}
    for name, value in files.items():
        if name not in HASHED:
            errors.append(f"hashes.json lists '{name}', which does not belong to a bundle.")
        elif not isinstance(value, str) or not _DIGEST.fullmatch(value):
            errors.append(f"hashes.json has no usable digest for {name}.")
            found[name] = None
        else:
            found[name] = value
    return found


def _document(contents: Mapping[str, bytes], name: str, errors: list[str]) -> dict[str, JsonValue] | None:
    if name not in contents:
        return None
    try:
        found = json.loads(contents[name])
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        errors.append(f"{name} is no JSON object.")
        return None
    return found


def _check_documents(contents: Mapping[str, bytes], errors: list[str]) -> None:
    manifest = _document(contents, "manifest.json", errors)
    decision = _document(contents, "decision.json", errors)
    summary = manifest.get("decision") if manifest is not None else None
    if manifest is not None and not isinstance(summary, dict):
        errors.append("manifest.json holds no decision.")
        summary = None
    reported = [found for found in (summary, decision) if isinstance(found, dict)]
    if any(found.get("status") not in STATUSES for found in reported):
        errors.append("The decision is a word that is not known.")
    elif len({str(found.get("status")) for found in reported}) > 1:
        errors.append("manifest.json and decision.json tell different decisions.")
    if any(found.get("valid_until") != VALID_UNTIL for found in reported):
        errors.append("The sentence on how long the decision is valid was changed.")
    if "fingerprint.json" in contents:
        fingerprint = _document(contents, "fingerprint.json", errors)
        if fingerprint is not None:
            errors.extend(
                f"fingerprint.json, {path}: {text}" for path, text in fingerprint_problems(fingerprint)
            )


def _further(contents: Mapping[str, bytes]) -> tuple[str, ...]:
    """What nothing else would show: folders beside the files, and the unhashed files in another spelling."""
    found = [
        f"'{name.rstrip('/')}' is a folder or link; a bundle holds plain files."
        for name in contents
        if name.endswith("/")
    ]
    for name in (HASHES, SIGNATURE):
        if name in contents:
            try:
                same = document(json.loads(contents[name])) == contents[name]
            except (ValueError, RecursionError, TypeError):
                continue
            if not same:
                found.append(f"{name} is not spelled as it was written.")
    return tuple(found)
