"""`dev.py shots` draws into build/shots, whether all pictures or some are asked for."""

from __future__ import annotations

from argparse import Namespace

import pytest

from build_scripts import dev, help_pictures, screenshots
from build_scripts.dialog_scenes import SCENES


class Noted:
    """An environment that runs nothing."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, ...]] = []

    def run(self, *arguments: str) -> int:
        self.ran.append(arguments)
        return 0


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Noted:
    noted = Noted()
    monkeypatch.setattr(dev, "prepared", lambda *_names: noted)
    return noted


def test_that_all_pictures_are_drawn_and_those_of_the_help_made_of_them(environment: Noted) -> None:
    assert dev.command_shots(Namespace(paths=[])) == 0
    assert environment.ran == [
        ("build_scripts/screenshots.py", "build/shots"),
        ("build_scripts/help_pictures.py", "build/shots"),
    ]


def test_that_named_pictures_leave_those_of_the_help_alone(environment: Noted) -> None:
    assert dev.command_shots(Namespace(paths=["start", "result"])) == 0
    assert environment.ran == [("build_scripts/screenshots.py", "build/shots", "--only", "start,result")]


def test_that_the_helps_pictures_are_among_those_that_are_drawn() -> None:
    assert set(help_pictures.PICTURES) <= set(screenshots._PICTURES) | set(SCENES)
