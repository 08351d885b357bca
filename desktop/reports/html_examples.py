"""The part of the HTML report that shows every example somebody got wrong."""

from __future__ import annotations

from desktop.reports import text
from desktop.reports.data import CandidateView, ReportData
from desktop.reports.differences import MAX_PARSED, field_table, marked_answer
from desktop.reports.drawings import cause_mark
from desktop.reports.failures import AnswerGroup, FailedExample, as_text, failed_examples
from packs.task.extract import extract_json
from packs.task.outcome import CauseKind

SHOWN = 1_500
"""Characters of a long text that stand open; the rest is folded."""
WHOLE = 50_000
"""Characters of one text in the report at all; the bundle has every text whole."""


def examples_section(data: ReportData) -> str:
    """Every example that at least one model did not get right, with the answers of all models."""
    failed = list(failed_examples(data))
    total = len(data.examples)
    if not failed:
        message = "Every answer that came was right." if any(view.judged for view in data.candidates) else ""
        body = f"<p>{message or 'No answer was judged in this run.'}</p>"
        return f'<section class="panel" id="examples"><h2>Examples</h2>{body}</section>'
    right = total - len(failed)
    other = "The other one was" if right == 1 else f"The other {right} were"
    rest = f" {other} right wherever they were answered." if right else ""
    models = "the model" if len(data.candidates) == 1 else "at least one model"
    parts = [
        f'<section class="panel" id="examples"><h2>What went wrong</h2><p class="sub">{len(failed)} of {total} '
        f"examples were not answered rightly by {models}.{rest}</p>"
    ]
    alone = len(data.candidates) == 1
    parts.extend(_example(entry, data.repetitions, alone) for entry in failed)
    parts.append("</section>")
    return "".join(parts)


def _example(entry: FailedExample, repetitions: int, alone: bool) -> str:
    """alone: there is one model, so its name need not stand beside every answer."""
    example = entry.example
    rows: list[str] = []
    others: dict[str, list[str]] = {}
    for view, groups in entry.answers:
        if len(groups) == 1 and (groups[0].right or not _tried(groups[0])):
            message = (
                "not run yet"
                if groups[0].cause is None
                else cause_mark(groups[0].cause) + groups[0].cause.message
            )
            others.setdefault(message, []).append(text.html(view.name))
            continue
        rows.extend(
            _answer_row(_name_cell(view, index, len(groups), alone), group, len(groups), entry, repetitions)
            for index, group in enumerate(groups)
        )
    also = "".join(f"<span>{message}: {', '.join(names)}</span>" for message, names in others.items())
    also = f'<p class="also">{also}</p>' if also else ""
    return (
        f'<article class="example"><h3>Example {text.html(example.id)}</h3><div class="given">'
        f'<div><p class="caption">Input</p>{folded(example.input)}</div>'
        f'<div><p class="caption">Expected</p>{folded(as_text(example.expected))}</div></div>'
        f"{_ALONE if alone else _MANY}<tbody>{''.join(rows)}</tbody></table>{also}</article>"
    )


_MANY = (
    '<table class="answers"><colgroup><col class="c1"><col class="c2"><col></colgroup><thead><tr>'
    '<th scope="col">Model</th><th scope="col">Outcome</th><th scope="col">Answer</th></tr></thead>'
)
_ALONE = (
    '<table class="answers alone"><colgroup><col class="c2"><col></colgroup><thead><tr>'
    '<th scope="col">Outcome</th><th scope="col">Answer</th></tr></thead>'
)


def _name_cell(view: CandidateView, index: int, groups: int, alone: bool) -> str:
    """Once for all answers of a model."""
    if alone or index:
        return ""
    span = f' rowspan="{groups}"' if groups > 1 else ""
    return f'<th scope="row"{span}>{text.html(view.name)}</th>'


def _tried(group: AnswerGroup) -> bool:
    return group.cause is not None and group.cause.kind is not CauseKind.DID_NOT_HAPPEN


def _answer_row(name: str, group: AnswerGroup, groups: int, entry: FailedExample, repetitions: int) -> str:
    if group.cause is None:
        return f'<tr>{name}<td class="quiet">not run yet</td><td></td></tr>'
    times = ""
    if repetitions > 1 and groups > 1:
        numbered = ", ".join(map(str, group.repetitions))
        times = f'<span class="why small">repetition {numbered}</span>'
    outcome = group.unit.outcome
    why = (
        "" if outcome is None or group.right else f'<span class="why small">{text.html(outcome.reason)}</span>'
    )
    cell = _answer_cell(group, entry)
    return f"<tr>{name}<td>{cause_mark(group.cause)}{group.cause.message}{why}{times}</td><td>{cell}</td></tr>"


def _answer_cell(group: AnswerGroup, entry: FailedExample) -> str:
    outcome = group.unit.outcome
    if outcome is None or outcome.cause.kind is CauseKind.DID_NOT_HAPPEN:
        return '<span class="quiet">–</span>'
    shown = group.text
    parts = []
    table = ""
    if not group.right and len(outcome.scored_text) <= MAX_PARSED:
        answered = extract_json(outcome.scored_text).value if "fields" in outcome.detail else None
        table = field_table(outcome, entry.example.expected, answered) if isinstance(answered, dict) else ""
    if table:
        parts.append(table)
        if outcome.near_misses or not shown.lstrip().startswith("{"):
            parts.append(f"<details><summary>Whole answer</summary>{folded(shown)}</details>")
    elif not shown.strip():
        message = "nothing came" if group.unit.generation is None else "no visible text"
        parts.append(f'<span class="quiet">{message}</span>')
    elif len(shown) > SHOWN:
        parts.append(folded(shown))
    else:
        parts.append(
            f'<div class="out" dir="auto">{marked_answer(outcome, entry.example.expected, shown)}</div>'
        )
    parts.extend(f'<div class="small">{text.html(miss.message)}</div>' for miss in outcome.near_misses)
    if outcome.strict_score is not None and outcome.strict_score != outcome.score:
        parts.append(
            '<div class="small">Scored without its reasoning; read strictly, the whole text would score '
            f"{outcome.strict_score:g}.</div>"
        )
    reasoning = outcome.reasoning or (group.unit.generation.reasoning if group.unit.generation else "")
    if reasoning.strip():
        parts.append(f"<details><summary>Reasoning, not scored</summary>{folded(reasoning)}</details>")
    return "".join(parts)


def folded(shown: str) -> str:
    """A text as it stands; a long one opens on demand, an endless one is cut with a word about it."""
    if len(shown) <= SHOWN:
        return f'<pre dir="auto">{text.html(shown)}</pre>'
    cut = (
        f"<p class='small'>Cut here: {len(shown) - WHOLE:,} more characters.</p>" if len(shown) > WHOLE else ""
    )
    return (
        f'<pre dir="auto">{text.html(shown[:SHOWN])}…</pre>'
        f"<details><summary>All {len(shown):,} characters</summary>"
        f'<pre dir="auto">{text.html(shown[:WHOLE])}</pre>{cut}</details>'
    )
