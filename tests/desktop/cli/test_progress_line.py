"""The line that counts, in a terminal and without one."""

from __future__ import annotations

from desktop.cli.progress import RunProgress
from desktop.cli.progress_line import ProgressLine
from desktop.cli.qualify_progress import QualifyProgress
from desktop.cli.terminal import Terminal
from desktop.runs.events import RunStarted, TextArrived, UnitFinished, UnitStarted
from desktop.runs.qualification.events import CaptureStarted, ReplyArrived
from desktop.runs.records import UnitKey
from packs.task.outcome import Cause
from tests.desktop.cli.conftest import Stream

KEY = UnitKey(0, "001", 0)


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_that_without_a_terminal_a_count_is_said_at_most_every_half_minute() -> None:
    err, clock = Stream(), Clock()
    with ProgressLine(Terminal(Stream(), err, {}), clock) as line:
        line.begin(0, 100)
        for done in range(1, 101):
            clock.seconds += 1
            line.count(done)
    assert [entry.split(",")[0].strip() for entry in err.text().splitlines()] == ["30/100", "60/100", "90/100"]


def test_that_quiet_shows_only_what_is_said_on_purpose() -> None:
    err, clock = Stream(terminal=True), Clock()
    with QualifyProgress(Terminal(Stream(), err, {}), quiet=True) as line:
        line.on_event(CaptureStarted("r1", 3, 0))
        line.count(2)
        line.say("Stopping …")
        clock.seconds += 100
    assert err.text() == "Stopping …\n"


def test_that_runs_of_both_kinds_are_drawn_alike() -> None:
    terminal = Terminal(Stream(), Stream(terminal=True), {"NO_COLOR": "1"})
    run, qualification = RunProgress(terminal, Clock()), QualifyProgress(terminal, Clock())
    run.on_event(RunStarted("r1", 4, ("one",), ("001",), 1))
    run.on_event(UnitFinished(KEY, Cause.CORRECT, 1.0, True, None, None, None))
    run.on_event(UnitStarted(KEY, None))
    qualification.on_event(CaptureStarted("r1", 4, 0))
    qualification.on_event(ReplyArrived("c1", "qualification", 0, "HTTP 500", 0.1, 1, 4))
    assert run.drawn() == "█████░░░░░░░░░░░░░░░ 1/4, 0 s  example 001"
    assert qualification.drawn() == "█████░░░░░░░░░░░░░░░ 1/4, 0 s, 1 failed  asking"
    run.on_event(TextArrived(KEY, "Bon\njour"))
    assert run.drawn().endswith("example 001: Bon jour")
    run.on_event(UnitStarted(KEY, None))
    assert run.drawn().endswith("example 001")
