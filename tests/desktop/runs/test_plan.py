"""Which models are run, which examples, and for how long."""

from __future__ import annotations

import pytest

from desktop.inference.backends.base import ModelRef
from desktop.runs.estimate import TimeRange, planned_range, remaining_range
from desktop.runs.plan import Assessment, choose, make_plan, spread
from desktop.runs.settings import RunSettings
from packs.errors import AppError
from tests.fakes.plain_work import PlainWork

SMALL = ModelRef("fake", "small:latest", size_bytes=10)
LARGE = ModelRef("fake", "large", size_bytes=90)
CLOUD = ModelRef("fake", "cloud", remote=True)
HERE = [SMALL, LARGE, CLOUD]


def names(models: list[ModelRef]) -> list[str]:
    return [model.name for model in models]


def test_that_named_models_are_run_alone_and_in_their_order() -> None:
    chosen, left_out = choose(HERE, RunSettings(models=("large", "small")), hint="")
    assert (names(chosen), left_out) == (["large", "small:latest"], [])


def test_that_configured_models_come_first_and_no_model_twice() -> None:
    chosen, left_out = choose(HERE, RunSettings(configured=("large",)), hint="")
    assert names(chosen) == ["large", "small:latest"]
    assert [(entry.name, entry.code) for entry in left_out] == [("cloud", "remote")]
    assert names(choose(HERE, RunSettings(configured=("small",), use_local_models=False), hint="")[0]) == [
        "small:latest"
    ]


def test_that_a_remote_model_is_run_only_when_allowed() -> None:
    with pytest.raises(AppError) as caught:
        choose(HERE, RunSettings(models=("cloud",)), hint="")
    assert caught.value.code == "remote_not_allowed"
    assert names(choose(HERE, RunSettings(models=("cloud",), allow_remote=True), hint="")[0]) == ["cloud"]


def test_that_a_misspelt_model_is_told_with_the_nearest_name() -> None:
    with pytest.raises(AppError) as caught:
        choose(HERE, RunSettings(models=("larg",)), hint="")
    assert caught.value.code == "no_such_model"
    assert "large" in caught.value.fix


def test_that_no_model_at_all_says_what_to_do() -> None:
    with pytest.raises(AppError) as caught:
        choose([], RunSettings(), hint="Put a GGUF file into the models folder.")
    assert caught.value.fix == "Put a GGUF file into the models folder."


def test_that_an_embedding_model_is_left_out_with_its_reason_even_when_named() -> None:
    unsuitable = Assessment(unsuitable="An embedding model: it answers no prompt.")
    settings = RunSettings(models=("small", "large"))
    plan = make_plan(
        PlainWork(), [SMALL, LARGE], settings, lambda model, _: unsuitable if model is SMALL else Assessment()
    )
    assert [entry.model for entry in plan.candidates] == [LARGE]
    assert plan.left_out[0].reason == "An embedding model: it answers no prompt."


def test_that_a_named_model_is_run_whatever_its_fit() -> None:
    plan = make_plan(
        PlainWork(),
        [LARGE],
        RunSettings(models=("large",)),
        lambda *_: Assessment("does-not-fit", "Too large."),
    )
    assert len(plan.candidates) == 1
    with pytest.raises(AppError) as caught:
        make_plan(PlainWork(), [LARGE], RunSettings(), lambda *_: Assessment("does-not-fit", "Too large."))
    assert "Too large." in caught.value.message and "force" in caught.value.fix


@pytest.mark.parametrize(
    "settings", [RunSettings(limit=0), RunSettings(repetitions=0), RunSettings(parallel=-1)]
)
def test_that_numbers_below_one_are_refused(settings: RunSettings) -> None:
    with pytest.raises(AppError) as caught:
        make_plan(PlainWork(), [LARGE], settings)
    assert caught.value.code.startswith("bad_")


def test_that_a_limit_takes_a_spread_over_labels() -> None:
    ids = [f"{number:02}" for number in range(30)]
    labels = {name: "abc"[min(position // 14, 2)] for position, name in enumerate(ids)}  # 14 a, 14 b, 2 c
    taken = spread(ids, labels.__getitem__, 6)
    assert taken == sorted(taken)
    assert sorted(labels[name] for name in taken) == ["a", "a", "a", "b", "b", "c"] or sorted(
        labels[name] for name in taken
    ) == ["a", "a", "b", "b", "b", "c"]


@pytest.mark.parametrize("limit", range(1, 32))
def test_that_a_limit_gives_just_so_many_examples(limit: int) -> None:
    ids = [f"{number:02}" for number in range(30)]
    taken = spread(ids, lambda name: name[1], limit)
    assert len(taken) == len(set(taken)) == min(limit, 30)


def test_that_without_labels_a_limit_is_spread_over_the_pack() -> None:
    ids = [f"{number:02}" for number in range(30)]
    assert spread(ids, lambda _: "", 3) == ["05", "15", "25"]


def test_that_the_range_narrows_once_a_speed_is_known() -> None:
    unknown, known = planned_range(60, 512), planned_range(60, 512, 100.0)
    assert unknown.low_s < unknown.high_s
    assert known.high_s - known.low_s < unknown.high_s - unknown.low_s


def test_that_what_remains_is_a_range_from_what_was_seen() -> None:
    assert remaining_range([], 10, []) is None
    few = remaining_range([1.0, 1.0], 10, [])
    many = remaining_range([1.0] * 20, 10, [])
    assert few is not None and few.low_s < 10 < few.high_s
    assert many == TimeRange(10.0, 10.0)
    later = remaining_range([1.0] * 20, 10, [(30, 0.5)])
    assert later is not None and later.low_s < 40 and later.high_s > 40


def test_that_settings_read_back_as_they_were_stored() -> None:
    settings = RunSettings(models=("a", "b"), limit=3, parallel=4, cold=True)
    assert RunSettings.from_json(settings.as_json()) == settings
    assert RunSettings.from_json({}) == RunSettings()
