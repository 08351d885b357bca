"""Makes the small pictures of the help pages and of the README from those that screenshots.py drew.

    python build_scripts/help_pictures.py build/shots

Each gets a palette, and those of the help are made smaller, so that all of them together weigh some 350 kB.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HELP = ROOT / "resources" / "help" / "pictures"
WIDTH = 960
MOST_BYTES = 60_000
COLOURS = 64
PICTURES = {
    "start": "start.png",
    "import": "import.png",
    "pack-good": "pack.png",
    "pack-faulty": "problems.png",
    "models": "models.png",
    "plan": "plan.png",
    "live": "live.png",
    "result": "result.png",
    "evidence-bundle": "evidence.png",
}
"""Name of the drawn picture (light, 100 %), and of the help's."""
README = ("result", "docs/pictures/result.png", 1280)
"""Drawn picture, the README's file below the root, its width."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shots", type=Path)
    shots: Path = parser.parse_args().shots
    drawn, file, width = README
    wanted = [(name, HELP / target, WIDTH) for name, target in PICTURES.items()]
    for name, target, target_width in [*wanted, (drawn, ROOT / file, width)]:
        if not make_small(shots / f"{name}-light-100.png", target, target_width):
            return 1
    return 0


def make_small(drawn: Path, target: Path, width: int) -> bool:
    """Write the picture in this width, with few colours. Says what is wrong and returns False otherwise."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage

    image = QImage(str(drawn))
    if image.isNull():
        sys.stderr.write(f"{drawn.name} is not there; draw all pictures first.\n")
        return False
    small = image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
    small = small.convertToFormat(QImage.Format.Format_RGB32)
    # The picture's own most frequent colours; the usual fixed palette would shift the theme's.
    counts = Counter(memoryview(small.constBits()).cast("I").tolist())
    table = [colour for colour, _ in counts.most_common(COLOURS)]
    plain = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    small = small.convertToFormat(QImage.Format.Format_Indexed8, table, plain)
    target.parent.mkdir(parents=True, exist_ok=True)
    small.save(str(target), quality=0)
    size = target.stat().st_size
    sys.stdout.write(f"{target.relative_to(ROOT)}: {size:,} bytes\n")
    if size > MOST_BYTES:
        sys.stderr.write(f"{target.name} is larger than {MOST_BYTES:,} bytes.\n")
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
