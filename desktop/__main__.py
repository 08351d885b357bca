"""`packbench` and `python -m desktop`: decides between window, command and engine child; nothing else."""

from __future__ import annotations

import sys


def main() -> int:
    """Returns the exit code."""
    # The engine child re-uses this executable; it must be told apart before anything heavy is imported.
    if sys.argv[1:2] == ["--engine-child"]:
        from desktop.backends.engine_child import run_engine_child

        return run_engine_child()
    from desktop.app import run_program

    return run_program(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
