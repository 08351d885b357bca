"""The pictures of the HTML report as inline SVG: cause marks, cause bars, interval lines.

Colours are classes of the style sheet, so one drawing serves light, dark and paper. Each has a title for
those who do not see it; the figures also stand in a table.
"""

from __future__ import annotations

from collections.abc import Sequence

from desktop.foundation.colours import CAUSE_ORDER, LIGHT, CauseShape
from desktop.reports import text
from desktop.reports.data import CandidateView
from desktop.reports.shapes import Letters
from packs import numbers
from packs.task.outcome import Cause

_LOOKS = LIGHT.causes
"""Letters and shapes, which are the same in light and dark."""
BAR_WIDTH = 540
_NAME_WIDTH = 172
_ROW = 31
_LETTER_MIN_PX = 12
_COUNT_MIN_PX = 26
_LETTER, _BOLD = 7.4, 8.1
"""How wide a letter is about, in a size of 12.5 px: a page has the fonts of whoever reads it."""


def cause_symbols(causes: Sequence[Cause]) -> str:
    """One hidden drawing that holds the marks in use; `cause_mark` refers to it."""
    if not causes:
        return ""
    symbols = "".join(
        f'<symbol id="cause-{_LOOKS[cause].letter}" viewBox="0 0 18 18">{_shape(cause)}'
        f'<text style="fill:var(--i{_LOOKS[cause].letter})" font-size="11" font-weight="600" '
        f'text-anchor="middle" x="9" y="13">{_LOOKS[cause].letter}</text></symbol>'
        for cause in causes
    )
    return f'<svg width="0" height="0" style="position:absolute" aria-hidden="true">{symbols}</svg>'


def cause_mark(cause: Cause) -> str:
    """The mark alone; its words must stand beside it."""
    return f'<svg class="chip" aria-hidden="true"><use href="#cause-{_LOOKS[cause].letter}"/></svg>'


def _shape(cause: Cause) -> str:
    letter, shape = _LOOKS[cause].letter, _LOOKS[cause].shape
    match shape:
        case CauseShape.SQUARE:
            return f'<rect class="c{letter}" width="18" height="18" rx="2"/>'
        case CauseShape.HALF:
            return (
                f'<rect class="c{letter}" y="9" width="18" height="9"/>'
                f'<rect x=".5" y=".5" width="17" height="17" rx="2" fill="none" stroke="var(--i{letter})"/>'
            )
        case CauseShape.CUT_CORNER:
            return f'<path class="c{letter}" d="M0 0H12L18 6V18H0Z"/>'
        case CauseShape.CIRCLE:
            return f'<circle class="c{letter}" cx="9" cy="9" r="9"/>'
        case CauseShape.DASHED:
            return (
                '<rect x=".5" y=".5" width="17" height="17" rx="2" fill="none" class="soft" '
                'stroke-dasharray="2.5 2"/>'
            )


def cause_bars(candidates: Sequence[CandidateView]) -> str:
    """One bar a candidate, its units by cause; the length of all is the same."""
    height = _ROW * len(candidates)
    rows = []
    for index, view in enumerate(candidates):
        top = index * _ROW
        rows.append(f'<text class="who" x="0" y="{top + 18}">{text.html(elided(view.name, 20))}</text>')
        rows.append(_bar(view, top + 3, _NAME_WIDTH, BAR_WIDTH - _NAME_WIDTH))
    described = "; ".join(f"{view.name}: {causes_in_text(view)}" for view in candidates)
    return (
        f'<svg class="bars" viewBox="0 0 {BAR_WIDTH} {height}" width="{BAR_WIDTH}" height="{height}" '
        f'role="img" aria-label="{text.attribute(described)}">{"".join(rows)}</svg>'
    )


def causes_in_text(view: CandidateView) -> str:
    """'18 correct, 6 wrong'."""
    return ", ".join(f"{view.causes[cause]} {cause.message}" for cause in CAUSE_ORDER if view.causes.get(cause))


