"""Class tables: descriptive only, they decide nothing. Qualification-pack format, section 11."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from packs.canonical import JsonValue
from packs.qualification.aggregate import rounded
from packs.statistics.wilson import wilson_interval

SPECIAL_COLUMNS = ("missing", "invalid", "truncated", "endpoint_error")
MISSING = "<missing>"
NOTE = (
    "Recall counts every case of the class; a missing, cut or failed reply lowers it. The second matrix leaves "
    "missing replies out of its recall, so the two can differ."
)


@dataclass(frozen=True, slots=True)
class Observation:
    """What the tables read of one reply: run 0, one corpus."""

    expected: str | None
    actual: JsonValue
    """The value at the field in the reply; None when there is none."""
    truncated: bool
    error: bool


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _share(part: int, whole: int) -> dict[str, JsonValue]:
    if not whole:
        return {"value": None, "n": 0, "lower": None, "upper": None}
    interval = wilson_interval(part, whole)
    return {
        "value": rounded(part / whole),
        "n": whole,
        "lower": rounded(interval.lower),
        "upper": rounded(interval.upper),
    }


def classification(
    observations: Iterable[Observation],
    labels: Sequence[str],
    field: str = "label",
    expected_field: str = "label",
) -> dict[str, JsonValue]:
    """Confusion table with precision and recall of every class. labels: all classes, sorted."""
    columns = [("label", label) for label in labels] + [(kind, f"[{kind}]") for kind in SPECIAL_COLUMNS]
    position = {column: index for index, column in enumerate(columns)}
    table = {label: [0] * len(columns) for label in labels}
    total = 0
    for seen in observations:
        if seen.expected not in table:
            continue
        total += 1
        table[seen.expected][position[_column(seen, position)]] += 1
    per_class: list[JsonValue] = []
    for index, label in enumerate(labels):
        support = sum(table[label])
        predicted = sum(row[index] for row in table.values())
        right = table[label][index]
        per_class.append(
            {
                "label": label,
                "support": support,
                "predicted": predicted,
                "true_positive": right,
                "precision": _share(right, predicted),
                "recall": _share(right, support),
            }
        )
    return {
        "field": field,
        "expected_field": expected_field,
        "columns": [{"kind": kind, "label": label} for kind, label in columns],
        "rows": [{"label": label, "counts": table[label]} for label in labels],
        "per_class": per_class,
        "n": total,
        "note": NOTE,
    }


def _column(seen: Observation, position: Mapping[tuple[str, str], int]) -> tuple[str, str]:
    if seen.error:
        kind = "endpoint_error"
    elif seen.truncated:
        kind = "truncated"
    else:
        label = _text(seen.actual)
        if label is None:
            kind = "missing"
        elif ("label", label) in position:
            return ("label", label)
        else:
            kind = "invalid"
    return (kind, f"[{kind}]")


def breakdown(observations: Iterable[Observation]) -> dict[str, JsonValue]:
    """Matrix of reference against reply with whatever values occur; recall over replies that have a value."""
    listed = [seen for seen in observations if seen.expected]
    expected = sorted({seen.expected for seen in listed if seen.expected})
    found = {label for seen in listed if (label := _text(seen.actual)) is not None}
    absent = any(_text(seen.actual) is None for seen in listed)
    predicted = [*sorted(found.union(expected)), *([MISSING] if absent else [])]
    rows: list[JsonValue] = []
    for wanted in expected:
        mine = [_text(seen.actual) for seen in listed if seen.expected == wanted]
        missing = mine.count(None)
        scorable = len(mine) - missing
        rows.append(
            {
                "expected": wanted,
                "counts": [mine.count(None if label == MISSING else label) for label in predicted],
                "recall": rounded(mine.count(wanted) / scorable) if scorable else None,
                "support": len(mine),
                "scorable": scorable,
                "missing": missing,
            }
        )
    return {"predicted": predicted, "rows": rows}
