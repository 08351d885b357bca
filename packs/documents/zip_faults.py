"""What reading a damaged zip can raise, in one place: its table, its entries, and whatever packed them."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib

ZIP_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
)
"""OSError and ValueError, which have other reasons too, are for the caller."""
