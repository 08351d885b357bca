"""`packbench` and `python -m desktop`: decides between window, command and engine child; nothing else."""

from __future__ import annotations

import sys


def main() -> int:
    """Returns the exit code."""
    if getattr(sys, "frozen", False):
        from desktop.foundation.frozen.deferred_packages import provide_deferred_packages

        provide_deferred_packages()
    # The engine child re-uses this executable; it must be told apart before anything heavy is imported.
    if sys.argv[1:2] == ["--engine-child"]:
        from desktop.inference.backends.engine_child import run_engine_child

        return run_engine_child()
    from desktop.cli.terminal import occupy_closed_streams, standard_terminal
    from desktop.foundation.crash_reports import TraceOfThisProcess
    from desktop.foundation.paths import user_paths
    from packs.errors import AppError

    occupy_closed_streams()
    try:
        logs = user_paths().logs
    except AppError as error:
        terminal = standard_terminal()
        terminal.note(error.message)
        terminal.note(error.fix)
        return 2
    trace = TraceOfThisProcess(logs)
    trace.begin()
    try:
        tidy_unpacked()
        from desktop.app import run_program

        return run_program(sys.argv[1:])
    finally:
        trace.end()


def tidy_unpacked() -> None:
    """Of the one-file program only. What is left behind is removed aside: it may be hundreds of megabytes."""
    from desktop.foundation.frozen.temp_folder import mark, remove_left, unpacked_folder

    own = unpacked_folder()
    if own is None:
        return
    import threading

    mark(own)
    threading.Thread(target=remove_left, args=(own.parent, own), name="tidy", daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
