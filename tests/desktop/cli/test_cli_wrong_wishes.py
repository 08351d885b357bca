"""Wishes that cannot be fulfilled are wrong usage, told before anything runs or leaves this computer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.foundation.paths import user_paths
from tests.desktop.cli.conftest import Ran
from tests.fakes.desk_pack import write_desk_pack

Packbench = Callable[..., Ran]


@pytest.fixture
def pack(tmp_path: Path) -> str:
    return str(write_desk_pack(tmp_path / "desk"))


def test_that_a_backend_that_is_none_is_wrong_usage(packbench: Packbench, pack: str) -> None:
    ran = packbench("run", pack, "--backend", "olama")
    assert ran.code == 2
    assert "'olama'" in ran.err and "ollama" in ran.err
    assert "Traceback" not in ran.err


def test_that_a_limit_that_is_no_number_runs_nothing(packbench: Packbench, pack: str) -> None:
    ran = packbench("run", pack, "--limit", "abc")
    assert ran.code == 2
    assert "abc" in ran.err
    assert not user_paths().journal.exists()


def test_that_another_computer_is_refused_with_the_way_to_allow_it(packbench: Packbench, pack: str) -> None:
    ran = packbench("run", pack, "--backend", "openai", "--endpoint", "http://192.0.2.10:8000", "--model", "m")
    assert ran.code == 3
    assert "192.0.2.10" in ran.err and "--allow-remote" in ran.err


def test_that_the_built_in_engine_is_not_asked_for_several_answers_at_once(
    packbench: Packbench, pack: str, starter_model: Path
) -> None:
    ran = packbench("run", pack, "--model", str(starter_model), "--parallel", "4")
    assert ran.code == 1
    assert "one question at a time" in ran.err
