"""Makes the small pictures of the help pages and of the README from those that screenshots.py drew.

    python build_scripts/help_pictures.py build/shots

Each is made smaller and gets a palette, so that all of them together weigh some 300 kB.
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


def main() -> int:
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shots", type=Path)
    shots: Path = parser.parse_args().shots
    HELP.mkdir(exist_ok=True)
    plain = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    for drawn, name in PICTURES.items():
        image = QImage(str(shots / f"{drawn}-light-100.png"))
        if image.isNull():
            sys.stderr.write(f"{drawn}-light-100.png is not there; draw all pictures first.\n")
            return 1
        small = image.scaledToWidth(WIDTH, Qt.TransformationMode.SmoothTransformation)
        small = small.convertToFormat(QImage.Format.Format_RGB32)
        # The picture's own most frequent colours; the usual fixed palette would shift the theme's.
        counts = Counter(memoryview(small.constBits()).cast("I").tolist())
        table = [colour for colour, _ in counts.most_common(COLOURS)]
        small = small.convertToFormat(QImage.Format.Format_Indexed8, table, plain)
        target = HELP / name
        small.save(str(target), quality=0)
        size = target.stat().st_size
        sys.stdout.write(f"{target.relative_to(ROOT)}: {size:,} bytes\n")
        if size > MOST_BYTES:
            sys.stderr.write(f"{name} is larger than {MOST_BYTES:,} bytes.\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
