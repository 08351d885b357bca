"""Checking a bundle that somebody else made: is it untouched, and do its answers still score the same?

Needs no pack, model, journal or network. The file is taken for hostile: counts and sizes are bounded, nothing
is unpacked to disk.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.reports.bundle import FORMAT, MANIFEST, SCORES, SCORING, UNITS
from packs import numbers
from packs.documents.zip_faults import ZIP_FAULTS
from packs.documents.zip_opening import opened_zip
from packs.errors import AppError
from packs.task.judge import judge
from packs.task.scorers import BadExpected
from packs.task.scoring import Scoring

MAX_ENTRY_BYTES = 256 * 2**20
MAX_TOTAL_BYTES = 2 * 2**30
SAME = 1e-9
"""Scores nearer than this are the same."""
MAX_DIFFERENCES = 1000
"""More are counted, not listed."""


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """One thing that is not as the bundle says. place: an entry of the bundle."""

    place: str
    message: str


@dataclass(frozen=True, slots=True)
class Checked:
    """entries: compared with the manifest; answers: scored again. differences: the first ones of `count`."""

    run_id: str
    entries: int
    answers: int
    differences: tuple[ScoreDifference, ...]
    count: int

    @property
    def good(self) -> bool:
        return not self.count

    @property
    def message(self) -> str:
        """The result as a sentence."""
        files, answers = numbers.count(self.entries, "file"), numbers.count(self.answers, "answer")
        if self.good:
            return f"Untouched: {files} as listed, and {answers} scored the same again."
        return f"Not as it says: {numbers.count(self.count, 'difference')} in {files} and {answers}."


def verify_bundle(path: Path) -> Checked:
    """Compare every entry with the manifest, then score every answer again from `scoring.json` alone.

    Raises AppError when the file is no bundle, is too large, or holds no `scoring.json`.
    """
    try:
        with opened_zip(path) as archive:
            return _Verifier(archive, path).run()
    except ZIP_FAULTS as error:
        raise AppError(
            f"{path.name} cannot be read as a zip: {error}.", "Get the file again.", code="damaged"
        ) from None
    except OSError as error:
        raise AppError(
            f"{path} cannot be read: {error.strerror or error}.", "Check its name.", code="unreadable"
        ) from error


class _Verifier:
    def __init__(self, archive: zipfile.ZipFile, path: Path) -> None:
        self._archive = archive
        self._path = path
        self._found: list[ScoreDifference] = []
        self._count = 0
        self._strict = False

    def run(self) -> Checked:
        infos = self._archive.infolist()
        total = sum(info.file_size for info in infos)
        if total > MAX_TOTAL_BYTES:
            raise AppError(
                f"{self._path.name} holds {len(infos):,} files of {total / 2**20:,.0f} MiB: too much to check.",
                "Check where it comes from.",
                code="too_large",
            )
        names = [info.filename for info in infos]
        if MANIFEST not in names:
            raise AppError(
                f"{self._path.name} is no bundle: it has no {MANIFEST}.",
                "Choose a file made by 'packbench report --format bundle'.",
                code="not_a_bundle",
            )
        manifest = self._manifest()
        self._compare_files(manifest, names)
        for name in (SCORING, SCORES, UNITS):
            if name not in names:
                raise AppError(
                    f"{self._path.name} cannot be scored again: it has no {name}.",
                    "Ask for a bundle with it.",
                    code="no_scoring",
                )
        answers = self._compare_scores(set(names))
        return Checked(str(manifest.get("run", "")), len(names), answers, tuple(self._found), self._count)

    def _manifest(self) -> Mapping[str, Any]:
        manifest = self._json(MANIFEST)
        if not isinstance(manifest, dict) or not isinstance(manifest.get("sha256"), dict):
            raise AppError(f"{MANIFEST} does not list any files.", "Get the bundle again.", code="not_a_bundle")
        if manifest.get("format") != FORMAT:
            raise AppError(
                f"This bundle has the format {manifest.get('format')!r}; this program reads {FORMAT}.",
                "Use the program version that made it.",
                code="unknown_format",
            )
        return manifest

    def _compare_files(self, manifest: Mapping[str, Any], names: Sequence[str]) -> None:
        listed: dict[str, Any] = manifest["sha256"]
        if len(set(names)) != len(names):
            self._differs(MANIFEST, "A name occurs twice in the zip.")
        for name in names:
            if name == MANIFEST:
                continue
            if name not in listed:
                self._differs(name, "This file is not listed in the manifest.")
            elif hashlib.sha256(self._read(name)).hexdigest() != listed[name]:
                self._differs(name, "The content is not what the manifest says: it was changed.")
        for name in listed.keys() - set(names):
            self._differs(name, "The manifest lists this file, but it is not there.")

    def _compare_scores(self, names: set[str]) -> int:
        stored = self._json(SCORING)
        if not isinstance(stored, dict):
            raise _damaged(SCORING)
        scoring = Scoring.from_snapshot(stored)
        self._strict = stored.get("strict") is True
        expected = self._expected(stored, scoring)
        reported = {_key(entry): entry.get("generation") for entry in self._records(UNITS)}
        settings = stored.get("generation")
        limit = _whole(settings.get("max_tokens")) if isinstance(settings, dict) else None
        answers = 0
        for entry in self._records(SCORES):
            key, place = _key(entry), str(entry.get("path"))
            if place not in names or key[1] not in expected:
                self._differs(place, "The answer or the expected value of this score is not in the bundle.")
                continue
            answers += 1
            generation = reported.get(key)
            self._compare_one(
                scoring,
                expected[key[1]],
                place,
                entry,
                generation if isinstance(generation, dict) else {},
                limit,
            )
        return answers

    def _expected(self, stored: Mapping[str, Any], scoring: Scoring) -> dict[str, object]:
        """Expected values by example; those that the scorer cannot take are told and left out."""
        found: dict[str, object] = {}
        examples = stored.get("examples")
        for entry in examples if isinstance(examples, list) else ():
            if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
                continue
            try:
                scoring.check_expected(entry.get("expected"))
            except BadExpected as error:
                self._differs(SCORING, f"Example {entry['id']}: {error.message}")
                continue
            found[entry["id"]] = entry.get("expected")
        return found

    def _records(self, name: str) -> list[dict[str, Any]]:
        content = self._json(name)
        if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
            raise _damaged(name)
        return content

    def _compare_one(
        self,
        scoring: Scoring,
        expected: object,
        place: str,
        entry: Mapping[str, Any],
        reported: Mapping[str, Any],
        max_tokens: int | None,
    ) -> None:
        outcome = judge(
            scoring,
            expected,
            self._read(place).decode("utf-8", "replace"),
            reasoning=str(reported.get("reasoning") or ""),
            finish_reason=str(reported.get("finish_reason") or "stop"),
            output_tokens=_whole(reported.get("output_tokens")),
            max_tokens=max_tokens,
        )
        if entry.get("score") is None and entry.get("passed") is None:
            return
        was, now = entry.get("score"), outcome.score
        passed = outcome.passed
        if self._strict:
            now, passed = outcome.strict_score, outcome.strict_passed
        if not _same(was, now):
            self._differs(place, f"The score was {was}; scored again it is {now}.")
        elif entry.get("passed") != passed:
            self._differs(place, f"'passed' was {entry.get('passed')}; scored again it is {passed}.")
        elif _plain(entry.get("detail")) != _plain(outcome.detail):
            self._differs(place, "The scorer's record differs from what scoring again gives.")

    def _differs(self, place: str, message: str) -> None:
        self._count += 1
        if len(self._found) < MAX_DIFFERENCES:
            self._found.append(ScoreDifference(place, message))

    def _read(self, name: str) -> bytes:
        with self._archive.open(name) as stream:
            content = stream.read(MAX_ENTRY_BYTES + 1)
        if len(content) > MAX_ENTRY_BYTES:
            raise AppError(
                f"{name} in the bundle is too large.", "Check where it comes from.", code="too_large"
            )
        return content

    def _json(self, name: str) -> Any:
        try:
            return json.loads(self._read(name))
        except (ValueError, RecursionError) as error:
            raise AppError(
                f"{name} in the bundle is not JSON: {error}.", "Get the bundle again.", code="damaged"
            ) from None


def _damaged(name: str) -> AppError:
    return AppError(f"{name} in the bundle is not as it should be.", "Get the bundle again.", code="damaged")


def _key(entry: Mapping[str, Any]) -> tuple[int | None, str, int | None]:
    return _whole(entry.get("candidate")), str(entry.get("example")), _whole(entry.get("repetition"))


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _same(was: object, now: float | None) -> bool:
    if was is None or now is None:
        return was is now
    return isinstance(was, int | float) and abs(was - now) <= SAME


def _plain(detail: object) -> object:
    """As it looks after a way through JSON: tuples are lists."""
    return json.loads(json.dumps(detail)) if isinstance(detail, Mapping) else detail
