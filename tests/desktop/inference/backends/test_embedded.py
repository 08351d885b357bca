"""The engine child with the real starter model."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from desktop.inference.backends.api_keys import SERVER_VARIABLE
from desktop.inference.backends.base import (
    BackendFault,
    Clocks,
    Constraint,
    FaultKind,
    GenerationProgress,
    GenerationRequest,
    ModelRef,
)
from desktop.inference.backends.embedded import RESTARTS_IN_A_ROW, EmbeddedBackend

pytestmark = pytest.mark.engine

KILLING = [getattr(signal, name) for name in ("SIGKILL", "SIGSEGV") if hasattr(signal, name)]


def request(prompt: str, max_tokens: int = 8, constraint: Constraint | None = None) -> GenerationRequest:
    return GenerationRequest(
        prompt, context_tokens=2048, max_tokens=max_tokens, temperature=0.0, seed=1, constraint=constraint
    )


def ignore(progress: GenerationProgress) -> None:
    """Nothing to show."""


def with_model(file: Path, act: Callable[[EmbeddedBackend], Awaitable[None]]) -> None:
    """Load, act, unload; afterwards no child is left."""

    async def run() -> None:
        backend = EmbeddedBackend([file.parent], clocks=Clocks(load_s=60))
        try:
            await backend.load(await backend.find("starter"), backend.default_settings(2048))
            await act(backend)
        finally:
            await backend.unload()

    asyncio.run(run())
    assert not psutil.Process().children(recursive=True)


def child_pid() -> int:
    (child,) = psutil.Process().children()
    return child.pid


async def started(
    backend: EmbeddedBackend, prompt: str, wanted: Callable[[GenerationProgress], bool]
) -> asyncio.Task:
    """An answer on its way, once progress of the wanted kind was seen."""
    seen = asyncio.Event()

    def watch(progress: GenerationProgress) -> None:
        if wanted(progress):
            seen.set()

    task = asyncio.ensure_future(backend.generate(request(prompt, 500), watch))
    await seen.wait()
    return task


def test_that_an_answer_comes_with_the_engines_own_figures_and_every_setting_is_recorded(
    starter_model: Path,
) -> None:
    async def act(backend: EmbeddedBackend) -> None:
        seen: list[GenerationProgress] = []
        answer = await backend.generate(request("Say hello in French."), seen.append)
        assert answer.text.startswith("Bonjour")
        assert answer.timing.source == "engine"
        assert answer.timing.prompt_tokens == await backend.count_tokens("Say hello in French.")
        assert answer.timing.cached_tokens == 0
        assert (answer.finish_reason, answer.timing.output_tokens) == ("length", 8)
        assert any(entry.prompt_total == answer.timing.prompt_tokens for entry in seen)
        memory = backend.memory()
        assert memory is not None
        assert 100 < memory.used_mib <= memory.peak_mib < 400
        again = await backend.generate(request("Say hello in French."), seen.append)
        assert again.text == answer.text

    with_model(starter_model, act)


def oom_score(pid: int) -> int | None:
    """How gladly Linux ends the process when memory runs out; None elsewhere."""
    file = Path(f"/proc/{pid}/oom_score_adj")
    return int(file.read_text()) if file.is_file() else None


def test_that_the_engine_gives_way_to_the_window_and_goes_first_when_memory_runs_out(
    starter_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SERVER_VARIABLE, "a-key-that-must-not-be-seen")

    async def act(backend: EmbeddedBackend) -> None:
        child = psutil.Process(child_pid())
        assert child.nice() != psutil.Process().nice()
        assert SERVER_VARIABLE not in child.environ()
        assert not any("gguf" in part.lower() for part in child.cmdline())
        ours, theirs = oom_score(os.getpid()), oom_score(child.pid)
        assert ours is None or theirs is None or theirs > ours

    with_model(starter_model, act)


def test_that_an_answer_ends_before_a_stop_word(starter_model: Path) -> None:
    async def act(backend: EmbeddedBackend) -> None:
        question = request("Count from 1 to 9, with commas.", 24)
        whole = await backend.generate(question, ignore)
        word = whole.text.strip()[4:6]
        cut = await backend.generate(replace(question, stop=(word,)), ignore)
        assert cut.text == whole.text[: whole.text.index(word)]
        assert cut.finish_reason == "stop"

    with_model(starter_model, act)


def test_that_a_constraint_limits_the_answer(starter_model: Path) -> None:
    async def act(backend: EmbeddedBackend) -> None:
        labels = Constraint(json_schema={"enum": ["billing", "shipping"]})
        answer = await backend.generate(request("Where is my parcel?", 12, labels), ignore)
        assert answer.text in ('"billing"', '"shipping"')
        grammar = Constraint(grammar='root ::= "yes" | "no"')
        assert (await backend.generate(request("Is it?", 12, grammar), ignore)).text in ("yes", "no")
        with pytest.raises(BackendFault) as raised:
            await backend.generate(request("Is it?", 12, Constraint(grammar="root ::= (((")), ignore)
        assert raised.value.kind is FaultKind.SERVER_ERROR

    with_model(starter_model, act)


def test_that_a_prompt_longer_than_the_context_is_refused_and_not_cut(starter_model: Path) -> None:
    async def act(backend: EmbeddedBackend) -> None:
        with pytest.raises(BackendFault) as raised:
            await backend.generate(request("hello " * 3000), ignore)
        assert raised.value.kind is FaultKind.INPUT_TOO_LONG

    with_model(starter_model, act)


@pytest.mark.parametrize("number", KILLING)
def test_that_a_killed_engine_is_named_and_the_next_answer_comes(starter_model: Path, number: int) -> None:
    async def act(backend: EmbeddedBackend) -> None:
        task = await started(backend, "Write a long story.", lambda progress: bool(progress.text))
        os.kill(child_pid(), number)
        with pytest.raises(BackendFault) as raised:
            await task
        assert raised.value.kind is FaultKind.CRASHED
        assert signal.Signals(number).name in raised.value.detail
        assert (await backend.generate(request("Say hello in French."), ignore)).text.startswith("Bonjour")

    with_model(starter_model, act)


def test_that_an_engine_that_goes_away_again_and_again_is_given_up(starter_model: Path) -> None:
    async def act(backend: EmbeddedBackend) -> None:
        for _ in range(RESTARTS_IN_A_ROW + 1):
            task = await started(backend, "Write a long story.", lambda progress: progress.prompt_done == 0)
            psutil.Process(child_pid()).kill()
            with pytest.raises(BackendFault):
                await task
        with pytest.raises(BackendFault) as raised:
            await backend.generate(request("x"), ignore)
        assert "times in a row" in raised.value.message
        assert raised.value.kind is FaultKind.CRASHED

    with_model(starter_model, act)


@pytest.mark.parametrize("reading", [True, False], ids=["reading", "writing"])
def test_that_a_skipped_answer_ends_at_once_and_the_next_one_comes(starter_model: Path, reading: bool) -> None:
    async def act(backend: EmbeddedBackend) -> None:
        prompt = "hello there my friend " * (300 if reading else 1)
        task = await started(
            backend, prompt, lambda progress: progress.prompt_done == 0 if reading else bool(progress.text)
        )
        pid = child_pid()
        before = asyncio.get_running_loop().time()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.get_running_loop().time() - before < 0.2
        answer = await backend.generate(request("Say hello in French."), ignore)
        assert answer.text.startswith("Bonjour")
        assert (child_pid() != pid) is reading

    with_model(starter_model, act)


def broken(folder: Path, kind: str, good: Path) -> Path:
    """A model file with one fault that only the engine or the reader can find."""
    data = bytearray(good.read_bytes())
    if kind == "cut":
        del data[40_000_000:]
    elif kind == "magic":
        data[:4] = b"XXXX"
    elif kind == "pointer":
        data = bytearray(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 98362432\n")
    elif kind == "architecture":
        data = data.replace(
            b"\x05\x00\x00\x00\x00\x00\x00\x00llama", b"\x05\x00\x00\x00\x00\x00\x00\x00zlama", 1
        )
    elif kind == "weights":
        data[60_000_000:60_400_000] = b"\xff" * 400_000
    elif kind == "template":
        at = data.find(b"{% for", data.find(b"tokenizer.chat_template"))
        data[at : at + 6] = b"{% fXr"
    file = folder / f"{kind}.gguf"
    if kind != "missing":
        file.write_bytes(data)
    return file


@pytest.mark.parametrize(
    "kind", ["missing", "cut", "magic", "pointer", "architecture", "weights", "template", "changed starter"]
)
def test_that_a_broken_model_file_is_named_and_nothing_stays_behind(
    starter_model: Path, tmp_path: Path, kind: str
) -> None:
    if kind == "changed starter":
        file = broken(tmp_path, "weights", starter_model).rename(tmp_path / starter_model.name)
    else:
        file = broken(tmp_path, kind, starter_model)

    async def run() -> BackendFault:
        backend = EmbeddedBackend([tmp_path])
        with pytest.raises(BackendFault) as raised:
            await backend.load(ModelRef("embedded", "m", file), backend.default_settings(512))
        assert not psutil.Process().children()
        await backend.load(ModelRef("embedded", "good", starter_model), backend.default_settings(512))
        await backend.unload()
        return raised.value

    fault = asyncio.run(run())
    assert fault.kind is FaultKind.BAD_MODEL_FILE
    assert fault.message and fault.fix and "Failed to init" not in fault.message


def test_that_a_file_without_a_chat_template_is_said_to_be_one(starter_model: Path, tmp_path: Path) -> None:
    data = starter_model.read_bytes().replace(b"tokenizer.chat_template", b"tokenizer.chat_templat_", 1)
    file = tmp_path / "base.gguf"
    file.write_bytes(data)

    async def run() -> None:
        backend = EmbeddedBackend([tmp_path])
        loaded = await backend.load(ModelRef("embedded", "base", file), backend.default_settings(512))
        await backend.unload()
        assert loaded.has_chat_template is False
        assert "no chat template" in loaded.notes[0]

    asyncio.run(run())


@contextmanager
def address_space_limited_to(more_mib: int) -> Iterator[None]:
    """Children started meanwhile get no more address space than this process has plus `more_mib`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = psutil.Process().memory_info().vms + more_mib * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_that_a_context_that_no_memory_holds_is_told_as_memory_and_a_smaller_one_loads(
    starter_model: Path,
) -> None:
    async def run() -> None:
        backend = EmbeddedBackend([starter_model.parent])
        model = await backend.find("starter")
        # The KV cache of the starter model takes 22.5 KiB a token: some 22 GiB.
        with address_space_limited_to(4096), pytest.raises(BackendFault) as raised:
            await backend.load(model, backend.default_settings(1_000_000))
        assert raised.value.kind is FaultKind.OUT_OF_MEMORY
        assert not psutil.Process().children()
        await backend.load(model, backend.default_settings(512))
        await backend.unload()

    asyncio.run(run())
    assert not psutil.Process().children()


