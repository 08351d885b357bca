"""One log file for the program, with anything that looks like a key taken out before it is written.

Qt-free on purpose: a message about Qt must not need Qt to be told.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from desktop.foundation.private_files import make_private_folder, touch_private

FILE_NAME = "packbench.log"
Clean = Callable[[str], str]
MAX_BYTES = 2_000_000
KEPT = 3

_SECRET = re.compile(
    r"(?i)(bearer\s+|(?:api[-_]?key|authorization|x-api-key|token|secret|password)[\"'\s:=]+)([^\s\"',;]{6,})"
    r"|\b(sk-[A-Za-z0-9_-]{8,})"
)


def scrub(text: str) -> str:
    """Replace what looks like a key by `[removed]`."""
    return _SECRET.sub(lambda match: (match.group(1) or "") + "[removed]", text)


class _ScrubbingFormatter(logging.Formatter):
    def __init__(self, form: str, clean: Clean) -> None:
        super().__init__(form)
        self._clean = clean

    def format(self, record: logging.LogRecord) -> str:
        return scrub(self._clean(super().format(record)))


class _LogFile(logging.handlers.RotatingFileHandler):
    """A line that cannot be written, for a full disk say, is dropped: nothing is printed over the program."""

    def _open(self) -> Any:
        touch_private(Path(self.baseFilename))
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:
        return


def start_logging(folder: Path, *, debug: bool = False, clean: Clean = str) -> Path | None:
    """Log to `folder/packbench.log`, rotated. Returns the file, or None when the folder cannot be written.

    clean: takes the keys in use out of a line; what only looks like a key is taken out besides.

    A log that cannot be kept never stops the program.
    """
    root = logging.getLogger()
    root.setLevel(logging.DEBUG if debug else logging.INFO)
    # httpx tells every address at INFO; that is not ours to keep.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    logging.getLogger("httpcore").setLevel(logging.WARNING)
    # What libraries warn of (an extension of a workbook that is passed over, say) is nothing for a terminal.
    logging.captureWarnings(True)
    file = folder / FILE_NAME
    try:
        make_private_folder(folder)
        if not os.access(file if file.exists() else folder, os.W_OK):
            raise PermissionError
        handler = _LogFile(file, maxBytes=MAX_BYTES, backupCount=KEPT, encoding="utf-8", delay=True)
    except OSError:
        # Else the library prints warnings and tracebacks to the person's terminal.
        root.addHandler(logging.NullHandler())
        return None
    handler.setFormatter(_ScrubbingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s", clean))
    root.addHandler(handler)
    return file
