"""The memory's speed as last measured on this machine, so that it is measured once and not at every start."""

from __future__ import annotations

import json
import logging
import math
from dataclasses import asdict
from pathlib import Path

from desktop.foundation.private_files import make_private_folder
from desktop.inference.machine.machine import BandwidthReading
from packs.documents.atomic import write_atomically
from packs.documents.regular_file import open_regular

log = logging.getLogger(__name__)

FILE_NAME = "memory-speed.json"
_MAX_BYTES = 100_000


class BandwidthFile:
    """One small file in the cache folder: losing it costs one second."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE_NAME

    def read(self, threads: int) -> BandwidthReading | None:
        """None when nothing was measured with this number of threads, or the file is damaged."""
        try:
            with open_regular(self._file) as file:
                data = json.loads(file.read(_MAX_BYTES))
            reading = BandwidthReading(
                float(data["gbps"]),
                int(data["threads"]),
                str(data["taken_at"]),
                bool(data["busy"]),
                tuple(float(speed) for speed in data["rounds"]),
            )
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        usable = math.isfinite(reading.gbps) and reading.gbps > 0 and reading.threads == threads
        return reading if usable else None

    def write(self, reading: BandwidthReading) -> None:
        """A folder that cannot be written is logged: the speed is measured again next time."""
        try:
            make_private_folder(self._file.parent)
            write_atomically(self._file, json.dumps(asdict(reading)).encode())
        except OSError as error:
            log.warning("the memory's speed was not kept: %s", error)
