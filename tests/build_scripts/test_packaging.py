"""The packaging files say the same as the program does."""

from __future__ import annotations

import configparser
import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

from build_scripts.make_icons import icns, ico
from desktop import __version__

PACKAGING = Path(__file__).parents[2] / "packaging"


def test_that_every_file_has_the_programs_version() -> None:
    project = (PACKAGING.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(rf'^version = "{re.escape(__version__)}"$', project, re.MULTILINE)
    assert f"'{__version__}'" in (PACKAGING / "windows_version.txt").read_text(encoding="utf-8")
    releases = ET.parse(PACKAGING / "org.packbench.Packbench.metainfo.xml").findall("releases/release")
    assert releases[0].get("version") == __version__


def test_that_desktop_entry_and_metadata_name_each_other_and_the_file_type() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(PACKAGING / "packbench.desktop", encoding="utf-8")
    desktop = entry["Desktop Entry"]
    component = ET.parse(PACKAGING / "org.packbench.Packbench.metainfo.xml")
    assert component.findtext("launchable") == "packbench.desktop"
    mime = component.findtext("provides/mediatype")
    assert desktop["MimeType"] == f"{mime};"
    assert mime in (PACKAGING / "packbench-mime.xml").read_text(encoding="utf-8")
    assert desktop["Exec"] == "packbench open %F"


def test_that_the_icon_containers_hold_the_pictures() -> None:
    pictures = {16: b"\x89PNG small", 256: b"\x89PNG large"}
    data = ico(pictures)
    count = struct.unpack_from("<HHH", data)[2]
    assert count == 2
    size, offset = struct.unpack_from("<II", data, 6 + 16 + 8)
    assert data[offset : offset + size] == b"\x89PNG large"
    whole = icns(pictures)
    assert struct.unpack(">I", whole[4:8])[0] == len(whole)
    assert b"ic08" in whole


def test_that_every_icon_is_there() -> None:
    names = {file.name for file in (PACKAGING / "icons").iterdir()}
    assert {"packbench.ico", "packbench.icns", "packbench-256.png"} <= names
