"""The speed estimate: what a token costs, how runs correct it, and the words."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from desktop.inference.memory_fit.fit import FitModel
from desktop.inference.memory_fit.speed import (
    MachineSpeed,
    SpeedRange,
    SpeedRun,
    TokenCost,
    calibrated_speed,
    default_speed,
    expected_speed,
    speed_figures,
    speed_sentence,
    speed_word,
    token_cost,
)
from tests.fakes.models import facts_8b, model_8b


def test_that_a_token_reads_blocks_output_and_cache() -> None:
    none, some = token_cost(model_8b(), 0), token_cost(model_8b(), 1000)
    assert none.layers == 32
    assert none.slow_bytes == 411 * 2**20
    assert none.fast_bytes == pytest.approx(4684 * 0.85 * 2**20)
    assert some.fast_bytes - none.fast_bytes == pytest.approx(1000 * 32 * 8 * 256 * 2)


def test_that_a_tied_embedding_is_read_as_the_output() -> None:
    tied = FitModel.of(replace(facts_8b(), tied_output=True, output_type="Q4_K"))
    assert token_cost(tied, 0).fast_bytes == pytest.approx((4684 * 0.85 + 282) * 2**20)


def test_that_the_defaults_follow_the_specification() -> None:
    speed = default_speed(40.0)
    assert speed.layer_s == pytest.approx(0.165e-3)
    assert speed.fast_s == pytest.approx(1 / 32e9)
    assert speed.slow_s == pytest.approx(1 / 24e9)
    found = expected_speed(TokenCost(30, 80e6, 0), speed)
    middle = 1 / (30 * 0.165e-3 + 80e6 / 32e9)
    assert (found.low, found.high) == (pytest.approx(0.6 * middle), pytest.approx(1.4 * middle))
    assert not found.calibrated


COSTS = [TokenCost(30, 30e6, 62e6), TokenCost(16, 600e6, 200e6), TokenCost(32, 4e9, 5e8), TokenCost(28, 6e8, 0)]


def _run(cost: TokenCost, machine: MachineSpeed, noise: float = 1.0) -> SpeedRun:
    seconds = (
        cost.layers * machine.layer_s + cost.fast_bytes * machine.fast_s + cost.slow_bytes * machine.slow_s
    )
    return SpeedRun(cost, noise / seconds)


def test_that_runs_draw_the_estimate_to_this_machine() -> None:
    truth = MachineSpeed(0.3e-3, 1 / 15e9, 1 / 9e9)
    default = default_speed(40.0)
    learned = calibrated_speed(default, [_run(cost, truth) for cost in COSTS])
    assert learned.runs == 4
    for cost in COSTS:
        found, real = expected_speed(cost, learned), _run(cost, truth).tokens_per_second
        assert found.calibrated
        assert found.low < real < found.high


def test_that_a_single_run_scales_everything() -> None:
    default = default_speed(40.0)
    truth = MachineSpeed(default.layer_s * 2, default.fast_s * 2, default.slow_s * 2)
    learned = calibrated_speed(default, [_run(COSTS[0], truth)])
    assert learned.layer_s == pytest.approx(truth.layer_s, rel=0.02)
    assert learned.fast_s == pytest.approx(truth.fast_s, rel=0.02)
    assert not expected_speed(COSTS[1], learned).calibrated


def test_that_odd_runs_never_give_an_odd_speed() -> None:
    chance = random.Random(5)
    default = default_speed(40.0)
    for _ in range(200):
        runs = [
            SpeedRun(
                TokenCost(chance.randint(1, 100), chance.choice([0, 1e6, 1e11]), chance.random() * 1e9),
                chance.choice([0.001, 5, 1e5]),
            )
            for _ in range(chance.randint(1, 6))
        ]
        learned = calibrated_speed(default, runs)
        assert 0 < learned.layer_s < 0.01
        assert 0 < expected_speed(COSTS[1], learned).low < 1e6


def test_that_no_run_changes_nothing() -> None:
    assert calibrated_speed(default_speed(40.0), [SpeedRun(COSTS[0], 0.0)]) == default_speed(40.0)


def test_that_figures_are_whole_and_words_come_first() -> None:
    assert speed_figures(SpeedRange(17.6, 27.4, True)) == "18 – 27 tok/s"
    assert speed_figures(SpeedRange(0.2, 0.7, True)) == "up to 1 tok/s"
    assert speed_figures(SpeedRange(3.1, 3.4, True)) == "about 3 tok/s"
    assert [speed_word(value) for value in (90, 20, 7, 3, 0.5)] == [
        "very fast",
        "fast",
        "readable",
        "slow",
        "very slow",
    ]
    assert speed_sentence(20) == "Writes faster than you read."
