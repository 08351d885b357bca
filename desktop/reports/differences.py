"""Marks in an answer: what differs from the expected value, and what small thing kept it from being read.

Missing or wrong is struck through, near misses are underlined; both also have their reason in words beside
them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from desktop.reports import text
from packs.task.outcome import Cause, Outcome

MAX_PARSED = 100_000
"""Characters of an answer that is taken apart into fields for showing."""
MAX_FIELDS = 60


def marked_answer(outcome: Outcome, expected: object, shown: str) -> str:
    """HTML of `shown`, the answer as it came, with marks where they are known.

    A wrong label or number is struck through; the place of a near miss is underlined when the scored text is
    what is shown.
    """
    spans = [
        (miss.start, miss.end)
        for miss in outcome.near_misses
        if miss.start is not None and miss.end is not None and 0 <= miss.start < miss.end <= len(shown)
    ]
    if spans and outcome.scored_text == shown:
        return _underlined(shown, sorted(spans))
    if outcome.cause is Cause.WRONG:
        token = outcome.detail.get("token")
        if isinstance(token, str) and token.strip() and shown.count(token.strip()) == 1:
            before, _, after = shown.partition(token.strip())
            return f"{text.html(before)}<del>{text.html(token.strip())}</del>{text.html(after)}"
        if isinstance(expected, str | int | float) and len(shown) <= 200:
            return f"<del>{text.html(shown)}</del>"
    return text.html(shown)


def _underlined(shown: str, spans: list[tuple[int, int]]) -> str:
    parts = []
    at = 0
    for start, end in spans:
        if start < at:
            continue
        parts.append(text.html(shown[at:start]))
        parts.append(f'<span class="near">{text.html(shown[start:end])}</span>')
        at = end
    parts.append(text.html(shown[at:]))
    return "".join(parts)


def field_table(outcome: Outcome, expected: object, answered: object) -> str:
    """Field by field for answers that are JSON objects: expected, answered, and whether they agree.

    Empty when the scorer's record has no fields or the answer could not be taken apart. `answered` is the value
    that the scorer read.
    """
    fields = outcome.detail.get("fields")
    if not isinstance(fields, Mapping) or not isinstance(expected, Mapping) or not fields:
        return ""
    given = answered if isinstance(answered, Mapping) else {}
    rows = []
    for name, verdict in list(fields.items())[:MAX_FIELDS]:
        wanted = _value(expected[name]) if name in expected else ""
        got = _value(given[name]) if name in given else ""
        if verdict == "match":
            cell = f"{text.html(got)} <span class='quiet'>right</span>"
        elif name in given:
            cell = f"<del>{text.html(got)}</del> <ins>{text.html(wanted)}</ins>"
        else:
            cell = f"<span class='quiet'>missing</span> <ins>{text.html(wanted)}</ins>"
        rows.append(f'<tr><th scope="row">{text.html(str(name))}</th><td class="out">{cell}</td></tr>')
    return f'<table class="fields"><tbody>{"".join(rows)}</tbody></table>'


def _value(value: object) -> str:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.one_line(shown, 200) if len(shown) > 200 else shown
