"""The verdict, the largest context that fits, and what would make a model fit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.inference.machine.budget import MemoryBudget
from desktop.inference.memory_fit.fit import FitModel, FitSettings, predict
from desktop.inference.memory_fit.verdict import (
    FitVerdict,
    RemedyKind,
    better_load_mode,
    cache_can_be_small,
    fits,
    judge,
    largest_context,
    margin_of,
    remedies,
)
from tests.fakes.models import facts_8b, model_8b, unknown_model

AVX2 = frozenset({"Q4_0", "Q4_K", "IQ4_NL", "MXFP4"})
SETTINGS = FitSettings(8192, repack_types=AVX2)


def _budget(available: float, total: float = 16_384) -> MemoryBudget:
    return MemoryBudget(available, total)


def test_that_the_reserve_is_half_a_gibibyte_or_five_percent() -> None:
    assert MemoryBudget(1000, 4096).reserve == 512
    assert MemoryBudget(1000, 32_768).reserve == pytest.approx(1638.4)


def test_that_each_verdict_begins_exactly_at_its_bound() -> None:
    p = predict(model_8b(), SETTINGS)
    margin, reserve = margin_of(p), _budget(0).reserve
    bounds = [
        (p.peak + margin + reserve, FitVerdict.COMFORTABLE, FitVerdict.FITS),
        (p.need + margin + reserve, FitVerdict.FITS, FitVerdict.TIGHT),
        (p.need + margin, FitVerdict.TIGHT, FitVerdict.NO),
    ]
    for bound, at, below in bounds:
        assert judge(p, _budget(bound + 1e-6)).verdict is at
        assert judge(p, _budget(bound - 1e-3)).verdict is below


def test_that_no_says_by_how_much() -> None:
    p = predict(model_8b(), SETTINGS)
    judgement = judge(p, _budget(p.need))
    assert judgement.verdict is FitVerdict.NO
    assert judgement.short == pytest.approx(margin_of(p))


def test_that_free_memory_that_is_not_known_gives_no_verdict() -> None:
    assert judge(predict(model_8b(), SETTINGS), None).verdict is FitVerdict.UNKNOWN


def test_that_an_unknown_architecture_has_a_wider_margin() -> None:
    known, unknown = predict(model_8b(), SETTINGS), predict(unknown_model(), SETTINGS)
    assert margin_of(known) == pytest.approx(0.03 * known.need + 32)
    assert margin_of(unknown) == pytest.approx(0.15 * unknown.need + 32)


@pytest.mark.parametrize("available", [6_300, 7_000, 9_000, 12_345])
@pytest.mark.parametrize("slots", [1, 4])
def test_that_the_largest_context_fits_and_one_step_more_does_not(available: float, slots: int) -> None:
    model, settings, budget = model_8b(), replace(SETTINGS, slots=slots), _budget(available)
    found = largest_context(model, settings, budget)
    assert found is not None
    assert found % 1024 == 0
    assert fits(predict(model, replace(settings, context_tokens=found)), budget)
    assert not fits(predict(model, replace(settings, context_tokens=found + 1024)), budget)


def test_that_the_largest_context_stops_at_the_trained_one() -> None:
    model = FitModel.of(replace(facts_8b(), trained_context=8192))
    assert largest_context(model, SETTINGS, _budget(100_000, 128_000)) == 8192


def test_that_a_model_trained_with_little_is_not_offered_more() -> None:
    model = FitModel.of(replace(facts_8b(), trained_context=512))
    assert largest_context(model, SETTINGS, _budget(100_000, 128_000)) == 512
    assert largest_context(model, SETTINGS, _budget(1000)) is None


def test_that_no_context_at_all_is_said() -> None:
    assert largest_context(model_8b(), SETTINGS, _budget(1000)) is None


def test_that_every_remedy_makes_the_model_fit_and_comes_in_order() -> None:
    model = model_8b()
    settings = replace(SETTINGS, context_tokens=32_768)
    budget = _budget(predict(model, settings).need)
    smaller = [("Q2_K", model_8b(2900, "Q2_K")), ("Q3_K_M", model_8b(3400, "Q3_K"))]
    found = remedies(model, settings, budget, smaller=smaller, can_choose_load_mode=True)
    kinds = [remedy.kind for remedy in found]
    assert kinds == sorted(kinds, key=list(RemedyKind).index)
    assert kinds[:2] == [RemedyKind.SMALL_CACHE, RemedyKind.SHORTER_CONTEXT]
    for remedy in found:
        assert remedy.verdict in (FitVerdict.COMFORTABLE, FitVerdict.FITS)
        assert remedy.saves > 0
    # The largest of the smaller quantizations that fits is offered, not the smallest.
    assert [remedy.label for remedy in found if remedy.label] == ["Q3_K_M"]


def test_that_the_load_mode_is_offered_only_where_it_can_be_chosen() -> None:
    model, settings = model_8b(), replace(SETTINGS, load_mode="read")
    budget = _budget(predict(model, settings).need + margin_of(predict(model, settings)) + 819 - 50)
    free = {remedy.kind for remedy in remedies(model, settings, budget, can_choose_load_mode=True)}
    assert RemedyKind.LOAD_MODE in free
    assert RemedyKind.LOAD_MODE not in {remedy.kind for remedy in remedies(model, settings, budget)}


def test_that_no_context_beyond_the_trained_one_is_offered() -> None:
    model = FitModel.of(replace(facts_8b(), trained_context=8192))
    offered = remedies(model, replace(SETTINGS, context_tokens=1 << 20), _budget(20_000, 24_000))
    shorter = next(remedy for remedy in offered if remedy.kind is RemedyKind.SHORTER_CONTEXT)
    assert shorter.settings.context_tokens == 8192


def test_that_the_context_is_not_cut_below_what_the_pack_needs() -> None:
    model, settings = model_8b(), replace(SETTINGS, context_tokens=32_768)
    budget = _budget(7_000)
    kinds = {remedy.kind for remedy in remedies(model, settings, budget)}
    assert RemedyKind.SHORTER_CONTEXT in kinds
    kinds = {remedy.kind for remedy in remedies(model, settings, budget, least_context=32_768)}
    assert RemedyKind.SHORTER_CONTEXT not in kinds


def test_that_nothing_is_offered_where_nothing_helps() -> None:
    assert remedies(model_8b(), SETTINGS, _budget(600)) == ()


def test_that_a_small_cache_needs_flash_attention_and_heads_of_32() -> None:
    assert cache_can_be_small(model_8b(), SETTINGS)
    assert not cache_can_be_small(model_8b(), replace(SETTINGS, flash_attention=False))
    odd = FitModel.of(replace(facts_8b(), key_length=80, value_length=80))
    assert not cache_can_be_small(odd, SETTINGS)


def test_that_mostly_repacked_weights_are_read_and_others_mapped() -> None:
    assert better_load_mode(model_8b(), AVX2) == "read"
    assert better_load_mode(model_8b(quantization="Q8_0"), AVX2) == "mapped"
