"""`packbench` and `python -m desktop`: decides between window, command and engine child; nothing else."""

from __future__ import annotations

import sys


def main() -> int:
    """Returns the exit code."""
    from desktop.app import run_program

    return run_program(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
