"""Dialogs over runs and bundles for the pictures: exports, questions, comparisons, signing and checking."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from build_scripts.dialog_scenes import Make, Wait
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.theme import Theme
from desktop.reports.data import ReportData

if TYPE_CHECKING:
    pass

ROOT = Path(__file__).resolve().parents[1]
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
_NUMBERS = itertools.count(1)


def _folder(documents: Path) -> Path:
    folder = documents / f"scene-{next(_NUMBERS)}"
    folder.mkdir(parents=True)
    return folder


def _export(theme: Theme, tasks: TaskRunner, wait: Wait, documents: Path) -> QWidget:
    from desktop.app import _pdf
    from desktop.application.run_requests import ExportRequest
    from desktop.gui.runs.result.export_dialog import ExportDialog
    from desktop.reports.renderers import Renderer, Renderers, standard_renderers
    from tests.fakes.reported_run import invoice_run
    from tests.fakes.run_service import ScriptedRunService

    class WritingService(ScriptedRunService):
        """Writes what the program writes."""

        @property
        def renderers(self) -> Renderers:
            return standard_renderers([Renderer("pdf", ".pdf", "PDF, for paper and for sending", _pdf)])

        def render(self, report: ReportData, request: ExportRequest) -> bytes:
            return self.renderers[request.format].render(report)

    dialog = ExportDialog(theme, WritingService(_folder(documents)), tasks, invoice_run())
    dialog.show()
    wait(lambda: dialog.page.pixmap().width() > 0 or bool(dialog.preview.toPlainText()))
    return dialog


def _close_question(theme: Theme, tasks: TaskRunner, wait: Wait, documents: Path) -> QWidget:
    from desktop.application.run_requests import RunSelection
    from desktop.gui.runs.place import RunsPlace
    from desktop.gui.widgets.questions import Question
    from tests.fakes.run_service import Script, ScriptedRunService

    service = ScriptedRunService(_folder(documents), Script(hold_at=(0, "003")))
    place = RunsPlace(theme, service, tasks, now=lambda: NOW)
    for name in ("post-room-triage", "invoice-extraction"):
        place.controller.start(RunSelection(documents / name, name, tuple(service.models)))
    wait(lambda: bool(service.controls) and service.controls[0].held.is_set())
    place.close_question(lambda: None)
    question = place.window().findChild(Question)
    assert question is not None
    place.controller.stop_all()
    wait(lambda: not place.controller.running)
    question.finished.connect(place.deleteLater)
    return question


def _compare(theme: Theme, tasks: TaskRunner, wait: Wait, documents: Path) -> QWidget:
    from desktop.gui.runs.result.compare_dialog import CompareDialog
    from desktop.gui.runs.result.comparison import compare
    from tests.fakes.reported_run import reported_run

    before = reported_run()
    after = _later(before)
    dialog = CompareDialog(theme, before, after, compare(before, after), now=lambda: NOW)
    dialog.show()
    return dialog


def _later(report: ReportData) -> ReportData:
    """The same answers with another prompt, and every seventh example turned round."""
    units = []
    for unit in report.units:
        outcome = unit.outcome
        if outcome is not None and outcome.passed is not None and int(unit.example) % 7 == 0:
            from packs.task.outcome import Cause

            cause = Cause.WRONG if outcome.passed else Cause.CORRECT
            unit = replace(unit, outcome=replace(outcome, cause=cause, passed=not outcome.passed))
        units.append(unit)
    pack = replace(report.pack, prompt="Which of the five desks takes this letter? Answer with its name alone.")
    run = replace(report.run, id="later", started_at="2026-11-30T11:40:00Z", settings={"constrained": True})
    return replace(report, units=tuple(units), pack=pack, run=run)


def _bundle(documents: Path, wrong: int) -> Path:
    from tests.fakes.qualification_runs import run_once

    replies = {f"TQ-{number:04}": {"content": "not sure"} for number in range(1, wrong + 1)}
    return run_once(ROOT / "packs" / "samples" / "housing-routing", _folder(documents), replies).folder


def _sign(theme: Theme, tasks: TaskRunner, wait: Wait, documents: Path) -> QWidget:
    from desktop.gui.evidence.sign_dialog import SignDialog

    folder = _folder(documents)
    dialog = SignDialog(theme, tasks, folder, folder)
    dialog.show()
    dialog.make_key(str(folder / "anna.key"))
    wait(lambda: "made" in dialog.message.text())
    return dialog


def _check(theme: Theme, tasks: TaskRunner, wait: Wait, documents: Path) -> QWidget:
    from desktop.gui.evidence.check_dialog import CheckDialog

    dialog = CheckDialog(theme, tasks, _bundle(documents, 0), "mk-ok", now=lambda: NOW)
    dialog.show()
    dialog.endpoint.setText("http://127.0.0.1:9")
    dialog.check()
    wait(dialog.table.isVisible)
    return dialog


def _bundles(theme: Theme, tasks: TaskRunner, wait: Wait, documents: Path) -> QWidget:
    from desktop.application.evidence.work import compare_two
    from desktop.gui.evidence.reading_dialogs import BundlesDialog

    dialog = BundlesDialog(theme, compare_two(_bundle(documents, 0), _bundle(documents, 8)))
    dialog.show()
    return dialog


def _case(theme: Theme, tasks: TaskRunner, wait: Wait, documents: Path) -> QWidget:
    from desktop.application.evidence.look import look_into
    from desktop.gui.evidence.reading_dialogs import CaseDialog

    dialog = CaseDialog(theme, look_into(_bundle(documents, 2)).cases.failures[0])
    dialog.show()
    return dialog


SCENES: dict[str, Make] = {
    "export": _export,
    "close-question": _close_question,
    "compare": _compare,
    "bundle-sign": _sign,
    "bundle-check": _check,
    "bundle-compare": _bundles,
    "bundle-case": _case,
}
