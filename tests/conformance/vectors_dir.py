"""Where the conformance vectors are read from, and how to make one test a case."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

OWN = Path(__file__).parent / "vectors"


def vectors_root() -> Path:
    """`PACKBENCH_VECTORS` if set, else the copies beside this file."""
    return Path(os.environ.get("PACKBENCH_VECTORS") or OWN)


def load(relative: str) -> Any:
    """The content of one file, or None when this set of vectors does not have it."""
    file = vectors_root() / relative
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
