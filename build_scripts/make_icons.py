"""Draws the program's icon files for every system into `packaging/icons` from its own sign.

    python build_scripts/make_icons.py          # in the development environment; only when the sign changes

PNG in the usual sizes for Linux, one .ico for Windows, one .icns for macOS. Both containers hold PNG pictures.
"""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "packaging" / "icons"
SIDES = (16, 24, 32, 48, 64, 128, 256)
ICNS_KINDS = {16: b"icp4", 32: b"icp5", 64: b"icp6", 128: b"ic07", 256: b"ic08"}


def main() -> int:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.path.insert(0, str(ROOT))
    from PySide6.QtWidgets import QApplication

    from desktop.gui.shell.app_icon import app_icon
    from desktop.gui.theme import Scheme, Theme

    app = QApplication(sys.argv[:1])
    icon = app_icon(Theme(app, scheme=Scheme.LIGHT))
    OUT.mkdir(parents=True, exist_ok=True)
    pictures: dict[int, bytes] = {}
    for side in SIDES:
        file = OUT / f"packbench-{side}.png"
        icon.pixmap(side, side).save(str(file), "PNG")
        pictures[side] = file.read_bytes()
    (OUT / "packbench.ico").write_bytes(ico(pictures))
    (OUT / "packbench.icns").write_bytes(icns(pictures))
    return 0


def ico(pictures: dict[int, bytes]) -> bytes:
    """Header, one entry of 16 bytes for each picture, then the PNG files. A side of 256 is written as 0."""
    head = struct.pack("<HHH", 0, 1, len(pictures))
    offset = len(head) + 16 * len(pictures)
    entries, body = b"", b""
    for side, data in pictures.items():
        entries += struct.pack("<BBBBHHII", side % 256, side % 256, 0, 0, 1, 32, len(data), offset + len(body))
        body += data
    return head + entries + body


def icns(pictures: dict[int, bytes]) -> bytes:
    """'icns', the whole length, then kind, length and PNG file of each picture; lengths are big-endian."""
    parts = b"".join(
        kind + struct.pack(">I", len(pictures[side]) + 8) + pictures[side]
        for side, kind in ICNS_KINDS.items()
        if side in pictures
    )
    return b"icns" + struct.pack(">I", len(parts) + 8) + parts


if __name__ == "__main__":
    sys.exit(main())
