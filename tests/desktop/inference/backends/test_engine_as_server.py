"""The adapter for OpenAI-compatible servers against a real llama.cpp server in another process, four slots."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from desktop.inference.backends.base import Constraint, GenerationRequest, LoadSettings
from desktop.inference.backends.engine_process import EngineProcess
from desktop.inference.backends.engine_settings import EngineSettings
from desktop.inference.backends.openai_compatible import OpenAiCompatibleBackend


@pytest.mark.engine
def test_that_a_real_llama_cpp_server_answers_side_by_side_and_tells_all_it_knows(starter_model: Path) -> None:
    async def run() -> None:
        server = EngineProcess("m", EngineSettings(str(starter_model), "", 4096, threads=1, slots=4))
        try:
            await server.wait_until_ready(60)
            assert server.address is not None
            backend = OpenAiCompatibleBackend(server.address, api_key=server.api_key)
            (model,) = await backend.list_models()
            loaded = await backend.load(model, LoadSettings(1024, threads=0))
            assert loaded.engine.startswith("llama.cpp server")
            assert loaded.context_tokens == 1024
            assert backend.capabilities.constraints
            prompts = [f"Say the number {number}." for number in range(6)]
            requests = [GenerationRequest(prompt, 1024, 6, 0.0, 1) for prompt in prompts]
            answers = await asyncio.gather(*(backend.generate(entry, lambda seen: None) for entry in requests))
            for prompt, answer in zip(prompts, answers, strict=True):
                assert answer.text
                assert answer.timing.prompt_tokens == await backend.count_tokens(prompt)
                assert answer.timing.source == "engine"
            label = GenerationRequest("x", 1024, 8, 0.0, 1, Constraint(json_schema={"enum": ["yes"]}))
            assert (await backend.generate(label, lambda seen: None)).text == '"yes"'
            memory = backend.memory()
            assert memory is not None
            assert memory.used_mib > 80
            await backend.unload()
        finally:
            await server.end()

    asyncio.run(run())
