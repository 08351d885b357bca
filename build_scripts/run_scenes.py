"""The Runs place: planned, at work, finished, and all runs."""

from __future__ import annotations

from collections.abc import Callable

from build_scripts.pack_scenes import SAMPLE, open_sample
from build_scripts.stage import Stage


def _runs_empty(stage: Stage) -> None:
    from desktop.gui.core.place import PlaceName

    stage.window.show_place(PlaceName.RUNS)


def _plan(stage: Stage) -> None:
    # Where only this picture is wanted, no pack is open yet.
    if not (stage.paths.documents / SAMPLE).exists():
        open_sample(stage)
    stage.window.plan_run()
    stage.settle()


def _live(stage: Stage) -> None:
    from desktop.application.run_requests import RunSelection
    from desktop.gui.core.place import PlaceName

    stage.window.show_place(PlaceName.RUNS)
    runs = stage.runs_place()
    stage.running = True
    folder = stage.paths.documents / SAMPLE
    runs.controller.start(RunSelection(folder, "post-room-triage", tuple(stage.service.models)))
    runs._show_live()
    stage.wait_until(lambda: bool(stage.service.controls) and stage.service.controls[-1].held.is_set())
    stage.settle()


def _result(stage: Stage) -> None:
    if not stage.service.controls:  # asked for without the picture of the run
        _live(stage)
    stage.service.controls[-1].release()
    stage.running = False
    stage.wait_until(lambda: not stage.runs_place().controller.running)
    stage.settle()
    with stage.service.reader() as reader:
        run_id = reader.runs()[0].id
    stage.window.runs.show_run(run_id)
    # On a busy computer the examples come later than the figures.
    stage.wait_until(stage.runs_place().result.export.isEnabled)
    stage.settle()


def _history(stage: Stage) -> None:
    stage.runs_place().show_history()
    stage.settle()


def _today(stage: Stage) -> None:
    """The result again, after expected values were corrected."""
    with stage.service.reader() as reader:
        run_id = reader.runs()[0].id
    stage.service.corrected = {"016": "returns", "022": "returns"}
    stage.window.runs.show_run(run_id)
    strip = stage.runs_place().result.strip
    stage.wait_until(strip.isVisible)
    stage.settle()


def _queue(stage: Stage) -> None:
    """One run at work, two that wait; from the history."""
    from desktop.application.run_requests import RunSelection

    stage.service.corrected = {}
    _live(stage)
    runs = stage.runs_place()
    for name in ("invoice-extraction", "Posteingangsbearbeitung der Schadensmeldungen"):
        runs.controller.start(RunSelection(stage.paths.documents / name, name, tuple(stage.service.models[:2])))
    stage.settle()


def _queue_history(stage: Stage) -> None:
    """The same from the history, with a run that was deleted lately."""
    runs = stage.runs_place()
    with stage.service.reader() as reader:
        finished = [run for run in reader.runs() if run.status.value == "finished"]
    stage.service.set_note(finished[0].id, "before the new prompt")
    stage.service.delete(finished[-1].id)
    runs.show_history()
    stage.wait_until(runs.history.deleted.isVisible)
    stage.settle()


def _failed(stage: Stage) -> None:
    """A run that could not go on."""
    from dataclasses import replace

    from desktop.application.run_requests import RunSelection
    from packs.errors import AppError

    runs = stage.runs_place()
    runs.controller.stop_all()
    stage.running = False
    stage.wait_until(lambda: not runs.controller.running)
    full = AppError(
        "The disk is full: runs.db could not be written.",
        "Everything finished so far is safe. Free some space, then resume the run.",
        code="disk_full",
    )
    stage.service.script = replace(stage.service.script, crash=full, crash_at=(1, "012"), hold_at=None)
    folder = stage.paths.documents / SAMPLE
    runs.controller.start(RunSelection(folder, "post-room-triage", tuple(stage.service.models)))
    runs._show_live()
    stage.wait_until(lambda: not runs.controller.running)
    stage.settle()


def _nothing_right(stage: Stage) -> None:
    """A finished run in which every model failed."""
    from desktop.application.run_requests import RunSelection
    from packs.task.outcome import Cause
    from tests.fakes.run_service import Script

    lost = "It reached 1.94 GiB (predicted 1.90); your limit for this run is 1.9 GiB."
    stage.service.script = Script(
        ends={0: ("001", lost, Cause.OUT_OF_MEMORY), 1: ("004", "The engine crashed.", Cause.CRASHED)}
    )
    runs = stage.runs_place()
    folder = stage.paths.documents / SAMPLE
    runs.controller.start(RunSelection(folder, "post-room-triage", tuple(stage.service.models[:2])))
    stage.wait_until(lambda: not runs.controller.running)
    with stage.service.reader() as reader:
        run_id = reader.runs()[0].id
    stage.window.runs.show_run(run_id)
    stage.settle()


SCENES: dict[str, Callable[[Stage], None]] = {
    "runs-empty": _runs_empty,
    "plan": _plan,
    "live": _live,
    "result": _result,
    "history": _history,
    "result-today": _today,
    "queue": _queue,
    "queue-history": _queue_history,
    "failed": _failed,
    "nothing-right": _nothing_right,
}
