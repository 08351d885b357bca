"""The list of licences names all that is in the one-file program, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from build_scripts.bundled_parts import Contents, from_record, listed_parts, owners, superfluous, unlisted
from build_scripts.system_parts import SYSTEM_PARTS, system_part_of

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "fixtures" / "bundled" / "one_file.json"
"""What `build_scripts/bundled_parts.py` printed of a program built on Debian 12."""
BUILT = ROOT / "build" / "contents.json"
"""The same of the program that was built here last; `dev.py build` writes it."""


def recorded(file: Path = RECORDED) -> Contents:
    return from_record(json.loads(file.read_text("utf-8")))


@pytest.mark.parametrize(
    "file", [file for file in (RECORDED, BUILT) if file.is_file()], ids=lambda file: file.parent.name
)
def test_that_the_list_names_all_that_is_in_the_program(file: Path) -> None:
    assert unlisted(recorded(file), listed_parts()) == []


def test_that_the_list_names_nothing_else() -> None:
    assert superfluous(recorded(), listed_parts()) == []


def test_that_a_part_without_a_licence_is_told() -> None:
    listed = [name for name in listed_parts() if name not in ("httpx", "Xlib")]
    reported = unlisted(recorded(), listed)
    assert len(reported) == 3
    assert any(sentence.startswith("httpx (package httpx) is in the program") for sentence in reported)
    assert any(sentence.startswith("Xlib (libX11.so.6)") for sentence in reported)


def test_that_unknown_packages_and_libraries_are_told() -> None:
    more = replace(
        recorded(), distributions={"odd": None}, libraries=("libreadline.so.8", "libQt6Core.so.6", "libz.so.1")
    )
    reported = unlisted(more, ["zlib"])
    assert reported == [
        "Nobody knows where the package odd comes from.",
        "libreadline.so.8 is in the program, but build_scripts/system_parts.py does not know it.",
    ]


def test_that_a_licence_of_something_that_is_gone_is_told() -> None:
    assert superfluous(recorded(), [*listed_parts(), "left-behind"]) == [
        "left-behind is in the list of licences but not in the program."
    ]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("libX11-xcb.so.1", "Xlib"),
        ("libxcb-render-util.so.0", "xcb-util-renderutil"),
        ("libxcb-render.so.0", "libxcb"),
        ("libglib-2.0.so.0", "GLib"),
        ("libpng16.so.16", "libpng"),
        ("PySide6/Qt/lib/libicudata.so.73", "ICU"),
    ],
)
def test_that_a_library_belongs_to_one_part(file: str, name: str) -> None:
    part = system_part_of(file)
    assert part is not None and part.name == name
    stems = [stem for entry in SYSTEM_PARTS for stem in entry.libraries]
    assert len(stems) == len(set(stems))


def test_that_own_and_standard_modules_have_no_other_owner() -> None:
    assert owners(["desktop", "packs", "json", "_pyi_rth_utils", "pyimod01_archive", "struct"]) == {}
    assert owners(["yaml", "nobodys_module"]) == {"nobodys_module": None, "yaml": "PyYAML"}
