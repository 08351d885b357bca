"""What is done with a bundle in the window: cases, signing, comparing, checking, exporting. By real keys."""

from __future__ import annotations

import http.server
import json
import shutil
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop.application.evidence.cases import cases_of
from desktop.application.evidence.look import contents_of, look_into
from desktop.application.evidence.work import compare_two
from desktop.gui.core.place import PlaceName
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.evidence.check_dialog import CheckDialog
from desktop.gui.evidence.place import EvidencePlace
from desktop.gui.evidence.reading_dialogs import BundlesDialog, CaseDialog
from desktop.gui.evidence.sign_dialog import SignDialog
from desktop.gui.shell.main_window import MainWindow
from desktop.gui.shell.start_window import make_window
from packs.errors import AppError
from tests.fakes.qualification_runs import run_once

HOUSING = Path(__file__).parents[2] / "packs" / "samples" / "housing-routing"
WRONG = {"label": "noise", "behaviour": "route"}
W = TypeVar("W", bound=QWidget)


def first_cases(count: int) -> list[str]:
    text = (HOUSING / "corpus" / "qualification.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [line["case_id"] for line in lines if line["expected"]["label"] != "noise"][:count]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run in which everything is right, and one in which three cases are answered wrong."""
    home = tmp_path_factory.mktemp("evidence")
    good = run_once(HOUSING, home / "good").folder
    wrong = {case: {"content": json.dumps(WRONG)} for case in first_cases(3)}
    return good, run_once(HOUSING, home / "worse", wrong).folder


@pytest.fixture
def good(made: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(made[0], tmp_path / "run-good"))


@pytest.fixture
def worse(made: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(made[1], tmp_path / "run-worse"))


@pytest.fixture
def window(services: WindowServices, qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    tasks = TaskRunner(GuiThread(qapp))
    made = make_window(replace(services, tasks=tasks))
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    qtbot.waitUntil(made.isActiveWindow)
    yield made
    made.close()
    tasks.shutdown()


def looked_into(qtbot: QtBot, window: MainWindow, bundle: Path) -> EvidencePlace:
    window.open_paths([str(bundle)])
    place = window.places[PlaceName.EVIDENCE]
    assert isinstance(place, EvidencePlace)
    qtbot.waitUntil(lambda: place.evidence is not None and place.page.isVisible())
    return place


def dialog(qtbot: QtBot, kind: type[W]) -> W:
    def found() -> list[W]:
        return [
            widget
            for widget in QApplication.topLevelWidgets()
            if isinstance(widget, kind) and widget.isVisible() and widget.isActiveWindow()
        ]

    qtbot.waitUntil(lambda: bool(found()))
    return found()[-1]


def press(qtbot: QtBot, button: QWidget) -> None:
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)


def test_that_the_matrix_and_the_failed_cases_are_shown(qtbot: QtBot, window: MainWindow, worse: Path) -> None:
    place = looked_into(qtbot, window, worse)
    matrix, failures = place.page.confusion, place.page.failures
    assert matrix.isVisible()
    assert matrix.which.count() == 2
    noise = next(n for n, column in enumerate(matrix.model.columns) if column.header == "noise")
    mixed_up = sum(row[1][noise - 1] for row in matrix.model.rows if row[0] != "noise")
    assert mixed_up == 3
    assert {row.case for row in failures.model.rows} == set(first_cases(3))
    assert {row.answered for row in failures.model.rows if row.test == "team"} == {"noise"}

    assert place.page.show_failures.text() == "Show the 6 &failures"
    press(qtbot, place.page.show_failures)
    assert failures.table.hasFocus()
    assert failures.table.currentIndex().row() == 0
    failures.search.setFocus()
    qtbot.keyClicks(failures.search, first_cases(1)[0])
    rows = failures.model.rowCount()
    assert 0 < rows < len(failures.all_cases)
    failures.table.setFocus()
    team = next(place for place, row in enumerate(failures.model.rows) if row.test == "team")
    failures.table.setCurrentIndex(failures.model.index(team, 0))
    qtbot.keyClick(failures.table, Qt.Key.Key_Return)
    shown = dialog(qtbot, CaseDialog)
    assert any("noise" in label.text() for label in shown.message)
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    qtbot.keyClicks(failures.search, "nowhere")
    assert failures.table.isHidden()
    assert "No case holds these words" in failures.message.text()


def test_that_a_bundle_without_failures_says_so(qtbot: QtBot, window: MainWindow, good: Path) -> None:
    place = looked_into(qtbot, window, good)
    assert place.page.failures.title.text() == "No case failed"
    assert place.page.failures.search.isHidden()
    assert place.page.show_failures.isHidden()


@pytest.mark.parametrize("name", ["metrics.json", "results.jsonl", "inputs.jsonl", "pack_summary.json"])
@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"null", b'{"classification": 3}', b"\xff\xfe"])
def test_that_strange_evidence_has_no_cases_and_raises_nothing(
    made: tuple[Path, Path], name: str, content: bytes
) -> None:
    contents = {**contents_of(made[1]), name: content}
    found = cases_of(contents)
    assert found.readable or not found.failures


