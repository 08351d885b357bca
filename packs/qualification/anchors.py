"""Anchors that a methodology offers to `rationale_ref`: qualification-pack format, section 4.4."""

from __future__ import annotations

import re

_HEADING = re.compile(r"^#{1,6}\s+(.*)$")
_BRACES = re.compile(r"\{#([A-Za-z0-9_-]+)\}")
_TRAILING_BRACES = re.compile(r"\{#[A-Za-z0-9_-]+\}$")
_HTML_ID = re.compile(r'\bid="([^"]+)"')
_DROPPED = re.compile(r"[^\w\s-]")
_JOINED = re.compile(r"[\s_]+")


def anchors(markdown: str) -> frozenset[str]:
    """Slugs of headings, `{#name}` marks and `id="name"` attributes, line by line; fences are not special."""
    found: set[str] = set()
    for line in markdown.splitlines():
        heading = _HEADING.match(line)
        if heading:
            slug = heading_slug(_TRAILING_BRACES.sub("", heading.group(1).rstrip()))
            if slug:
                found.add(slug)
        found.update(_BRACES.findall(line))
        found.update(_HTML_ID.findall(line))
    return frozenset(found)


def heading_slug(text: str) -> str:
    return _JOINED.sub("-", _DROPPED.sub("", text.strip().lower()))


def anchor_of(reference: str) -> str:
    """What follows the first `#`; the whole text when there is none."""
    return reference.split("#", 1)[1] if "#" in reference else reference