def remarks_on(view: CandidateView) -> tuple[str, ...]:
    """What a reader must know of a model beside its figures: whole sentences, the near misses last."""
    misses = sorted(view.near_misses, key=lambda miss: -miss.count)
    times = (("once" if miss.count == 1 else f"{miss.count:,} times", miss.message) for miss in misses)
    reported = [*view.notes, *(f"Near miss, {count}: {message}" for count, message in times)]
    if view.same_text is False:
        reported.append("Repetitions of the same example gave different texts.")
    return tuple(dict.fromkeys(reported))


def _bar(view: CandidateView, top: int, left: float, width: float) -> str:
    total = sum(view.causes.values())
    parts = []
    x = left
    for cause in CAUSE_ORDER:
        number = view.causes.get(cause, 0)
        if not number:
            continue
        look = _LOOKS[cause]
        span = width * number / total
        drawn = max(1.0, span - 1)
        if look.shape is CauseShape.DASHED:
            parts.append(
                f'<rect x="{x + 0.5:.1f}" y="{top + 0.5}" width="{max(1.0, drawn - 1):.1f}" height="20" '
                'fill="none" class="soft" stroke-dasharray="3 2">'
                f"<title>{number} {cause.message}</title></rect>"
            )
        elif look.shape is CauseShape.HALF:
            parts.append(
                f'<rect x="{x:.1f}" y="{top + 10}" width="{drawn:.1f}" height="11" class="c{look.letter}"/>'
                f'<rect x="{x + 0.5:.1f}" y="{top + 0.5}" width="{max(1.0, drawn - 1):.1f}" height="20" '
                f'fill="none" stroke="var(--i{look.letter})"><title>{number} {cause.message}</title></rect>'
            )
        else:
            parts.append(
                f'<rect x="{x:.1f}" y="{top}" width="{drawn:.1f}" height="21" class="c{look.letter}">'
                f"<title>{number} {cause.message}</title></rect>"
            )
        if span >= _LETTER_MIN_PX:
            label = f"{look.letter} {number}" if span >= _COUNT_MIN_PX else look.letter
            parts.append(f'<text class="i{look.letter}" x="{x + drawn / 2:.1f}" y="{top + 15}">{label}</text>')
        x += span
    return "".join(parts)


def interval_line(view: CandidateView) -> str:
    """The share of right answers on a line from 0 to 100 %, with its 95 % interval."""
    if view.interval is None or not view.judged:
        return ""
    low, high, share = view.interval.lower, view.interval.upper, view.right / view.judged
    stroke, fill = ("pick", "fill-pick") if view.recommended else ("ink", "fill-ink")
    width, left = 150.0, 5.0

    def x(at: float) -> str:
        return f"{left + at * width:.1f}"

    caps = "".join(f'<line x1="{x(end)}" y1="5" x2="{x(end)}" y2="15"/>' for end in (low, high))
    ticks = "".join(f'<line x1="{x(at)}" y1="6" x2="{x(at)}" y2="14"/>' for at in (0, 0.5, 1))
    return (
        f'<svg viewBox="0 0 160 20" width="160" height="20" role="img" aria-label="between '
        f'{text.attribute(numbers.interval(low, high))}">'
        f'<line class="grid" x1="{x(0)}" y1="10" x2="{x(1)}" y2="10"/>'
        f'<g class="grid">{ticks}</g>'
        f'<g class="{stroke}" stroke-width="2"><line x1="{x(low)}" y1="10" x2="{x(high)}" y2="10"/>{caps}</g>'
        f'<rect class="{fill}" x="{left + share * width - 4:.1f}" y="6" width="8" height="8"/></svg>'
    )


def elided(name: str, limit: int) -> str:
    """Cut in the middle, since both ends of a model's name tell something."""
    shown = text.one_line(name)
    if len(shown) <= limit:
        return shown
    head = (limit - 1) // 2
    return f"{shown[:head]}…{shown[-(limit - 1 - head) :]}"


def page_letters() -> Letters:
    """How large text is on a page, about."""

    def width(words: str, bold: bool) -> float:
        return len(words) * (_BOLD if bold else _LETTER)

    def cut(words: str, room: float, bold: bool) -> str:
        return elided(words, max(3, int(room / (_BOLD if bold else _LETTER))))

    return Letters(width, cut, height=16.0, ascent=12.5)
