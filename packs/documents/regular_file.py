"""Opening files that somebody else named: ordinary ones only, never one that waits or has no end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_regular(file: Path | str) -> BinaryIO:
    """The file, open for reading. A pipe, device, socket or folder is refused without waiting for it.

    Raises OSError, with a reason in plain words as its `strerror`.
    """
    return open(file, "rb", opener=_open)


def read_regular(file: Path, limit: int) -> bytes:
    """The content of an ordinary file of at most `limit` bytes. Raises OSError as `open_regular`, also (EFBIG)
    when it is larger; then no more than one byte beyond the limit was read.
    """
    with open_regular(file) as stream:
        if os.fstat(stream.fileno()).st_size <= limit:
            # The size may lie or grow, so what really comes is counted.
            content = stream.read(limit + 1)
            if len(content) <= limit:
                return content
    raise OSError(errno.EFBIG, f"it is larger than {limit:,} bytes", str(file))


def _open(name: str, flags: int) -> int:
    # Without O_NONBLOCK, opening a pipe waits for whoever writes into it; ordinary files know no difference.
    handle = os.open(name, flags | getattr(os, "O_NONBLOCK", 0))
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is not an ordinary file", name)
    except BaseException:
        os.close(handle)
        raise
    return handle