def test_that_a_bundle_is_signed_with_a_new_key_by_keyboard(
    qtbot: QtBot, window: MainWindow, good: Path, tmp_path: Path
) -> None:
    place = looked_into(qtbot, window, good)
    press(qtbot, place.page.sign_button)
    signing = dialog(qtbot, SignDialog)
    assert not signing.do_button.isEnabled()
    qtbot.keyClicks(signing.passphrase, "a long passphrase")
    signing.make_key(str(tmp_path / "ann.key"))
    qtbot.waitUntil(lambda: "new key is made" in signing.message.text())
    assert (tmp_path / "ann.pub").is_file()
    assert signing.key.text() == str(tmp_path / "ann.key")
    signing.passphrase.clear()
    qtbot.keyClicks(signing.passphrase, "another")
    press(qtbot, signing.do_button)
    qtbot.waitUntil(lambda: "assphrase" in signing.message.text())
    assert not (good / "signature.json").exists()
    signing.passphrase.clear()
    qtbot.keyClicks(signing.passphrase, "a long passphrase")
    press(qtbot, signing.do_button)
    qtbot.waitUntil(lambda: place.evidence is not None and bool(place.evidence.key))
    assert json.loads((tmp_path / "ann.pub").read_text())["public_key"].startswith(place.evidence.key[:16])  # type: ignore[union-attr]
    assert place.page.sign_button.text() == "Si&gn again…"


def test_that_a_zip_and_a_changed_bundle_are_not_signed(
    qtbot: QtBot, window: MainWindow, good: Path, tmp_path: Path
) -> None:
    zipped = tmp_path / "run.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        for file in good.iterdir():
            archive.write(file, f"run/{file.name}")
    place = looked_into(qtbot, window, zipped)
    assert not place.page.sign_button.isEnabled()
    assert "unpack" in place.page.sign_button.toolTip()
    (good / "decision.json").write_bytes((good / "decision.json").read_bytes() + b" ")
    window.open_paths([str(good)])
    qtbot.waitUntil(lambda: place.evidence is not None and not place.evidence.untouched)
    assert not place.page.sign_button.isEnabled()


def test_that_two_bundles_are_compared_case_by_case(
    qtbot: QtBot, window: MainWindow, good: Path, worse: Path
) -> None:
    place = looked_into(qtbot, window, worse)
    press(qtbot, place.page.compare_button)
    chooser = window.findChild(QFileDialog)
    assert chooser is not None
    chooser.filesSelected.emit([str(good / "manifest.json")])
    chooser.close()
    shown = dialog(qtbot, BundlesDialog)
    assert {row.case for row in shown.flips.rows} == set(first_cases(3))
    assert not any(row.better for row in shown.flips.rows)
    assert any("got worse" in label.text() for label in shown.sentences)
    qtbot.keyClick(shown, Qt.Key.Key_Escape)


def test_that_what_cannot_be_compared_is_told(good: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(AppError, match="no whole bundle"):
        compare_two(good, tmp_path / "empty")


@pytest.fixture
def server() -> Iterator[str]:
    """A server that says that it runs another model."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = json.dumps({"data": [{"id": "mk-other"}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{made.server_address[1]}"
    made.shutdown()
    made.server_close()
    thread.join()


def test_that_a_bundle_is_checked_against_what_runs_now(
    qtbot: QtBot, window: MainWindow, good: Path, server: str
) -> None:
    place = looked_into(qtbot, window, good)
    press(qtbot, place.page.check_button)
    checking = dialog(qtbot, CheckDialog)
    assert checking.model_id.text() == "mk-ok"
    checking.endpoint.selectAll()
    qtbot.keyClicks(checking.endpoint, server)
    checking.model_id.clear()
    qtbot.keyClick(checking.endpoint, Qt.Key.Key_Return)
    qtbot.waitUntil(checking.table.isVisible)
    states = {row[0]: row[1] for row in checking.rows.rows}
    assert states["model revision"] == "fired"
    assert checking.sentence.text().startswith("Changed: model revision.")
    assert checking.rows.rows[0][0] == "model revision"
    qtbot.keyClick(checking, Qt.Key.Key_Escape)


def test_that_another_computer_is_asked_only_when_allowed(qtbot: QtBot, window: MainWindow, good: Path) -> None:
    place = looked_into(qtbot, window, good)
    press(qtbot, place.page.check_button)
    checking = dialog(qtbot, CheckDialog)
    assert checking.allowed.isHidden()
    checking.endpoint.selectAll()
    qtbot.keyClicks(checking.endpoint, "http://models.example:8080")
    assert checking.allowed.isVisible()
    qtbot.keyClick(checking.endpoint, Qt.Key.Key_Return)
    assert "another computer" in checking.message.text()
    assert checking.do_button.isEnabled()
    assert checking.allowed.hasFocus()
    qtbot.keyClick(checking, Qt.Key.Key_Escape)


def test_that_an_auditors_folder_is_written_and_never_over_another(
    qtbot: QtBot, window: MainWindow, worse: Path, tmp_path: Path
) -> None:
    place = looked_into(qtbot, window, worse)
    press(qtbot, place.page.export_button)
    chooser = window.findChild(QFileDialog)
    assert chooser is not None
    chooser.fileSelected.emit(str(tmp_path / "auditor"))
    chooser.close()
    qtbot.waitUntil((tmp_path / "auditor" / "auditor-report.html").is_file)
    qtbot.waitUntil(lambda: place.toast is not None and place.toast.isVisible())
    with qtbot.waitSignal(place.reported) as reported:
        place.export_to(str(tmp_path / "auditor"))
    assert "there already" in str(reported.args[0])


def test_that_re_scoring_looks_at_every_file_again(qtbot: QtBot, window: MainWindow, good: Path) -> None:
    place = looked_into(qtbot, window, good)
    assert look_into(good).untouched
    (good / "outputs.jsonl").write_bytes(b"")
    press(qtbot, place.page.again_button)
    qtbot.waitUntil(lambda: place.evidence is not None and not place.evidence.untouched)
    assert place.page.failures.isVisible()
