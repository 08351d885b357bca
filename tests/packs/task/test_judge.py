"""Causes, near misses and reasoning text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.task.judge import failure_outcome, judge
from packs.task.outcome import Cause, Outcome
from packs.task.reasoning import split_reasoning
from packs.task.scoring import ScorerSpec, Scoring
from tests.fakes.work_count import calls_of

LABELS = Scoring(ScorerSpec("exact-label", {"labels": ["billing", "shipping", "other"]}))
NUMBER = Scoring(ScorerSpec("numeric-tolerance", {"tolerance": 0.01}))
FIELDS = Scoring(ScorerSpec("field-f1", {"key_fields": ["vendor", "total", "due_date"]}))
SCHEMA = {
    "type": "object",
    "required": ["vendor", "total", "due_date"],
    "properties": {"total": {"type": "number"}},
}
GATED = Scoring(
    ScorerSpec("field-f1", {"key_fields": ["vendor", "total", "due_date"]}),
    [ScorerSpec("json-schema", {"schema": SCHEMA})],
)
INVOICE = {"vendor": "Nordwind", "total": 1234.5, "due_date": "2026-03-14"}


def codes(outcome: Outcome) -> list[str]:
    return [miss.code for miss in outcome.near_misses]


def test_that_the_right_label_is_correct() -> None:
    outcome = judge(LABELS, "billing", " Billing\n")
    assert (outcome.cause, outcome.score, outcome.passed) == (Cause.CORRECT, 1.0, True)
    assert outcome.strict_score == 1.0


def test_that_another_label_is_wrong_and_both_are_named() -> None:
    outcome = judge(LABELS, "billing", "shipping")
    assert outcome.cause is Cause.WRONG
    assert "'shipping'" in outcome.reason
    assert "'billing'" in outcome.reason


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("**billing**", "bold_marks"),
        ("billing.", "final_stop"),
        ('"billing"', "quotes"),
        ("`billing`", "code_marks"),
        ("Label: billing", "lead_in"),
        ("- billing", "list_mark"),
        ("bill\u200eing", "invisible_mark"),
        ("This is about billing, I think", "prose_around"),
    ],
)
def test_that_a_label_with_something_around_it_is_unreadable_and_the_thing_is_named(
    answer: str, code: str
) -> None:
    outcome = judge(LABELS, "billing", answer)
    assert (outcome.cause, outcome.score) == (Cause.UNREADABLE, 0.0)
    assert code in codes(outcome)
    assert "as expected" in outcome.reason


def test_that_an_answer_naming_two_labels_is_not_taken_for_one() -> None:
    outcome = judge(LABELS, "billing", "either billing or shipping")
    assert codes(outcome) == []
    assert "several labels: 'billing', 'shipping'" in outcome.reason
    assert "It seems to mean" not in outcome.reason


@pytest.mark.parametrize(
    ("answer", "expected", "code"),
    [
        ("1.234,50", 1234.5, "european_number"),
        ("42,5", 42.5, "european_number"),
        ("1 234.50", 1234.5, "spaced_groups"),
        ("−42", -42, "typographic_minus"),
        (".42", 0.42, "leading_dot"),
        ("4.2e1", 42, "exponent"),
        ("(42)", -42, "parentheses"),
        ("- 42 apples", 42, "list_mark"),
        ("3 pens at 14 make 42", 42, "later_number"),
    ],
)
def test_that_a_number_written_another_way_is_unreadable_and_not_wrong(
    answer: str, expected: float, code: str
) -> None:
    outcome = judge(NUMBER, expected, answer)
    assert (outcome.cause, outcome.score) == (Cause.UNREADABLE, 0.0)
    assert codes(outcome) == [code]


def test_that_a_wrong_number_is_wrong() -> None:
    assert judge(NUMBER, 42, "41").cause is Cause.WRONG


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ('{"vendor": "Nordwind", "total": 1234.5, "due_date": "2026-03-14",}', "trailing_comma"),
        ("{“vendor”: “Nordwind”}", "curly_quotes"),
        ("{'vendor': 'Nordwind'}", "single_quotes"),
        ('{"total": NaN}', "constant"),
        ('{"total": None}', "not_json_word"),
        ('{"vendor": "a"', "unclosed"),
        ('{"vendor": "a\nb"}', "line_break_in_text"),
    ],
)
def test_that_broken_json_is_unreadable_and_says_what_is_wrong_where(answer: str, code: str) -> None:
    outcome = judge(FIELDS, INVOICE, answer)
    assert (outcome.cause, outcome.score) == (Cause.UNREADABLE, 0.0)
    assert codes(outcome) == [code]
    start = outcome.near_misses[0].start
    assert start is not None
    assert 0 <= start < len(answer)


def test_that_two_of_three_fields_are_partly_correct_and_the_wrong_one_is_shown() -> None:
    outcome = judge(FIELDS, INVOICE, '{"vendor":"nordwind","total":"1.234,50","due_date":"2026-03-14"}')
    assert outcome.cause is Cause.PARTLY_CORRECT
    assert outcome.score == pytest.approx(2 / 3)
    assert codes(outcome) == ["european_number"]
    assert "total" in outcome.reason


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"due_date": "14 March 2026"}, "date_form"),
        ({"due_date": "14.03.2026"}, "date_form"),
        ({"vendor": "Nordwind GmbH"}, "extra_words"),
        ({"vendor": ["Nordwind"]}, "wrapped_in_list"),
    ],
)
def test_that_a_field_that_is_nearly_right_is_named(fields: dict[str, Any], code: str) -> None:
    import json

    outcome = judge(FIELDS, INVOICE, json.dumps({**INVOICE, **fields}))
    assert codes(outcome) == [code]


def test_that_a_key_in_another_spelling_is_named() -> None:
    outcome = judge(FIELDS, INVOICE, '{"Vendor":"Nordwind","total":1234.5,"Due Date":"2026-03-14"}')
    assert codes(outcome) == ["key_spelling", "key_spelling"]


def test_that_a_failed_gate_is_named_with_its_reason() -> None:
    outcome = judge(GATED, INVOICE, '{"vendor":"Nordwind","total":"1234.50","due_date":"2026-03-14"}')
    assert (outcome.cause, outcome.score, outcome.failed_gate) == (Cause.GATE_FAILED, 0.0, "json-schema")
    assert "json-schema" in outcome.reason
    assert "/total" in outcome.reason
    assert outcome.detail["gates"]
    assert outcome.detail["primary"] == {"score": 1.0, "passed": True}


def test_that_an_answer_cut_at_the_limit_is_told_apart_from_a_wrong_one() -> None:
    outcome = judge(FIELDS, INVOICE, '{"vendor": "Nord', finish_reason="length", max_tokens=12)
    assert outcome.cause is Cause.ANSWER_CUT
    assert "12 tokens" in outcome.reason


def test_that_a_right_answer_that_goes_on_to_the_limit_stays_correct() -> None:
    assert judge(NUMBER, 42, "42 and so on", finish_reason="length").cause is Cause.CORRECT


def test_that_an_empty_answer_is_empty_and_not_wrong() -> None:
    outcome = judge(LABELS, "billing", " \n")
    assert (outcome.cause, outcome.score) == (Cause.EMPTY, 0.0)


@pytest.mark.parametrize(
    "answer",
    ["<think>hm, billing?</think>\n\nbilling", "hm, shipping no</think>billing", "<THINK></THINK>billing"],
)
def test_that_reasoning_in_the_text_is_set_aside_and_both_scores_are_kept(answer: str) -> None:
    outcome = judge(LABELS, "billing", answer)
    assert (outcome.cause, outcome.score, outcome.scored_text) == (Cause.CORRECT, 1.0, "billing")
    assert (outcome.strict_score, outcome.strict_passed) == (0.0, False)


def test_that_reasoning_in_a_field_of_its_own_leaves_the_strict_score_alone() -> None:
    outcome = judge(LABELS, "billing", "billing", reasoning="The person asks about money.")
    assert (outcome.score, outcome.strict_score) == (1.0, 1.0)
    assert outcome.reasoning == "The person asks about money."


def test_that_thinking_up_to_the_limit_has_a_cause_of_its_own() -> None:
    outcome = judge(LABELS, "billing", "<think>let me see", finish_reason="length", max_tokens=64)
    assert outcome.cause is Cause.REASONING_USED_IT_UP
    assert outcome.reasoning == "let me see"


def test_that_a_think_tag_inside_an_answer_is_part_of_it() -> None:
    text = "Use <think> tags </think> sparingly"
    assert split_reasoning(text, "", LABELS).visible == text


SIGNS = Scoring(ScorerSpec("exact-label", {"labels": ["Billing", "spam", "e-mail", "don't know", "👍", "❤️"]}))
NOTE_SHAPE = Scoring(ScorerSpec("json-schema", {"schema": {"type": "object", "required": ["note"]}}))
NAMED = Scoring(ScorerSpec("field-f1", {"key_fields": ["name"]}))
CONTAINS = Scoring(ScorerSpec("pattern", {"patterns": ["e-mail don't"]}))


@pytest.mark.parametrize(
    ("scoring", "expected", "answer"),
    [
        (SIGNS, "Billing", "The label Billing is not applicable"),
        (SIGNS, "spam", "not spam"),
        (SIGNS, "spam", "Not: spam"),
        (SIGNS, "spam", "This isn't spam."),
        (SIGNS, "spam", "This isn’t spam."),
        (SIGNS, "spam", "Das ist kein Spam"),
        (SIGNS, "spam", "spam or billing"),
        (SIGNS, "spam", "Anything rather than spam"),
        (NAMED, {"name": "Nordwind"}, '{"name": "not Nordwind"}'),
        (NAMED, {"name": "2026-04-03"}, '{"name": "03.04.2026"}'),
        (NAMED, {"name": "2026-04-03"}, '{"name": "04/03/2026"}'),
        (NAMED, {"name": "2026-03-14"}, '{"name": "14 March 2026 or 15 March 2026"}'),
        (NAMED, {"name": "2026-02-30"}, '{"name": "30.02.2026"}'),
        (NUMBER, 42, "It is 41, not 42"),
    ],
)
def test_that_a_denial_two_labels_and_a_date_with_two_readings_are_no_near_misses(
    scoring: Scoring, expected: object, answer: str
) -> None:
    outcome = judge(scoring, expected, answer)
    assert (outcome.score, codes(outcome)) == (0.0, [])
    assert "seems to mean" not in outcome.reason
    assert "right date" not in outcome.reason


@pytest.mark.parametrize(
    ("scoring", "expected", "answer", "code", "said"),
    [
        (SIGNS, "👍", "👍🏽", "skin_tone", "skin tone"),
        (SIGNS, "👍", "👍\ufe0f", "variation_selector", "U+FE0F"),
        (SIGNS, "❤️", "❤", "variation_selector", "lacks a variation selector"),
        (SIGNS, "spam", "sp\u200eam", "invisible_mark", "left-to-right mark (U+200E)"),
        (SIGNS, "spam", "\u202bspam", "invisible_mark", "right-to-left embedding (U+202B)"),
        (SIGNS, "e-mail", "e\u2011mail", "hyphen_form", "non-breaking hyphen"),
        (SIGNS, "don't know", "**Don’t know.**", "apostrophe", "right single quotation mark"),
        (NAMED, {"name": "e-mail"}, '{"name": "e\u2011mail"}', "hyphen_form", "name holds another hyphen"),
        (NAMED, {"name": "don't"}, '{"name": "don’t"}', "apostrophe", "name holds a typographic apostrophe"),
        (NAMED, {"name": 42}, '{"name": "٤٢"}', "other_digits", "another script"),
        (NAMED, {"name": -42}, '{"name": "−42"}', "typographic_minus", "minus"),
        (NAMED, {"name": "2026-04-13"}, '{"name": "13.4.2026"}', "date_form", "right date"),
        (NAMED, {"name": "a"}, '```json\n{"name": "b"}\n```', "code_fence", "fence"),
        (NAMED, {"name": "a"}, ' ```json\n{"name": "a",}\n```', "code_fence", "fence"),
        (NAMED, {"name": "a"}, '{"name": "b"} {"name": "a"}', "several_values", "More than one JSON value"),
        (NAMED, {"name": "a"}, '{"name": "a", "name": "b"}', "repeated_key", "'name' stands twice"),
        (NAMED, {"name": "a"}, '[see below] {"name": "a"}', "later_candidate", "comes later"),
        (NOTE_SHAPE, None, '[see below] {"note": "a"}', "later_candidate", "comes later"),
        (NOTE_SHAPE, None, '{"a": 1, "a": 2}', "repeated_key", "'a' stands twice"),
        (NUMBER, 42, "٤٢", "other_digits", "another script"),
        (NUMBER, 42.5, "१ or ४२٫५"[4:], "other_digits", "another script"),
        (NUMBER, -1234.5, "−1,234.50", "typographic_minus", "minus"),
        (NUMBER, -42, "−$42", "typographic_minus", "minus"),
        (NUMBER, -42, "$−42", "typographic_minus", "minus"),
        (CONTAINS, None, "by e‑mail don’t", "look_alike", "look alike"),
    ],
)
def test_that_each_sign_that_keeps_an_answer_from_being_right_is_named(
    scoring: Scoring, expected: object, answer: str, code: str, said: str
) -> None:
    outcome = judge(scoring, expected, answer)
    assert outcome.passed is False
    assert code in codes(outcome)
    assert said in " ".join(miss.message for miss in outcome.near_misses)


def test_that_the_name_of_a_constant_keeps_its_letters() -> None:
    for word in ("NaN", "Infinity"):
        assert f": {word} is" in judge(FIELDS, INVOICE, f'{{"total": {word}}}').reason


WORDS = Scoring(ScorerSpec("pattern", {"patterns": ["split"]}))
NOTE = Scoring(ScorerSpec("field-f1", {"key_fields": ["note"]}))
MARKED = {"note": "strip up to </think>"}
MARKED_JSON = '{"note":"strip up to </think>"}'


@pytest.mark.parametrize(
    ("scoring", "expected", "answer"),
    [
        (NOTE, MARKED, MARKED_JSON),
        (NOTE, MARKED, f"```json\n{MARKED_JSON}\n```"),
        (NOTE, MARKED, f"Here it is: {MARKED_JSON}"),
        (NOTE_SHAPE, None, MARKED_JSON),
        (NOTE, {"note": "</think>{}"}, '{"note":"</think>{}"}'),
        (WORDS, None, "Use text.split('</think>')[-1]."),
        (WORDS, None, "split\n</think>\nand more"),
        (WORDS, None, "Then split at [/THINK] or </reasoning>."),
        (NUMBER, 42, "42"),
    ],
)
def test_that_a_closing_mark_in_an_answer_that_can_be_read_is_part_of_it(
    scoring: Scoring, expected: object, answer: str
) -> None:
    outcome = judge(scoring, expected, answer)
    assert (outcome.score, outcome.scored_text, outcome.reasoning) == (1.0, answer, "")
    assert "set_aside" not in outcome.detail


FORMS = [
    ("<think>", "</think>"),
    ("<THINK>", "</THINK>"),
    ("<think >", "</think >"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final <|constrain|>json<|message|>"),
    (
        "<|start|>assistant<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant<|channel|>final<|message|>",
    ),
    ("<|channel>thought\n", "<channel|>"),
]


@pytest.mark.parametrize(("opening", "closing"), FORMS)
@pytest.mark.parametrize(
    ("scoring", "expected", "said"),
    [
        (LABELS, "billing", "billing"),
        (NUMBER, 42, "42"),
        (NOTE, MARKED, MARKED_JSON),
        (NOTE_SHAPE, None, MARKED_JSON),
        (WORDS, None, "Use text.split('</think>')[-1]."),
    ],
)
def test_that_every_known_form_of_reasoning_is_set_aside_and_told_for_every_scorer(
    opening: str, closing: str, scoring: Scoring, expected: object, said: str
) -> None:
    outcome = judge(scoring, expected, f"\n{opening}shipping 7 {{}}{closing}\n\n{said}")
    assert (outcome.score, outcome.scored_text) == (1.0, said)
    assert outcome.reasoning == "shipping 7 {}"
    told: Any = outcome.detail["set_aside"]
    assert told["form"].lower()[:6] in opening.replace(" ", "").lower()
    assert told["form"] in told["why"]
    unfinished = judge(scoring, expected, f"{opening}shipping 7 {{}}", finish_reason="length")
    assert (unfinished.cause, unfinished.scored_text) == (Cause.REASONING_USED_IT_UP, "")


@pytest.mark.parametrize(
    ("scoring", "expected", "answer", "visible"),
    [
        (LABELS, "billing", "draft one</think> second thoughts</think>billing", "billing"),
        (LABELS, "billing", "<think>draft</think> second thoughts</think>billing", "billing"),
        (LABELS, "billing", "<think>a</think>\n<think>b</think>billing", "billing"),
        (LABELS, "billing", "<think>a</think><reasoning>b</reasoning>billing", "billing"),
        (LABELS, "billing", "hm[/THINK]billing", "billing"),
        (LABELS, "billing", "hm\n</think>\n\n**billing**", "**billing**"),
        (LABELS, "billing", "<think>a</think>**billing**", "**billing**"),
        (NUMBER, 42, "3 pens at 14</think>42", "42"),
        (NUMBER, 42, "<think>3 at 14</think>It is 42", "It is 42"),
        (NOTE, MARKED, 'first {"note": 1}</think>' + MARKED_JSON, MARKED_JSON),
        (NOTE, {"note": "</think>{}"}, '<think>a</think>{"note":"</think>{}"}', '{"note":"</think>{}"}'),
        (WORDS, None, "<think>a</think>no</think>split", "split"),
        (LABELS, "billing", "<think>a</think><think>b</think>", ""),
        (LABELS, "billing", "Use <think> tags </think> billing", "Use <think> tags </think> billing"),
    ],
)
def test_that_reasoning_ends_at_the_last_closing_mark_that_leaves_an_answer(
    scoring: Scoring, expected: object, answer: str, visible: str
) -> None:
    assert judge(scoring, expected, answer).scored_text == visible


def test_that_an_answer_that_is_a_mark_itself_is_no_reasoning() -> None:
    marks = Scoring(ScorerSpec("exact-label", {"labels": ["<think>", "[THINK]"]}))
    assert judge(marks, "<think>", "<think>").passed


def test_that_a_shortened_prompt_gives_no_score() -> None:
    outcome = judge(LABELS, "billing", "billing", prompt_tokens_sent=900, prompt_tokens_read=512)
    assert (outcome.cause, outcome.score, outcome.passed) == (Cause.INPUT_CUT, None, None)


def test_that_a_pattern_out_of_time_gives_no_score_and_is_not_the_models_doing() -> None:
    scoring = Scoring(ScorerSpec("pattern", {"patterns": ["^(?:a|a)+$"], "mode": "regex"}))
    outcome = judge(scoring, None, "a" * 60 + "!")
    assert (outcome.cause, outcome.score) == (Cause.TIMED_OUT, None)
    assert "^(?:a|a)+$" in outcome.reason


def test_that_a_failure_has_no_score() -> None:
    outcome = failure_outcome(Cause.OUT_OF_MEMORY, "It ran out of memory.")
    assert (outcome.score, outcome.passed) == (None, None)


def test_that_a_failure_cannot_claim_an_answer() -> None:
    with pytest.raises(ValueError, match="needs an answer"):
        failure_outcome(Cause.WRONG, "no")


def test_that_scoring_survives_the_way_through_json() -> None:
    import json

    again = Scoring.from_snapshot(json.loads(json.dumps(GATED.as_json())))
    text = '{"vendor":"Nordwind","total":1234.5,"due_date":"2026-03-14"}'
    assert judge(again, INVOICE, text) == judge(GATED, INVOICE, text)


ANY_TEXT = st.text(max_size=200) | st.text(alphabet='{}[]",:<>/thinkabc0123456789.-−\\ \n', max_size=120)


@given(ANY_TEXT, st.sampled_from(["stop", "length", ""]))
def test_that_any_text_gets_a_score_within_zero_and_one_and_a_reason(text: str, finish: str) -> None:
    for scoring, expected in ((LABELS, "other"), (NUMBER, 12), (FIELDS, INVOICE), (GATED, INVOICE)):
        outcome = judge(scoring, expected, text, finish_reason=finish)
        assert outcome.score is not None
        assert 0 <= outcome.score <= 1
        assert outcome.reason
        if outcome.passed:
            assert outcome.cause is Cause.CORRECT
        for miss in outcome.near_misses:
            assert miss.start is None or 0 <= miss.start <= len(outcome.scored_text)


@pytest.mark.parametrize(
    "piece",
    [
        "1,",
        "1",
        "a ",
        "{",
        '"',
        "\u200b",
        "½",
        "<think>",
        "</think>",
        "a</think>",
        "<think>7</think>",
        "- 1\n",
        "* ",
    ],
)
def test_that_judging_a_longer_answer_takes_no_more_steps_than_it_is_longer(piece: str) -> None:
    def steps(length: int) -> int:
        text = piece * (length // len(piece))
        return calls_of(lambda: judge(scoring, expected, text))

    for scoring, expected in ((LABELS, "billing"), (NUMBER, 123456), (GATED, INVOICE)):
        assert judge(scoring, expected, piece * (200_000 // len(piece))).score is not None
        assert steps(100_000) < 2.2 * steps(50_000) + 1000  # four times as many when it is quadratic
