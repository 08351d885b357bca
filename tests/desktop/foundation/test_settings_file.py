"""The person's settings: kept, survived, left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop.foundation.settings import Settings, SettingsFile


def test_that_what_is_changed_is_there_at_the_next_start(tmp_path: Path) -> None:
    SettingsFile(tmp_path / "config").change(theme="dark", zoom_percent=150, recent=("a", "b"))
    assert SettingsFile(tmp_path / "config").current == Settings(
        theme="dark", zoom_percent=150, recent=("a", "b")
    )


@pytest.mark.parametrize("content", ["", "{", "[]", '{"theme": 3, "recent": "a"}', '{"zoom_percent": true}'])
def test_that_broken_settings_fall_back_to_what_suits(tmp_path: Path, content: str) -> None:
    (tmp_path / "settings.json").write_text(content, encoding="utf-8")
    assert SettingsFile(tmp_path).current == Settings()


def test_that_settings_of_a_newer_version_are_kept(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"theme": "light", "of_tomorrow": [1]}', encoding="utf-8")
    SettingsFile(tmp_path).change(zoom_percent=120)
    data = json.loads((tmp_path / "settings.json").read_text(encoding="utf-8"))
    assert data["of_tomorrow"] == [1]
    assert data["theme"] == "light"


def test_that_a_check_leaves_no_trace(tmp_path: Path) -> None:
    settings = SettingsFile(tmp_path / "config", keep=False)
    assert settings.change(theme="dark").theme == "dark"
    assert settings.current.theme == "dark"
    assert not (tmp_path / "config").exists()


def test_that_a_folder_that_cannot_be_written_is_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert SettingsFile(tmp_path / "file").change(theme="dark").theme == "dark"
    assert "not kept" in caplog.text
