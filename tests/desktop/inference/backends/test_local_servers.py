"""Model servers on this computer, found by asking."""

from __future__ import annotations

import asyncio

from desktop.inference.backends.local_servers import UsualServer, find_local_servers, usual_servers
from tests.fakes.recorded_server import recorded, recorded_server
from tests.fakes.scripted_server import Reply, ScriptedServer


def test_that_servers_are_found_and_everything_else_is_passed_over() -> None:
    ollama = recorded_server({"GET /api/tags": recorded("ollama/tags.json")})
    vllm = recorded_server({"GET /v1/models": recorded("openai/vllm_models.json")})
    page = ScriptedServer(lambda asked: Reply((b"<html>A router</html>",), length=True))
    silent = ScriptedServer(lambda asked: Reply((b"",), then="stall"))
    with ollama, vllm, page, silent:
        places = [
            UsualServer("page", "openai", page.url),
            UsualServer("silent", "openai", silent.url),
            UsualServer("Ollama", "ollama", ollama.url),
            UsualServer("vLLM", "openai", vllm.url),
            UsualServer("nobody", "openai", "http://127.0.0.1:1"),
        ]
        found = asyncio.run(find_local_servers(places, patience_s=0.5))
    assert [server.place.message for server in found] == ["Ollama", "vLLM"]
    assert [model.name for model in found[0].models if model.remote] == ["giant:671b-cloud"]
    assert [model.name for model in found[1].models] == ["org/some-model-7b"]


def test_that_all_usual_places_are_on_this_computer() -> None:
    assert all(place.url.startswith("http://127.0.0.1:") for place in usual_servers())
