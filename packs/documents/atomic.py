"""Writing a file so that a reader sees the old content or the new, never a part."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def write_atomically(target: Path, content: bytes, *, private: bool = False) -> None:
    """Write to a temporary file beside `target`, flush it to disk, and rename.

    Keeps the permission bits of an existing target; a new one is as the process's mask says, or for its owner
    alone where it is `private`. Raises OSError; the target is then as it was and the
    temporary file is gone.
    """
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o777)
        elif not private:
            temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
