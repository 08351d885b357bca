"""What README and CONTRIBUTING say about this folder is so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {"CONTRIBUTING.md": CONTRIBUTING, "README.md": README}
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def places_of_the_map() -> list[str]:
    """`packs/`, `packs/task/`, … of the drawing under "The map", by their indentation."""
    drawing = CONTRIBUTING.split("## The map", 1)[1].split("```")[1]
    places: list[str] = []
    above = ""
    for line in drawing.strip().splitlines():
        name = line.split()[0]
        if line.startswith("  "):
            places.append(above + name)
        else:
            above = name
            places.append(name)
    return places


@pytest.mark.parametrize("place", places_of_the_map())
def test_that_every_place_of_the_map_is_there(place: str) -> None:
    assert (ROOT / place).exists(), place
    assert (ROOT / place).is_dir() == place.endswith("/")


def test_that_the_map_names_every_package_of_the_program() -> None:
    places = set(places_of_the_map())
    for above in ("packs", "desktop"):
        for folder in (ROOT / above).iterdir():
            if (folder / "__init__.py").is_file():
                assert f"{above}/{folder.name}/" in places, f"{above}/{folder.name} is not on the map"


@pytest.mark.parametrize("page", PAGES)
def test_that_every_file_named_in_a_page_is_there(page: str) -> None:
    named = re.findall(r"`((?:packs|desktop|tests|docs|build_scripts|resources)/[\w./-]+)`", PAGES[page])
    named += re.findall(r"\]\(([\w./-]+)\)", PAGES[page])
    assert named
    for path in named:
        assert (ROOT / path).exists(), f"{page} names {path}"


def test_that_every_place_of_the_architecture_is_there() -> None:
    named = re.findall(r"`((?:packs|desktop|resources)/[\w./-]+)`", ARCHITECTURE)
    assert len(named) > 30
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_that_every_line_for_the_set_up_tool_is_understood(page: str) -> None:
    lines = re.findall(r"build_scripts/dev\.py ([a-z]+)((?: --[\w-]+)*)", PAGES[page])
    assert lines
    for command, options in sorted(set(lines)):
        reported = subprocess.run(
            [sys.executable, "build_scripts/dev.py", command, "--help"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert reported.returncode == 0, f"{page}: dev.py {command}"
        for option in options.split():
            assert option in reported.stdout, f"{page}: dev.py {command} {option}"
