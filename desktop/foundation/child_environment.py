"""The environment of processes that we start: what a system or an engine needs, and nothing else.

A list of what may pass, not of what may not: nobody knows the names of all keys and passphrases that somebody
keeps in an environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

_ALWAYS = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "PWD")
_WINDOWS = (
    *("SYSTEMROOT", "WINDIR", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
    *("PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "PROCESSOR_IDENTIFIER"),
)
_LOADERS = ("LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH")
_PYTHON = ("PYTHONPATH", "PYTHONHOME", "PYTHONUTF8", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV")
_FOLDERS = ("PACKBENCH_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
_GRAPHICS = (
    *("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"),
    *("VK_ICD_FILENAMES", "VK_DRIVER_FILES"),
)
_NAMES = frozenset((*_ALWAYS, *_WINDOWS, *_LOADERS, *_PYTHON, *_FOLDERS, *_GRAPHICS))
_BEGINNINGS = ("LC_", "OMP_", "GGML_", "_MEI", "_PYI_", "PYINSTALLER_", "MALLOC_")
"""Locale, threads, the engine's own settings, the one-file program's place."""
_SECRET_PARTS = ("KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH")


def child_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a child process is given of `environment`, ours when None. Names as they are written there."""
    source = os.environ if environment is None else environment
    return {name: value for name, value in source.items() if _may_pass(name.upper())}


def _may_pass(name: str) -> bool:
    if name in _NAMES:
        return True
    return name.startswith(_BEGINNINGS) and not any(part in name for part in _SECRET_PARTS)
