"""Our recommendation: honest with few examples."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packs.errors import AppError
from packs.statistics.bootstrap import joint_posterior, share_within
from packs.statistics.mcnemar import mcnemar_exact
from packs.statistics.more_examples import NoNumber, more_examples
from packs.statistics.paired import holm, paired_p, sign_flip_p
from packs.task.floor import floor_of
from packs.task.model import Example
from packs.task.recommend import recommend
from packs.task.recommendation import Candidate, Recommendation, Rule
from packs.task.scoring import ScorerSpec, Scoring
from tests.fakes.work_count import calls_of


def candidate(name: str, scores: Sequence[float], peak: float | None = 1000, **more: object) -> Candidate:
    by_example = {f"e{place}": score for place, score in enumerate(scores)}
    values: dict[str, object] = {
        "quality": sum(scores) / len(scores) if scores else None,
        "gates_passed": True,
        "peak_mib": peak,
        "weights_mib": 500,
        "tokens_per_second": 10.0,
        "example_scores": by_example,
        "example_passes": {example: float(score == 1) for example, score in by_example.items()},
        "units_planned": len(scores),
        **more,
    }
    status = str(values.pop("status", "completed"))
    return Candidate(name, status, **values)  # type: ignore[arg-type]


def right(count: int, of: int = 30, *, first: bool = True) -> list[float]:
    row = [1.0] * count + [0.0] * (of - count)
    return row if first else row[::-1]


def ask(*candidates: Candidate, **settings: object) -> Recommendation:
    return recommend(list(candidates), rng=random.Random(1), **settings)  # type: ignore[arg-type]


def test_that_a_smaller_model_that_does_as_well_is_recommended_with_its_probability() -> None:
    result = ask(candidate("large", right(58, 60), 2000), candidate("small", right(57, 60), 1300))
    assert result.pick == "small"
    assert result.sentence.startswith("Use small: 57 of 60 right; the best had 58. It is ")
    assert "no more than 5 points worse and needs 0.68 GiB less memory" in result.sentence
    assert result.by_name["small"].difference_shown is False


def test_that_a_much_worse_smaller_model_is_not_recommended() -> None:
    result = ask(candidate("large", right(28), 2000), candidate("small", right(12), 1000))
    assert result.pick == "large"
    assert result.pick_is_best
    assert result.by_name["small"].difference_shown is True
    assert result.runners_up[0].code == "not_likely_enough"


def test_that_a_doubtful_smaller_model_is_named_with_the_examples_that_would_decide() -> None:
    large = right(27)
    small = [1.0] * 21 + [0.0] * 3 + [1.0] * 3 + [1.0, 0.0, 0.0]
    result = ask(candidate("large", large, 2000), candidate("small", small, 1000))
    assert result.pick == "large"
    assert "small needs 0.98 GiB less and may do" in result.sentence
    assert result.sentence.endswith("If it is as good as large, about 200 more examples would show it.")
    assert result.by_name["small"].more_examples == 200
    assert "supposes that the model is as good as the best" in result.reasons[-1]
    assert "a prior worth 1 example." in result.reasons[0]


def test_that_it_is_said_when_the_number_of_examples_cannot_be_told() -> None:
    few = ask(candidate("large", right(29), 2000), candidate("small", right(28), 1000))
    assert few.by_name["small"].more_examples is None
    assert not any("supposes" in reason for reason in few.reasons)
    assert "Too few answers differ to tell how many more examples would" in few.sentence
    narrow = ask(
        candidate("large", right(20), 2000), candidate("small", right(20, first=False), 1000), margin=0.0
    )
    assert "With a margin of only 0 points, more examples would hardly decide." in narrow.sentence


def test_that_equal_results_are_not_called_equally_good() -> None:
    rows = [right(20), right(20, first=False)]
    result = ask(candidate("a", rows[0], 1000), candidate("b", rows[1], 1000))
    assert "equal" not in result.sentence
    assert result.by_name["b"].difference_shown is False
    assert "do not show which is better" in result.sentence


def test_that_a_model_with_one_answer_of_sixty_is_not_a_candidate() -> None:
    lucky = candidate("lucky", [1.0], 500, units_planned=60, units_lost=59)
    result = ask(lucky, candidate("solid", right(54, 60), 900))
    assert result.pick == "solid"
    assert result.excluded[0].code == "too_many_failures"
    assert "59 of 60" in result.excluded[0].message


def test_that_models_that_get_nothing_right_are_never_recommended() -> None:
    result = ask(candidate("a", right(0)), candidate("b", right(0), 500))
    assert (result.pick, result.none_because) == (None, "floor")
    assert "nothing right" in result.sentence


def test_that_a_model_no_better_than_the_commonest_answer_is_never_recommended() -> None:
    result = ask(candidate("a", right(9)), floor=0.3, floor_text="always answering 'other'")
    assert (result.pick, result.none_because) == (None, "floor")
    assert "always answering 'other' would reach 0.300" in result.sentence


def test_that_one_gate_failure_does_not_bar_a_model() -> None:
    result = ask(
        candidate("a", right(29), 1000, gates_passed=False, gate_failures={"json-schema": 1}),
        candidate("b", right(12), 1500),
    )
    assert result.pick == "a"
    assert any("gates failed once" in warning for warning in result.warnings)


def test_that_one_mebibyte_of_measured_memory_does_not_decide() -> None:
    result = ask(
        candidate("heavy", right(27), 59, weights_mib=4482), candidate("light", right(27), 60, weights_mib=763)
    )
    assert result.pick == "light"
    better = ask(candidate("a", right(26), 1000), candidate("b", right(28), 1010))
    assert better.pick == "b"


def test_that_one_example_is_not_told_as_several() -> None:
    assert "With 1 example this" in ask(candidate("only", [1.0])).warnings[0]
    assert ask(candidate("only", [0.0])).sentence.endswith("nothing right in 1 example.")


def test_that_few_examples_are_told() -> None:
    assert "first impression" in ask(candidate("a", right(7, 8)), candidate("b", right(6, 8))).warnings[0]


def test_that_out_of_memory_is_a_reason_and_no_score() -> None:
    result = ask(candidate("a", right(20)), candidate("b", [], status="oom", quality=None))
    assert result.by_name["b"].message == "b ran out of memory."
    assert result.by_name["b"].probability is None
    assert result.sentence == "a has 20 of 30 right. It is the only model to choose from."


def test_that_nothing_run_and_nothing_finished_are_told() -> None:
    assert ask().none_because == "no_candidates"
    result = ask(
        candidate("a", [], status="oom", quality=None), candidate("b", [], status="failed", quality=None)
    )
    assert result.none_because == "none_eligible"
    assert "none of the 2 finished" in result.sentence


def test_that_only_examples_answered_by_all_are_compared() -> None:
    short = candidate("short", right(20)[:28])
    result = ask(short, candidate("whole", right(20)))
    assert result.by_name["whole"].examples == 28
    assert any("2 examples were not answered by every model" in warning for warning in result.warnings)


def test_that_the_same_seed_gives_the_same_words() -> None:
    pair = [candidate("a", right(25), 2000), candidate("b", right(23, first=False), 900)]
    assert recommend(pair, rng=random.Random(5)) == recommend(pair, rng=random.Random(5))


@pytest.mark.parametrize(
    ("settings", "code"),
    [({"tolerance": 1.0}, "tolerance"), ({"margin": -0.1}, "margin"), ({"confidence": 0.4}, "sureness")],
)
def test_that_settings_out_of_range_are_refused(settings: dict[str, float], code: str) -> None:
    with pytest.raises(AppError) as error:
        recommend([], rng=random.Random(1), **settings)  # type: ignore[arg-type]
    assert error.value.code == code


ROW = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=12, max_size=12)


@settings(max_examples=40)
@given(st.lists(ROW, min_size=1, max_size=4), st.sampled_from(list(Rule)))
def test_that_any_results_give_a_sentence_and_a_pick_among_the_candidates(
    rows: list[list[float]], rule: Rule
) -> None:
    result = ask(*(candidate(f"m{place}", row, 1000 + place) for place, row in enumerate(rows)), rule=rule)
    assert result.sentence
    assert result.pick is None or result.pick in {f"m{place}" for place in range(len(rows))}
    for decision in result.decisions:
        assert decision.probability is None or 0 <= decision.probability <= 1


# Statistics ----------


def test_that_mcnemar_agrees_with_the_binomial() -> None:
    assert mcnemar_exact(0, 5) == pytest.approx(0.0625)
    assert mcnemar_exact(3, 3) == 1.0
    for lost, won in ((7, 19), (40, 61), (300, 250)):
        exact = sum(math.comb(lost + won, k) for k in range(min(lost, won) + 1)) / 2 ** (lost + won - 1)
        assert mcnemar_exact(lost, won) == min(1.0, exact)


def test_that_thousands_of_changed_cases_are_still_tested_exactly() -> None:
    # Against the normal distribution with its correction for whole numbers, which is close for so many.
    z = (6_800 - 6_600 - 1) / math.sqrt(13_400)
    assert mcnemar_exact(6_600, 6_800) == pytest.approx(math.erfc(z / math.sqrt(2)), rel=1e-3)


def test_that_sampled_and_counted_sign_flips_agree() -> None:
    differences = [0.3, 0.2, 0.5, -0.1, 0.4, 0.25, -0.05, 0.6, 0.1, 0.2, 0.15, 0.35]
    exact = sign_flip_p(differences, random.Random(1))
    longer = sign_flip_p([*differences, 1e-7, -1e-7, 1e-7], random.Random(1), samples=20_000)
    assert longer == pytest.approx(exact, abs=0.005)


def test_that_the_normal_distribution_agrees_with_sampling_for_many_pairs() -> None:
    rng = random.Random(3)
    differences = [rng.uniform(-1, 1) + 0.12 for _ in range(60)]
    sampled = sign_flip_p(differences, random.Random(1), samples=20_000)
    normal = sign_flip_p([*differences, 1e-9 + 1e-11], random.Random(1))
    assert normal == pytest.approx(sampled, abs=0.02)


def test_that_weighing_six_models_takes_steps_in_proportion_to_their_examples() -> None:
    rng = random.Random(5)

    def six(examples: int) -> list[Candidate]:
        scores = [[round(rng.random(), 2) for _ in range(examples)] for _ in range(6)]
        return [candidate(f"m{number}", row, 1000 + number) for number, row in enumerate(scores)]

    assert ask(*six(1000)).sentence
    large, half = six(400), six(200)
    assert calls_of(lambda: ask(*large)) < 2.5 * calls_of(lambda: ask(*half))


def test_that_examples_that_repeat_one_another_count_as_one() -> None:
    """Ten different examples, four near-copies of each: no more evidence than the ten."""
    ten = [[1.0] * 9 + [0.0], [1.0] * 7 + [0.0] * 3]
    forty = [[score for score in row for _ in range(4)] for row in ten]
    groups = {f"e{place}": f"e{place - place % 4}" for place in range(40)}
    small, copied, taken_apart = (
        ask(candidate("large", rows[0], 2000), candidate("small", rows[1], 1000), groups=given)
        for rows, given in ((ten, None), (forty, groups), (forty, None))
    )
    decisions = [result.by_name["small"] for result in (small, copied, taken_apart)]
    assert decisions[1].probability == pytest.approx(decisions[0].probability or 0, abs=0.04)
    assert decisions[1].p_value == pytest.approx(decisions[0].p_value or 0, abs=0.02)
    assert decisions[1].interval == pytest.approx(decisions[0].interval)
    assert (decisions[2].p_value or 0) < 0.05 < (decisions[1].p_value or 0)
    assert (decisions[1].right, decisions[1].examples) == (28, 40)
    assert (
        "Of 40 examples only 10 are different; examples that repeat one another count as one."
        in copied.warnings
    )
    assert any(warning.startswith("With 10 different examples") for warning in copied.warnings)
    assert "40 examples, 10 of them different, that all 2 models" in copied.reasons[0]


def test_that_a_large_group_weighs_as_many_as_it_holds() -> None:
    """The quality is that of all examples, grouped or not."""
    groups = {f"e{place}": "e0" for place in range(20)}
    result = ask(candidate("one", right(20, 30)), candidate("two", right(10, 30, first=False)), groups=groups)
    assert result.by_name["one"].quality == pytest.approx(20 / 30)
    assert result.pick == "one"


def test_that_no_difference_gives_a_p_value_of_one() -> None:
    assert paired_p([0.5, 1.0], [0.5, 1.0], random.Random(1)) == 1.0


def test_that_holm_multiplies_the_smallest_most() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_that_the_posterior_is_not_certain_of_a_perfect_record() -> None:
    posterior = joint_posterior([[1.0] * 20], random.Random(1))
    mean = sum(draw[0] for draw in posterior) / len(posterior)
    assert 0.9 < mean < 0.99


def test_that_identical_answers_are_always_within_the_margin() -> None:
    posterior = joint_posterior([[1.0, 0.0] * 40] * 2, random.Random(1), prior_examples=0)
    assert share_within(posterior, 0, 0.0) == 1.0


def test_that_more_examples_are_counted_from_how_much_the_answers_scatter() -> None:
    """By hand: 12 of 60 differ and half of one imagined: 12.5 / 61, times (1.645 / 0.05)², less the 61."""
    first = [1.0] * 6 + [0.0] * 6 + [1.0] * 48
    best = [0.0] * 6 + [1.0] * 6 + [1.0] * 48
    reported = more_examples(first, best, 0.05)
    assert reported.count == pytest.approx(0.20492 * 1082.2 - 61, rel=0.001)
    assert reported.because is None


def test_that_a_candidate_that_lags_needs_more_and_a_wider_margin_needs_fewer() -> None:
    ones = [1] * 36
    even = more_examples([1, 0] * 12 + ones, [0, 1] * 12 + ones, 0.05).count
    behind = more_examples([1, 0] * 9 + [0] * 6 + ones, [0, 1] * 9 + [1] * 6 + ones, 0.05).count
    wide = more_examples([1, 0] * 12 + ones, [0, 1] * 12 + ones, 0.08).count
    assert even is not None
    assert behind is not None
    assert wide is not None
    assert wide < even < behind


def test_that_no_number_is_told_where_too_few_answers_differ() -> None:
    reported = more_examples(right(28), right(29), 0.05)
    assert (reported.count, reported.because) == (None, NoNumber.TOO_FEW_DIFFER)


def test_that_no_number_is_told_for_a_margin_that_nothing_reaches() -> None:
    for margin in (0.0, 0.005):
        reported = more_examples(right(20), right(20, first=False), margin)
        assert (reported.count, reported.because) == (None, NoNumber.MARGIN_TOO_SMALL)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40), st.floats(0, 0.99))
@settings(max_examples=100)
def test_that_the_number_is_always_one_or_none(rows: list[tuple[float, float]], margin: float) -> None:
    reported = more_examples(*zip(*rows, strict=True), margin)
    assert (reported.count is None) is (reported.because is not None)
    assert reported.count is None or 10 <= reported.count <= 5000


def test_that_the_floor_is_the_best_constant_answer() -> None:
    scoring = Scoring(ScorerSpec("exact-label", {"labels": ["a", "b"]}))
    examples = [Example(str(place), "x", "a" if place < 7 else "b") for place in range(10)]
    floor = floor_of(scoring, examples)
    assert floor is not None
    assert (floor.quality, floor.message) == (0.7, "always answering 'a'")
    assert floor_of(Scoring(ScorerSpec("pattern", {"patterns": ["x"]})), examples) is None
