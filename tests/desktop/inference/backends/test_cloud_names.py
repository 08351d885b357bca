"""Cloud models are told by their names over every kind of server."""

from __future__ import annotations

import asyncio

import pytest

from desktop.inference.backends.ollama import OllamaBackend
from desktop.inference.backends.openai_extras import models_of
from tests.fakes.recorded_server import recorded_server
from tests.fakes.scripted_server import json_reply


@pytest.mark.parametrize(
    "name, cloud",
    [
        ("big:cloud", True),
        ("giant:671b-cloud", True),
        ("Giant:671B-Cloud", True),
        ("ollama/gpt-oss:120b-cloud", True),
        ("cloud", False),
        ("cloud/model:7b", False),
        ("my-cloud", False),
        ("cloudy:7b", False),
        ("model:cloudless", False),
    ],
)
def test_that_a_cloud_model_is_remote_over_every_kind_of_server(name: str, cloud: bool) -> None:
    assert [entry.remote for entry in models_of({"data": [{"id": name}]}, remote=False)] == [cloud]
    with recorded_server({"GET /api/tags": json_reply({"models": [{"name": name}]})}) as server:
        listed = asyncio.run(OllamaBackend(server.url).list_models())
    assert [entry.remote for entry in listed] == [cloud]
