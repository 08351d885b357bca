"""Properties of the qualification library that hold for any input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packs.canonical import canonical_bytes, canonical_text
from packs.documents.jsonlines import finite, line
from packs.qualification.anchors import anchors
from packs.qualification.calibration import cohens_kappa
from packs.qualification.evaluators import EVALUATORS
from packs.qualification.evaluators.prohibited_pattern import PatternTooSlow, search
from packs.qualification.loader import load_pack
from packs.qualification.pack import EvaluatorSpec, case_from
from packs.qualification.redaction import scrub, scrub_shown
from packs.qualification.replies import parse_object, read_reply
from packs.qualification.rows import score_test
from packs.statistics.mcnemar import mcnemar_exact
from packs.statistics.sample_size import cases_for_perfect, cases_needed, chance_to_meet, met_by, verdict
from tests.fakes.work_count import calls_of

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
FINITE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(FINITE)
def test_that_canonical_json_is_a_fixed_point(value: Any) -> None:
    text = canonical_text(value)
    assert canonical_text(json.loads(text)) == text


@given(JSON)
def test_that_any_value_becomes_one_line_that_reads_back(value: Any) -> None:
    written = line(finite(value))
    assert written.endswith(b"\n")
    assert len(written.decode("utf-8").splitlines()) == 1
    assert json.loads(written) == json.loads(json.dumps(finite(value)))


@given(JSON, JSON)
def test_that_any_body_is_read_and_scored_by_every_evaluator(message: Any, whole: Any) -> None:
    case = case_from(
        {
            "case_id": "c",
            "expected": {"label": "a", "required_behaviour": "abstain", "required_facts": ["x"]},
            "coverage": {"k": "v"},
        },
        "qualification",
    )
    config = {"class_label": "a", "critical_labels": ["a"], "required_fields": ["label"], "patterns": ["z+"]}
    for body in (whole, {"choices": [{"message": {"content": message}}]}, {"choices": message}):
        reply = read_reply(body)
        for evaluator in EVALUATORS:
            spec = EvaluatorSpec("e", "1", evaluator.kind, evaluator.type, config)
            scored = score_test([spec], case, reply)
            assert scored.errors == ()
            assert scored.outcome is not None
            assert scored.outcome.score in (None, 0.0, 1.0)
            assert scored.outcome.applicable is (scored.outcome.score is not None)


@given(st.text())
def test_that_an_object_is_found_in_a_text_or_not_without_raising(text: str) -> None:
    assert parse_object(text) is None or isinstance(parse_object(text), dict)
    anchors(text)


@given(FINITE)
def test_that_scrubbing_twice_changes_nothing_more(value: Any) -> None:
    once, _ = scrub(value)
    twice, _ = scrub(once)
    assert canonical_bytes(json.loads(line(twice))) == canonical_bytes(json.loads(line(once)))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 40 + "b"),
        ("(a|a)*$", "a" * 40 + "b"),
        ("a.*b.*c", "a" * 60_000),
        ("(.*a){20}", "a" * 300 + "b"),
    ],
)
def test_that_a_pattern_that_runs_away_is_stopped(pattern: str, text: str) -> None:
    try:
        search(pattern, text)
    except PatternTooSlow as error:
        assert "100 ms" in str(error)


def test_that_a_long_line_of_blanks_takes_no_more_steps_than_a_short_one() -> None:
    """Its expressions backtrack over no blanks: quadratic ones would take hours for a million."""

    def steps(length: int) -> int:
        text = "# x" + " " * length + "y\n" + "{#" * length
        return calls_of(lambda: (anchors(text), scrub_shown("token" + " " * length)))

    assert steps(1_000_000) == steps(100)


HOSTILE: dict[str, bytes] = {
    "an alias bomb": b"a: &a [x,x,x,x,x,x,x,x,x,x]\n"
    + b"".join(b"%c: &%c [%b]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 10)) for n in range(8)),
    "a circle": b"a: &a\n  b: *a\n",
    "depth": b"[" * 5000,
    "tags": b"!!python/object/apply:os.system ['true']\n",
    "control characters": b"a: \x00\x01\n",
    "two documents": b"a: 1\n---\nb: 2\n",
    "no UTF-8": b"a: \xff\xfe\n",
    "a set": b"!!set {a, b}\n",
    "binary": b"a: !!binary aGVsbG8=\n",
    "a huge number": b"a: " + b"9" * 10_000 + b"\n",
    "half a pair": b'a: "\\ud800"\n',
    "a merge of itself": b"a: &a {<<: *a}\n",
    "nothing": b"",
    "a list": b"- 1\n",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", ["pack.yaml", "evaluators.yaml"])
def test_that_a_hostile_file_is_a_problem_in_words(name: str, content: bytes, tmp_path: Path) -> None:
    from tests.fakes.qualification_vectors import overlaid

    folder = overlaid({"base": "base_pack"}, tmp_path)
    (folder / name).write_bytes(content)
    result = load_pack(folder)
    assert not result.ok
    assert all(problem.message and problem.fix for problem in result.problems)


@settings(max_examples=30)
@given(st.binary(max_size=300))
def test_that_any_bytes_as_manifest_are_a_problem_in_words(content: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pack.yaml").write_bytes(content)
        result = load_pack(Path(folder))
        assert not result.ok
        assert all(problem.message for problem in result.problems)


@given(st.integers(0, 60), st.integers(0, 60))
def test_that_mcnemar_is_a_probability_and_symmetric(first: int, second: int) -> None:
    p = mcnemar_exact(first, second)
    assert 0 <= p <= 1
    assert p == mcnemar_exact(second, first)


@pytest.mark.parametrize(
    ("first", "second", "p"), [(0, 0, 1.0), (0, 1, 1.0), (0, 5, 0.0625), (1, 9, 0.021484375)]
)
def test_that_mcnemar_gives_the_known_values(first: int, second: int, p: float) -> None:
    assert mcnemar_exact(first, second) == pytest.approx(p, abs=1e-12)


def test_that_mcnemar_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        mcnemar_exact(-1, 2)


def test_that_kappa_tells_an_always_passing_judge_from_a_good_one() -> None:
    """W27: three passes in four cases; always passing agrees in 75 % and beyond chance not at all."""
    always = [("pass", "pass")] * 3 + [("label_mismatch", "pass")]
    assert cohens_kappa(always) == 0.0
    assert cohens_kappa([("pass", "pass")] * 3 + [("x", "x")]) == 1.0
    assert cohens_kappa([]) is None
    assert cohens_kappa([("pass", "pass")] * 4) is None


@pytest.mark.parametrize("operator", ["gte", "gt", "lte", "lt"])
@pytest.mark.parametrize("threshold", [0.05, 0.5, 0.9, 0.97])
def test_that_one_case_less_than_needed_is_not_enough(operator: str, threshold: float) -> None:
    needed = cases_for_perfect(operator, threshold)
    assert needed is not None
    perfect = (lambda n: n) if operator in ("gte", "gt") else (lambda n: 0)
    assert met_by(operator, threshold, perfect(needed), needed)
    if needed > 1:
        assert not met_by(operator, threshold, perfect(needed - 1), needed - 1)


@pytest.mark.parametrize(
    ("operator", "threshold"), [("gte", 1.0), ("gt", 1.0), ("lt", 0.0), ("lte", 0.0), ("eq", 0.5)]
)
def test_that_what_no_number_of_cases_meets_is_none(operator: str, threshold: float) -> None:
    assert cases_for_perfect(operator, threshold) is None


def test_that_the_chance_grows_with_the_cases_and_is_reached_where_told() -> None:
    needed = cases_needed("gte", 0.9, 0.97)
    assert needed is not None
    assert chance_to_meet("gte", 0.9, 0.97, needed) >= 0.8
    assert chance_to_meet("gte", 0.9, 0.97, needed // 2) < 0.8
    assert cases_needed("gte", 0.9, 0.9) is None
    assert cases_needed("lte", 0.1, 0.02) is not None


def test_that_unknown_operators_and_rates_are_refused() -> None:
    with pytest.raises(ValueError, match="operator"):
        verdict("near", 0.5, 0.4, 0.6)
    with pytest.raises(ValueError, match="proportions"):
        cases_needed("gte", 0.9, 1.5)
