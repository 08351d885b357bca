"""The guard finds a key in every form that somebody could read it from, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from desktop.inference.backends.base import BackendFault, FaultKind, Generation, GenerationProgress, Timing
from desktop.inference.backends.key_guard import INSTEAD, KeyGuard
from tests.fakes.key_forms import FORMS, readable

KEY = "sk-canary/+0123456789=abcdefghij"


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_that_a_key_is_found_in_every_form(form: Callable[[str], str]) -> None:
    guard = KeyGuard("another-key-01234", None, KEY)
    said = f'{{"error": "no such key: {form(KEY)} here"}}'
    for cleaned in (guard.text(said), guard.content(said.encode()).decode()):
        assert INSTEAD in cleaned and not readable(cleaned, KEY)
        assert cleaned.startswith('{"error": "no such key: ') and cleaned.endswith(' here"}')


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_that_a_key_is_found_in_every_text_and_name_of_a_value(form: Callable[[str], str]) -> None:
    value = {form(KEY): [1, None, {"a": [f"({form(KEY)})", True]}], "b": 0.5}
    cleaned = KeyGuard(KEY).value(value)
    assert not readable(json.dumps(cleaned), KEY)
    assert isinstance(cleaned, dict) and cleaned["b"] == 0.5 and list(cleaned)[1:] == ["b"]


def test_that_a_value_may_be_as_deep_as_json_can_be() -> None:
    deep: object = KEY
    for _ in range(100_000):
        deep = [deep]
    cleaned = KeyGuard(KEY).value(deep)
    while isinstance(cleaned, list):
        cleaned = cleaned[0]
    assert cleaned == INSTEAD


@pytest.mark.parametrize("at", range(1, len(KEY)))
def test_that_a_key_split_over_pieces_is_never_told_on(at: int) -> None:
    guard, told = KeyGuard(KEY), []
    with guard.progress(told.append) as tell:
        for piece in ("It is ", KEY[:at], KEY[at:], " and so on, s"):
            tell(GenerationProgress(text=piece))
            tell(GenerationProgress(reasoning=piece))
    for text in ("".join(entry.text for entry in told), "".join(entry.reasoning for entry in told)):
        assert text == f"It is {INSTEAD} and so on, s"


def test_that_pieces_without_a_key_come_at_once() -> None:
    told: list[str] = []
    with KeyGuard(KEY).progress(lambda progress: told.append(progress.text)) as tell:
        for piece in ("All ", "is ", "well."):
            tell(GenerationProgress(text=piece))
    assert told == ["All ", "is ", "well."]


def test_that_an_answer_and_a_fault_are_without_the_key_also_where_it_was_cut() -> None:
    guard = KeyGuard(KEY)
    answer = guard.answer(
        Generation(f"a {KEY}", f"b {KEY}", "stop", Timing(None, None, None, None, None, None), {})
    )
    assert (answer.text, answer.reasoning) == (f"a {INSTEAD}", f"b {INSTEAD}")
    with pytest.raises(BackendFault) as raised, guard.faults():
        raise BackendFault(FaultKind.BUSY, f"m {KEY}", f"f {KEY}", detail=f"cut: {KEY[:20]}", retry_after_s=2)
    fault = raised.value
    assert (fault.kind, fault.message, fault.fix) == (FaultKind.BUSY, f"m {INSTEAD}", f"f {INSTEAD}")
    assert (fault.detail, fault.retry_after_s) == (f"cut: {INSTEAD}", 2)
    assert fault.__suppress_context__


def test_that_nothing_else_is_taken_out() -> None:
    text = 'None of "these" is a key: none, sk-canary, 100%25, \\u0073k, dGVzdA==, test.'
    for guard in (KeyGuard(), KeyGuard(None, "", "none", "test"), KeyGuard(KEY)):
        assert guard.text(text) == text and guard.content(text.encode()) == text.encode()
        assert KEY not in repr(guard)
