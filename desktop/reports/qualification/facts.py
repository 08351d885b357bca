"""Do `report.json` and `report.html` of a bundle show what its evidence says?

Both are made anew and compared: byte for byte when this very version wrote them, else by the facts they carry.
A page carries its facts in one `<meta>` element, so that any later version can read them.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from packs.canonical import JsonValue, canonical_text
from packs.documents.jsonlines import document, finite
from packs.qualification.differences import BundleDifference, short
from packs.qualification.failures import policy_of
from packs.qualification.view import BundleParts, report_view

META = "packbench-facts"
_META = re.compile(rf'<meta name="{META}" content="([^"<>]*)">')
FACTS = (
    "run_id",
    "status",
    "decision_rows",
    "critical",
    "challenge_gate",
    "qualification_metrics",
    "challenge_metrics",
    "captured_rows",
    "output_rows",
)
"""Names in the view whose values a report shows: decision, figures, counts. Only ever added to."""


def page_facts(view: Mapping[str, Any]) -> str:
    """Canonical JSON for the `<meta>` element of a page."""
    return canonical_text(_facts(view))


def _facts(view: Mapping[str, Any]) -> JsonValue:
    return finite({name: view[name] for name in FACTS if name in view})


def shown_differences(
    contents: Mapping[str, bytes],
    parts: BundleParts,
    page: bytes,
    view: Mapping[str, Any],
    *,
    same_program: bool,
) -> Iterator[BundleDifference]:
    """view, page: made anew from `parts`. Raises ValueError when `report.json` cannot be read."""
    recorded = json.loads(contents["report.json"])
    if not isinstance(recorded, dict):
        yield BundleDifference("report.json", "the report", "no object", "a report")
        return
    if same_program:
        yield from _whole(contents, recorded, page, view)
        return
    ours = "scoring" in parts.manifest
    # The views of other tools have their own names; what is decided is called the same everywhere.
    yield from _fact_differences("report.json", recorded, view, FACTS if ours else ("status",))
    if ours:
        yield from _fact_differences("report.html", _read(contents["report.html"]), view, FACTS)


def _whole(
    contents: Mapping[str, bytes], recorded: Mapping[str, Any], page: bytes, view: Mapping[str, Any]
) -> Iterator[BundleDifference]:
    named = list(_fact_differences("report.json", recorded, view, tuple(dict.fromkeys([*view, *recorded]))))
    yield from named
    if not named and contents["report.json"] != document(dict(view)):
        yield BundleDifference("report.json", "spelling", "other bytes", "those that this version writes")
    named = list(_fact_differences("report.html", _read(contents["report.html"]), view, FACTS))
    yield from named
    if not named and contents["report.html"] != page:
        yield BundleDifference("report.html", "the page", "another page", "the page of the evidence")


def _read(page: bytes) -> Mapping[str, Any]:
    """The facts that a page carries; none when it has not exactly one readable block of them."""
    found = _META.findall(page.decode("utf-8", "replace"))
    try:
        facts = json.loads(html.unescape(found[0])) if len(found) == 1 else None
    except (ValueError, RecursionError):
        facts = None
    return facts if isinstance(facts, dict) else {}


def _fact_differences(
    file: str, recorded: Mapping[str, Any], view: Mapping[str, Any], names: tuple[str, ...]
) -> Iterator[BundleDifference]:
    for name in names:
        if name not in recorded:
            yield BundleDifference(file, name, "nothing", short(finite(view.get(name))))
        elif name not in view:
            yield BundleDifference(file, name, short(finite(recorded[name])), "nothing")
        elif canonical_text(finite(recorded[name])) != canonical_text(finite(view[name])):
            yield BundleDifference(file, name, short(finite(recorded[name])), short(finite(view[name])))


def view_as_written(parts: BundleParts) -> dict[str, Any]:
    """The view with the redaction that the bundle was written with."""
    redaction = parts.manifest.get("redaction")
    shown = isinstance(redaction, dict) and redaction.get("show_sensitive") is True
    return report_view(parts, policy_of(redaction), show_sensitive=shown)
