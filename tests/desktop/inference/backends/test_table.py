"""Backends by name."""

from __future__ import annotations

import pytest

from desktop.inference.backends.base import BackendFault, FaultKind
from desktop.inference.backends.table import BackendOptions, backend_names, make_backend


@pytest.fixture(autouse=True)
def with_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "some-key-for-tests")


@pytest.mark.parametrize("name", backend_names())
def test_that_every_backend_is_recorded_under_the_name_that_makes_it_again(name: str) -> None:
    # Anthropic has no address on this computer of its own; any local one will do here.
    url = None if name == "embedded" else "http://127.0.0.1:1"
    backend = make_backend(name, BackendOptions(url=url))
    assert backend.name == name
    assert backend.capabilities.local


def test_that_usual_addresses_are_known_where_there_are_any() -> None:
    for name in ("ollama", "rapid-mlx"):
        assert make_backend(name, BackendOptions()).capabilities.local
    with pytest.raises(BackendFault) as raised:
        make_backend("openai", BackendOptions())
    assert "http://" in raised.value.fix


@pytest.mark.parametrize("name", ["ollama", "openai", "rapid-mlx", "anthropic"])
def test_that_another_computer_needs_leave(name: str) -> None:
    with pytest.raises(BackendFault) as raised:
        make_backend(name, BackendOptions(url="http://192.0.2.7:8000"))
    assert raised.value.kind is FaultKind.NOT_SUPPORTED
    assert not make_backend(
        name, BackendOptions(url="http://192.0.2.7:8000", remote_allowed=True)
    ).capabilities.local


def test_that_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BackendFault) as raised:
        make_backend("olama", BackendOptions())
    assert "ollama" in raised.value.fix


def test_that_the_embedded_engine_has_no_address() -> None:
    with pytest.raises(BackendFault):
        make_backend("embedded", BackendOptions(url="http://127.0.0.1:1"))
