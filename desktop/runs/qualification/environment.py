"""What machine answers, as far as this machine can tell. Format, section 15.2.

Graphics and driver of this machine say nothing about an endpoint elsewhere, so they are told only for an
endpoint on this machine (section 28, W28).
"""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Callable

from desktop.foundation.child_environment import child_environment
from packs.qualification.fingerprint import Envelope, known, unavailable

PROBE_S = 5.0
Run = Callable[[list[str]], str | None]


def run_tool(command: list[str]) -> str | None:
    """Standard output of a small tool; None when it is missing, fails or takes longer than 5 s."""
    if shutil.which(command[0]) is None:
        return None
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=PROBE_S, check=True, text=True, env=child_environment()
        )
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return None
    return done.stdout


def read_environment(*, endpoint_is_here: bool, run: Run = run_tool) -> dict[str, Envelope]:
    python = known(platform.python_version(), "interpreter")
    if not endpoint_is_here:
        away = unavailable("the endpoint is not on this machine")
        return {"gpu": away, "driver": away, "cuda": away, "python": python}
    listed = run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    rows = [[part.strip() for part in line.split(",")] for line in (listed or "").splitlines() if "," in line]
    if not rows:
        none = unavailable("nvidia-smi is not there or shows no graphics processor")
        return {"gpu": none, "driver": none, "cuda": none, "python": python}
    names = ", ".join(row[0] for row in rows)
    return {
        "gpu": known(names, "nvidia-smi"),
        "driver": known(rows[0][1], "nvidia-smi") if rows[0][1] else unavailable("nvidia-smi does not say"),
        "cuda": _cuda(run),
        "python": python,
    }


def _cuda(run: Run) -> Envelope:
    for line in (run(["nvidia-smi"]) or "").splitlines():
        if "CUDA Version:" in line:
            version = line.split("CUDA Version:")[1].split("|")[0].strip()
            if version:
                return known(version, "nvidia-smi")
    return unavailable("nvidia-smi does not say")
