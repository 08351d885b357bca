"""Coverage by value presence: qualification-pack format, section 12. Cases: qualification/coverage.json."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from packs.canonical import JsonValue
from packs.qualification.aggregate import rounded

DEFINITION = (
    "Share of each dimension's declared values that at least one qualification case carries, averaged over the "
    "dimensions. How often a value occurs and which values occur together play no part."
)


def coverage_record(
    case_coverage: Iterable[Mapping[str, str]], dimensions: Mapping[str, Sequence[str]], minimum: float
) -> dict[str, JsonValue]:
    """The content of `coverage.json` from the coverage of every qualification case."""
    counts: dict[str, dict[str, int]] = {
        name: dict.fromkeys(declared, 0) for name, declared in dimensions.items()
    }
    for covered in case_coverage:
        for name, values in counts.items():
            value = covered.get(name)
            if value in values:
                values[value] += 1
    fractions: list[float] = []
    described: dict[str, JsonValue] = {}
    for name, declared in dimensions.items():
        missing = [value for value, count in counts[name].items() if count == 0]
        fraction = (len(declared) - len(missing)) / len(declared)
        fractions.append(fraction)
        described[name] = {
            "declared": list(declared),
            "counts": counts[name],
            "missing": missing,
            "fraction": rounded(fraction),
        }
    return {
        "model": "value_presence",
        "cross_product_measured": False,
        "frequency_weighted": False,
        "corpus": "qualification",
        "definition": DEFINITION,
        "minimum_realised": minimum,
        "realised": rounded(sum(fractions) / len(fractions)) if fractions else 0.0,
        "dimensions": described,
    }
