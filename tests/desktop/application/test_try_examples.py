"""Trying examples on a server's models: where they are listed, what is allowed, and the answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.application.services import Services
from desktop.application.try_examples import TriedAnswer, TryModel, models_of, servers_to_try, try_examples
from desktop.foundation.cancel import CancelToken
from desktop.foundation.paths import user_paths
from desktop.inference.backends.base import BackendFault, ModelRef
from desktop.inference.backends.local_servers import UsualServer
from desktop.inference.backends.source import BUILT_IN, ModelSource
from packs.errors import AppError
from packs.task.content import read_content
from packs.task.trial import trial_of
from tests.fakes.desk_pack import write_desk_pack
from tests.fakes.recorded_server import recorded, recorded_server
from tests.fakes.scripted_server import Reply, json_reply

OLLAMA: dict[str, Reply | list[Reply]] = {
    "GET /api/version": recorded("ollama/version.json"),
    "GET /api/tags": recorded("ollama/tags.json"),
    "POST /api/show": recorded("ollama/show.json"),
    "GET /api/ps": recorded("ollama/ps.json"),
    "POST /api/generate": [recorded("ollama/loaded.json"), recorded("ollama/generate.jsonl")],
}
OPENAI: dict[str, Reply | list[Reply]] = {
    "GET /v1/models": json_reply({"data": [{"id": "m"}]}),
    "POST /v1/chat/completions": recorded("openai/plain_stream.sse"),
}


@pytest.fixture
def services() -> Services:
    return Services(user_paths(), {})


def asked_once(services: Services, pack: Path, model: TryModel) -> TriedAnswer:
    answers: list[TriedAnswer] = []
    trial = trial_of(read_content(pack), ["examples/001.json"], pack)
    assert try_examples(trial, model, services, answers.append, CancelToken()) == 1
    return answers[0]


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write_desk_pack(tmp_path / "desk")


def test_that_ollama_answers_an_example(services: Services, pack: Path) -> None:
    with recorded_server(OLLAMA) as server:
        source = ModelSource("ollama", server.url)
        model = next(entry for entry in models_of(services, source) if entry.model.name == "smollm2:135m")
        answer = asked_once(services, pack, model)
    assert model.message == f"smollm2:135m · Ollama at {server.url.removeprefix('http://')}"
    assert model.sent_to == ""
    assert answer.text == "Bonjour"
    assert answer.outcome is not None
    assert answer.prompt_tokens == 35


def test_that_an_openai_compatible_server_answers_an_example(services: Services, pack: Path) -> None:
    with recorded_server(OPENAI) as server:
        (model,) = models_of(services, ModelSource("openai", server.url))
        answer = asked_once(services, pack, model)
    assert model.message == f"m · {server.url.removeprefix('http://')}"
    assert answer.text
    assert answer.outcome is not None


def test_that_a_server_that_went_away_says_so(services: Services, pack: Path) -> None:
    with recorded_server(OPENAI) as server:
        (model,) = models_of(services, ModelSource("openai", server.url))
    with pytest.raises(BackendFault):
        asked_once(services, pack, model)


def test_that_models_of_other_computers_are_listed_only_where_that_is_allowed(services: Services) -> None:
    with recorded_server(OLLAMA) as server:
        here = {entry.model.name for entry in models_of(services, ModelSource("ollama", server.url))}
        allowed = models_of(services, ModelSource("ollama", server.url, remote_allowed=True))
    far = [entry for entry in allowed if entry.model.remote]
    assert far
    assert not here & {entry.model.name for entry in far}
    assert far[0].sent_to == f"the computer that runs {far[0].model.name}"


def test_that_nothing_is_asked_of_another_computer_before_it_is_allowed(services: Services) -> None:
    with pytest.raises(AppError) as caught:
        models_of(services, ModelSource("openai", "http://192.0.2.1:8080"))
    assert "192.0.2.1 is not this computer" in caught.value.message
    with pytest.raises(AppError):
        models_of(services, ModelSource("anthropic"))


def test_that_a_model_of_another_computer_is_not_tried_unless_allowed(services: Services, pack: Path) -> None:
    far = TryModel(ModelRef("ollama", "big:cloud", remote=True), ModelSource("ollama", "http://127.0.0.1:9"))
    with pytest.raises(AppError) as caught:
        asked_once(services, pack, far)
    assert caught.value.code == "remote_not_allowed"


def test_that_an_address_with_a_key_is_refused(services: Services) -> None:
    with pytest.raises(AppError) as caught:
        models_of(services, ModelSource("openai", "http://me:secret@127.0.0.1:8080"))
    assert caught.value.code == "key_in_address"


def test_that_servers_of_this_computer_are_found_each_model_once_and_cloud_models_left_out(
    services: Services,
) -> None:
    with recorded_server(OLLAMA) as ollama, recorded_server(OPENAI) as other:
        usual = (
            UsualServer("Ollama", "ollama", ollama.url),
            UsualServer("Nobody", "openai", "http://127.0.0.1:9"),
        )
        spelled = ollama.url.replace("127.0.0.1", "localhost")
        found = servers_to_try(services, ModelSource("openai", other.url), usual)
        again = servers_to_try(services, ModelSource("ollama", spelled), usual)
    assert "smollm2:135m · Ollama" in [entry.message for entry in found]
    assert found[-1].message == f"m · {other.url.removeprefix('http://')}"
    assert not any(entry.model.remote for entry in found)
    assert again == found[:-1]


@pytest.mark.parametrize(
    "last",
    [BUILT_IN, ModelSource("anthropic"), ModelSource("openai", "http://192.0.2.1:8080", remote_allowed=True)],
)
def test_that_the_server_of_the_last_run_is_passed_over_when_it_is_elsewhere(
    services: Services, last: ModelSource
) -> None:
    assert servers_to_try(services, last, ()) == []


def test_that_a_server_of_the_last_run_that_is_gone_is_no_fault(services: Services) -> None:
    assert servers_to_try(services, ModelSource("openai", "http://127.0.0.1:9"), ()) == []


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (BUILT_IN, ""),
        (ModelSource("ollama"), "Ollama"),
        (ModelSource("anthropic"), "Anthropic"),
        (ModelSource("openai", "http://localhost:8080/v1"), "localhost:8080"),
        (ModelSource("ollama", "http://10.0.0.7:11434"), "Ollama at 10.0.0.7:11434"),
    ],
)
def test_that_a_source_has_a_name_that_people_know(source: ModelSource, message: str) -> None:
    assert source.message == message
