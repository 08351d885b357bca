"""What the program's exit codes mean; the same for every command."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    DONE = 0
    PROBLEMS = 1
    """The thing given has problems: a pack that is not valid, a bundle that differs."""
    USAGE = 2
    MACHINE = 3
    """A backend or the machine failed."""
    GATE = 4
    """Only with `--fail-on` or `--fail-under`: the result is not what was asked for."""
    STOPPED = 130
    """By the person."""


MEANINGS: dict[Exit, str] = {
    Exit.DONE: "done",
    Exit.PROBLEMS: "what was given has problems: a pack that is not valid, a bundle that differs",
    Exit.USAGE: "wrong usage: the command line cannot be understood",
    Exit.MACHINE: "a backend or the computer failed, or the result could not be written",
    Exit.GATE: "the decision is one of those named with `--fail-on`, or no model reaches `--fail-under`",
    Exit.STOPPED: "stopped by you",
}
"""For the help. `check` has numbers of its own, which its format fixes; its description says them."""
