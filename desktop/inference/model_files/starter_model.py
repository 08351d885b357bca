"""Facts of the starter model. Standard library only, so that the set-up tool can read them as well."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SHORT_NAME: Final = "starter"
"""What a person may type instead of the file's name."""
FILE_NAME: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE_BYTES: Final = 98_362_432
SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
HOW_TO_GET: Final = "Run: python3 build_scripts/dev.py run"


def starter_file(models_folder: Path) -> Path | None:
    """The starter model inside the program's models folder; None when it is not there."""
    file = models_folder / FILE_NAME
    return file if file.is_file() else None
