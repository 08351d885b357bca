"""An answer that starts from the shared beginning depends on its own prompt and on nothing before it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from desktop.inference.backends.base import Generation, GenerationProgress, GenerationRequest
from desktop.inference.backends.embedded import EmbeddedBackend
from desktop.inference.backends.shared_prefix import common_prefix, spread
from tests.fakes.engine_models import Shape, write_engine_model

RULES = "You sort messages of a shop. " + " ".join(
    f"Rule {number}: a message about {word} gets the label {word}." for number, word in enumerate(
        ("billing", "shipping", "damage", "returns", "account")
    )
)  # fmt: skip
PROMPTS = [
    f"{RULES}\nMessage: {text}"
    for text in (
        "My parcel is broken.",
        "My parcel is broken and wet.",
        "Where is my invoice?",
        "I forgot my password, please help me to get a new one before Monday.",
        "x",
    )
]


def ignore(progress: GenerationProgress) -> None:
    """Nothing to show."""


async def answer(backend: EmbeddedBackend, prompt: str, *, reuse: bool = True) -> Generation:
    request = GenerationRequest(prompt, 1024, max_tokens=8, temperature=0.0, seed=1, reuse_prefix=reuse)
    return await backend.generate(request, ignore)


@pytest.mark.engine
def test_that_order_repetition_other_work_and_a_new_process_change_no_byte(starter_model: Path) -> None:
    async def run() -> None:
        backend = EmbeddedBackend([starter_model.parent])
        try:
            await backend.load(await backend.find("starter"), backend.default_settings(1024))
            primed = await backend.prime(PROMPTS)
            assert primed is not None
            assert primed.tokens > 60
            first = {}
            for prompt in PROMPTS:
                given = await answer(backend, prompt)
                assert given.timing.cached_tokens == primed.tokens
                first[prompt] = given.text
            shuffled = random.Random(5).sample(PROMPTS, len(PROMPTS))
            for prompt in [*reversed(PROMPTS), PROMPTS[0], PROMPTS[0], *shuffled]:
                assert (await answer(backend, prompt)).text == first[prompt]
            cold = await answer(backend, PROMPTS[1], reuse=False)
            assert cold.timing.cached_tokens == 0
            assert (await answer(backend, PROMPTS[0])).text == first[PROMPTS[0]]
            # Skipped while a prompt is read: the child is ended and the state survives in its file.
            reading = asyncio.Event()
            long = GenerationRequest("hello there my friend " * 150, 1024, 8, 0.0, 1)
            skipped = asyncio.ensure_future(backend.generate(long, lambda progress: reading.set()))
            await reading.wait()
            skipped.cancel()
            with pytest.raises(asyncio.CancelledError):
                await skipped
            for prompt in PROMPTS:
                assert (await answer(backend, prompt)).text == first[prompt]
        finally:
            await backend.unload()

    asyncio.run(run())


WINDOW = Shape("gemma3", layers=6, embedding=256, heads=4, kv_heads=1, window=64)
RECURRENT = Shape("mamba2", layers=3, embedding=256)


@pytest.mark.engine
@pytest.mark.parametrize("shape", [WINDOW, RECURRENT], ids=["window", "recurrent"])
def test_that_models_with_another_kind_of_memory_start_from_the_same_state_each_time(
    shape: Shape, tmp_path: Path
) -> None:
    """Their weights are nothing but zeros, so it is the tokens read that tell."""
    write_engine_model(tmp_path / "model.gguf", shape)
    short = [f"{RULES}\n{text}" for text in ("a", "bc")]
    long = [f"{RULES}\n{text * 150}" for text in ("xy", "z")]

    async def run() -> None:
        backend = EmbeddedBackend([tmp_path])
        try:
            await backend.load(await backend.find("model"), backend.default_settings(2048))
            primed = await backend.prime(short + long)
            assert primed is not None
            for prompt in [*short, *long, *reversed(short + long), long[0], long[0]]:
                assert (await answer(backend, prompt)).timing.cached_tokens == primed.tokens
            assert (await answer(backend, short[0], reuse=False)).timing.cached_tokens == 0
            assert (await answer(backend, short[1])).timing.cached_tokens == primed.tokens
        finally:
            await backend.unload()

    asyncio.run(run())


@pytest.mark.engine
def test_that_prompts_with_nothing_in_common_are_not_primed(starter_model: Path) -> None:
    async def run() -> None:
        backend = EmbeddedBackend([starter_model.parent])
        try:
            await backend.load(await backend.find("starter"), backend.default_settings(512))
            # The template's own system message is shared by all of them and is short.
            assert await backend.prime(["apples", "Where?"]) is None
            given = await answer(backend, "apples")
            assert given.timing.cached_tokens == 0
        finally:
            await backend.unload()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("lists", "shared"),
    [
        ([], []),
        ([[1, 2, 3]], [1, 2]),
        ([[1, 2, 3], [1, 2, 4]], [1, 2]),
        ([[1, 2, 3], [1, 2]], [1]),
        ([[1], [2]], []),
        ([[1], []], []),
    ],
)
def test_that_the_shared_beginning_leaves_each_prompt_a_token_of_its_own(
    lists: Sequence[Sequence[int]], shared: list[int]
) -> None:
    assert common_prefix(lists) == shared


def test_that_the_prompts_looked_at_do_not_depend_on_their_order() -> None:
    prompts = [f"prompt {number:04d}" for number in range(500)]
    looked_at = spread(prompts)
    assert spread(list(reversed(prompts)) + prompts) == looked_at
    assert (len(looked_at), looked_at[0], looked_at[-1]) == (64, prompts[0], prompts[-1])
