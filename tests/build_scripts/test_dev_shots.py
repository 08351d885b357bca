"""`dev.py shots` draws into build/shots, whether all pictures or some are asked for."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

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
    assert set(help_pictures.PICTURES) <= set(screenshots.PICTURES) | set(SCENES)


def test_that_small_pictures_are_made_of_large_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: QApplication
) -> None:
    for name in help_pictures.PICTURES:
        large = QImage(1280, 800, QImage.Format.Format_RGB32)
        large.fill(0xFFE0F0)
        large.save(str(tmp_path / f"{name}-light-100.png"))
    target = tmp_path / "resources" / "help" / "pictures"
    target.parent.mkdir(parents=True)
    monkeypatch.setattr(help_pictures, "ROOT", tmp_path)
    monkeypatch.setattr(help_pictures, "HELP", target)
    monkeypatch.setattr("sys.argv", ["help_pictures.py", str(tmp_path)])
    assert help_pictures.main() == 0
    assert QImage(str(tmp_path / "docs" / "pictures" / "result.png")).width() == 1280
    for name in help_pictures.PICTURES.values():
        assert QImage(str(target / name)).width() == help_pictures.WIDTH
    (tmp_path / "start-light-100.png").unlink()
    assert help_pictures.main() == 1


def test_that_a_rare_red_is_kept_among_many_greys() -> None:
    greys = [0xFF000000 | shade * 0x010101 for shade in range(256)]
    kept = help_pictures.palette([*greys, 0xFFB3261E, 0xFFB3261F])
    assert 0xFFB3261E in kept and 0xFFB3261F not in kept, "the like of it is left out"
    assert len(kept) <= help_pictures.COLOURS