LOADING = """
import sys, time
from desktop.inference.backends.engine_process import EngineProcess
from desktop.inference.backends.engine_settings import EngineSettings
process = EngineProcess("m", EngineSettings(sys.argv[1], "", 512, 1))
print(process.pid, "-", flush=True)
time.sleep(60)
"""
PRIMED = """
import asyncio, os, sys, tempfile
from pathlib import Path
import psutil
from desktop.inference.backends.embedded import EmbeddedBackend
async def main():
    backend = EmbeddedBackend([Path(sys.argv[1]).parent])
    await backend.load(await backend.find("starter"), backend.default_settings(512))
    words = "one two three four five six seven eight nine ten eleven twelve " * 4
    assert await backend.prime([words + "a", words + "b"])
    (child,) = psutil.Process().children()
    (kept,) = Path(tempfile.gettempdir()).glob(f"*{os.getpid()}-*")
    print(child.pid, kept, flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


@pytest.mark.parametrize("program", [LOADING, PRIMED], ids=["loading", "primed"])
def test_that_the_engine_ends_with_the_program_however_that_ends(starter_model: Path, program: str) -> None:
    parent = subprocess.Popen([sys.executable, "-c", program, str(starter_model)], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    with parent.stdout:
        pid, folder = parent.stdout.readline().decode().split(maxsplit=1)
        child = psutil.Process(int(pid))
        parent.kill()
        parent.wait()
    _, alive = psutil.wait_procs([child], timeout=60)
    assert not alive
    if folder.strip() != "-":
        assert not Path(folder.strip()).exists()
