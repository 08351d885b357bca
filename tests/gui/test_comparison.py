from __future__ import annotations

from dataclasses import replace

from desktop.gui.runs.result.comparison import compare
from desktop.reports.data import ReportData
from packs.task.outcome import Cause
from tests.fakes.reported_run import invoice_run, reported_run


def flipped(report: ReportData, candidate: int, count: int) -> ReportData:
    """The same run with `count` right answers of a candidate made wrong."""
    units = []
    for unit in report.units:
        if count and unit.candidate == candidate and unit.outcome is not None and unit.outcome.passed:
            outcome = replace(unit.outcome, cause=Cause.WRONG, passed=False, score=0.0)
            unit = replace(unit, outcome=outcome)
            count -= 1
        units.append(unit)
    return replace(report, units=tuple(units))


def test_that_a_run_against_itself_differs_in_nothing() -> None:
    found = compare(reported_run(), reported_run())
    assert found.flips == ()
    assert found.changes == ()
    assert all("No example flipped" in pair.sentence for pair in found.pairs)


def test_that_few_flips_show_nothing_and_many_do() -> None:
    after = flipped(reported_run(), 0, 2)
    pair = compare(reported_run(), after).pairs[0]
    assert (pair.lost, pair.won) == (2, 0)
    assert "do not show which is better" in pair.sentence
    pair = compare(reported_run(), flipped(reported_run(), 0, 12)).pairs[0]
    assert pair.p < 0.05
    assert "A difference is shown" in pair.sentence


def test_that_flips_say_what_became_of_the_example() -> None:
    found = compare(flipped(reported_run(), 1, 1), reported_run())
    assert [(flip.model, flip.before, flip.after, flip.better) for flip in found.flips] == [
        ("SmolLM2-360M", "wrong", "correct", True)
    ]
    assert found.flips[0].input


def test_that_what_was_different_is_named() -> None:
    before = reported_run()
    after = replace(
        before,
        pack=replace(before.pack, prompt="Another prompt {{input}}"),
        run=replace(before.run, backend_version="llama.cpp b2", settings={"constrained": True}),
        examples=(replace(before.examples[0], expected="returns"), *before.examples[1:]),
    )
    found = compare(before, after)
    assert [what for what, _, _ in found.changes] == [
        "Prompt",
        "Engine or server",
        "Answers",
        "Expected value of 001",
    ]
    assert len(found.notes) == 2


def test_that_another_server_other_models_and_other_settings_are_named() -> None:
    before = reported_run()
    after = replace(
        before,
        candidates=before.candidates[1:],
        run=replace(
            before.run,
            backend="openai",
            settings={"endpoint": "http://127.0.0.1:8080", "parallel": 4, "limit": 10},
        ),
    )
    changes = {what: (one, other) for what, one, other in compare(before, after).changes}
    assert changes["Kind of server"] == ("embedded", "openai")
    assert changes["Address of the server"] == ("–", "http://127.0.0.1:8080")
    assert "gemma-3-1b" in changes["Models"][0] and "gemma-3-1b" not in changes["Models"][1]
    assert changes["Answers at once"] == ("1", "4")
    assert changes["At most so many examples"] == ("all", "10")


def test_that_a_setting_an_old_journal_lacks_is_no_difference() -> None:
    before = reported_run()
    settings = {"constrained": False, "cold": False, "parallel": 1, "limit": None, "kv_cache_type": "f16"}
    after = replace(before, run=replace(before.run, settings=settings))
    assert compare(before, after).changes == ()


def test_that_runs_without_a_common_model_pair_their_best() -> None:
    other = invoice_run()
    other = replace(
        other,
        candidates=(replace(other.candidates[0], record=replace(other.candidates[0].record, name="new")),),
    )
    found = compare(reported_run(), other)
    assert [(pair.before, pair.after) for pair in found.pairs] == [("SmolLM2-360M", "new")]
    assert any(what == "Examples" for what, _, _ in found.changes)


def test_that_examples_that_ask_something_else_under_the_same_number_are_not_compared() -> None:
    before = reported_run()
    after = flipped(before, 0, 12)
    other = tuple(
        replace(example, input=f"Something else than {example.input}") if int(example.id) <= 20 else example
        for example in after.examples
    )
    found = compare(before, replace(after, examples=other))
    assert found.pairs[0].judged == 10
    assert all(int(flip.example) > 20 for flip in found.flips)
    assert "20 examples with the same number ask something else in the two runs" in found.notes[0]


def test_that_runs_of_two_packs_claim_no_difference() -> None:
    before = reported_run()
    others = tuple(replace(example, input=f"From another pack: {example.id}") for example in before.examples)
    found = compare(before, replace(flipped(before, 0, 12), examples=others))
    assert found.flips == ()
    for pair in found.pairs:
        assert "no example was answered in both runs with the same input" in pair.sentence


def test_that_a_very_small_chance_is_not_written_as_none() -> None:
    pair = compare(reported_run(), flipped(reported_run(), 0, 20)).pairs[0]
    assert pair.p < 0.001
    assert "in less than 0.1 % of such pairs" in pair.sentence
