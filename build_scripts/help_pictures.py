"""Makes the small pictures of the help pages and of the README from those that screenshots.py drew.

    python build_scripts/help_pictures.py build/shots

Each gets a palette, and those of the help are made smaller, so that all of them together weigh some 350 kB.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HELP = ROOT / "resources" / "help" / "pictures"
WIDTH = 960
MAX_BYTES = 60_000
COLOURS = 128
UNLIKE = 14
"""Least difference of two colours, added up over red, green and blue (0 to 255 each)."""
PICTURES = {
    "start": "start.png",
    "import": "import.png",
    "pack-good": "pack.png",
    "pack-faulty": "problems.png",
    "edit-labels": "labels.png",
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
    table = palette([colour for colour, _ in counts.most_common()])
    plain = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    small = small.convertToFormat(QImage.Format.Format_Indexed8, table, plain)
    target.parent.mkdir(parents=True, exist_ok=True)
    small.save(str(target), quality=0)
    size = target.stat().st_size
    sys.stdout.write(f"{target.relative_to(ROOT)}: {size:,} bytes\n")
    if size > MAX_BYTES:
        sys.stderr.write(f"{target.name} is larger than {MAX_BYTES:,} bytes.\n")
        return False
    return True


def palette(frequent: Sequence[int]) -> list[int]:
    """At most `COLOURS` of these colours (0xFFRRGGBB, the most frequent first), each unlike the others.

    The most frequent alone would be shades of grey from the edges of letters, and a red sign would become grey.
    """
    chosen: list[tuple[int, int, int]] = []
    for colour in frequent:
        parts = (colour >> 16 & 255, colour >> 8 & 255, colour & 255)
        if all(
            sum(abs(one - two) for one, two in zip(parts, other, strict=True)) >= UNLIKE for other in chosen
        ):
            chosen.append(parts)
            if len(chosen) == COLOURS:
                break
    return [0xFF000000 | red << 16 | green << 8 | blue for red, green, blue in chosen]


if __name__ == "__main__":
    sys.exit(main())
