"""Exact lengths of prompts by a model's vocabulary alone: the same as the model itself would be sent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from desktop.foundation.cancel import Cancelled, CancelToken
from desktop.inference.backends.base import Clocks, LoadSettings
from desktop.inference.backends.embedded import EmbeddedBackend
from desktop.inference.backends.model_references import model_ref
from desktop.inference.backends.prompt_counter import PromptCounter
from desktop.inference.backends.vocabulary_model import write_vocabulary_model
from desktop.inference.model_files.gguf import GgufError, read_gguf
from tests.fakes.engine_models import Shape, write_engine_model
from tests.fakes.gguf_writer import small_llama, small_tensors, write_gguf

PROMPTS = (
    "Which label, billing or returns?\nWhere is my refund?\n",
    "Sehr geehrte Damen und Herren, die Rückerstattung für Größe 42 fehlt – bitte prüfen.",
    "أين استرداد المبلغ الخاص بي؟",
    "返金はどこですか?",
    "  two  spaces\t\ttabs <|im_start|> and\n\n\nlines ",
)


@pytest.fixture
def counter() -> Iterator[PromptCounter]:
    made = PromptCounter(Clocks(load_s=60))
    yield made
    made.end()
    assert not psutil.Process().children(recursive=True), "no child is left"


def counted_by_the_model(file: Path) -> list[int | None]:
    async def run() -> list[int | None]:
        backend = EmbeddedBackend([file.parent], clocks=Clocks(load_s=60))
        try:
            await backend.load(model_ref(file), LoadSettings(512, threads=1))
            return [await backend.count_tokens(prompt) for prompt in PROMPTS]
        finally:
            await backend.unload()

    return asyncio.run(run())


@pytest.mark.engine
def test_that_the_vocabulary_alone_counts_as_the_starter_model_does(
    counter: PromptCounter, starter_model: Path
) -> None:
    counts = [counter.count(starter_model, prompt, CancelToken()) for prompt in PROMPTS]
    assert counts == counted_by_the_model(starter_model)


@pytest.mark.engine
@pytest.mark.parametrize("architecture", ["gemma3", "qwen3moe", "mamba2"])
def test_that_the_vocabulary_of_any_architecture_counts_as_its_model_does(
    counter: PromptCounter, tmp_path: Path, architecture: str
) -> None:
    shape = Shape(architecture, layers=1, window=512 if architecture == "gemma3" else None)
    if architecture == "qwen3moe":
        shape = Shape(architecture, layers=1, experts=4, experts_used=2, expert_feed_forward=256)
    file = write_engine_model(tmp_path / "made.gguf", shape)
    counts = [counter.count(file, prompt, CancelToken()) for prompt in PROMPTS]
    assert counts == counted_by_the_model(file)


@pytest.mark.engine
def test_that_one_child_counts_until_it_ends_and_another_model_gets_its_own(
    counter: PromptCounter, starter_model: Path, tmp_path: Path
) -> None:
    counter.count(starter_model, "one", CancelToken())
    (first,) = psutil.Process().children()
    counter.count(starter_model, "two", CancelToken())
    assert psutil.Process().children() == [first]
    assert first.memory_info().rss < 200 * 2**20
    other = write_engine_model(tmp_path / "made.gguf", Shape("llama", layers=1))
    counter.count(other, "one", CancelToken())
    (second,) = psutil.Process().children()
    assert second != first
    second.kill()
    second.wait(5)
    assert counter.count(other, "one", CancelToken()) > 0, "a child that was killed is started again"


@pytest.mark.engine
def test_that_counting_can_be_given_up(counter: PromptCounter, starter_model: Path) -> None:
    given_up = CancelToken()
    given_up.cancel()
    with pytest.raises(Cancelled):
        counter.count(starter_model, "one", given_up)


def test_that_the_stand_in_has_the_vocabulary_and_next_to_no_weights(tmp_path: Path) -> None:
    source = write_gguf(tmp_path / "small.gguf", small_llama(), small_tensors())
    target = tmp_path / "vocabulary.gguf"
    write_vocabulary_model(source, target)
    before, after = read_gguf(source), read_gguf(target)
    kept = {key: value for key, value in before.metadata.items() if key.startswith("tokenizer.")}
    assert kept.items() <= after.metadata.items()
    assert after.chat_template == before.chat_template
    assert after.name == "Small"
    assert after.architecture == "llama"
    assert after.file_bytes < before.file_bytes


def test_that_a_file_without_a_vocabulary_is_named(tmp_path: Path) -> None:
    metadata = {key: value for key, value in small_llama().items() if not key.startswith("tokenizer.")}
    source = write_gguf(tmp_path / "small.gguf", metadata, small_tensors())
    with pytest.raises(GgufError) as caught:
        write_vocabulary_model(source, tmp_path / "vocabulary.gguf")
    assert caught.value.code == "no_vocabulary"
    assert "small.gguf" in caught.value.message
