"""Evidence: a good bundle, a tampered one, a file that is none; as folder and as zip."""

from __future__ import annotations

import asyncio
import json
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.application.evidence.look import look_into
from desktop.application.run_tasks import load_work
from desktop.gui.core.place import PlaceName
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.evidence.place import EvidencePlace
from desktop.gui.shell.main_window import MainWindow
from desktop.gui.shell.start_window import make_window
from desktop.gui.theme import Theme
from desktop.gui.widgets.interval import IntervalValue
from desktop.gui.widgets.roles import INTERVAL_ROLE
from desktop.reports.bundle import render_bundle
from desktop.reports.gather import gather
from desktop.runs.journal.reader import JournalReader
from packs.errors import AppError
from packs.qualification.signing import new_keys, signature_file
from tests.fakes.desk_pack import desk_model, write_desk_pack
from tests.fakes.fake_backend import FakeBackend
from tests.fakes.qualification_runs import run_once
from tests.fakes.runs import Told, started

SAMPLES = Path(__file__).parents[2] / "packs" / "samples"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle folder of a qualification run in which everything is right."""
    return run_once(SAMPLES / "housing-routing", tmp_path_factory.mktemp("evidence")).folder


@pytest.fixture
def bundle(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run-1"))


@pytest.fixture(scope="module")
def run_zip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    work, _ = load_work(write_desk_pack(folder / "desk"))
    backend = FakeBackend([desk_model(said={1: "other"})])
    end = asyncio.run(started(work, backend, folder / "runs.db", Told()))
    with JournalReader(folder / "runs.db") as reader:
        content = render_bundle(gather(reader, end.run_id, created_at="2026-11-30T12:00:00Z"))
    (folder / "run.zip").write_bytes(content)
    return folder / "run.zip"


@pytest.fixture
def window(services: WindowServices, qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    tasks = TaskRunner(GuiThread(qapp))
    made = make_window(replace(services, tasks=tasks))
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    yield made
    made.close()
    tasks.shutdown()


def place_of(window: MainWindow) -> EvidencePlace:
    place = window.places[PlaceName.EVIDENCE]
    assert isinstance(place, EvidencePlace)
    return place


def opened(window: MainWindow, qtbot: QtBot, path: Path) -> EvidencePlace:
    place = place_of(window)
    window.open_paths([str(path)])
    qtbot.waitUntil(lambda: place.evidence is not None and place.evidence.path == path)
    assert window.shown_place is PlaceName.EVIDENCE
    return place


def zipped(folder: Path, target: Path, inside: str = "") -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            archive.write(file, inside + file.name)
    return target


def test_that_a_good_bundle_shows_decision_intervals_and_that_it_is_untouched(
    window: MainWindow, services: WindowServices, qtbot: QtBot, bundle: Path
) -> None:
    place = opened(window, qtbot, bundle)
    page = place.page
    assert page.answer.sentence.text() == "QUALIFIED: this deployment is shown to be good enough."
    assert page.rows.rowCount() == 3
    value = page.rows.index(0, 2).data(INTERVAL_ROLE)
    assert isinstance(value, IntervalValue) and value.threshold == 0.95
    assert page.rows.index(0, 6).data() == "Met"
    assert "untouched" in page.files.message.text()
    assert "the same numbers" in page.scored.message.text()
    assert page.signature.message.text().startswith("Not signed")
    assert page.differences.isHidden()
    assert window.windowTitle().startswith("housing.message-routing@1.0.0")
    assert services.settings.current.recent_bundles == (str(bundle),)


@pytest.mark.parametrize("inside", ["", "run-1/"])
def test_that_a_zip_says_the_same_as_its_folder(bundle: Path, tmp_path: Path, inside: str) -> None:
    one, other = look_into(bundle), look_into(zipped(bundle, tmp_path / "sent.zip", inside))
    assert replace(one, path=other.path) == other
    assert one.untouched


def test_that_a_signed_bundle_shows_its_key(window: MainWindow, qtbot: QtBot, bundle: Path) -> None:
    keys = new_keys(bytes(range(32)))
    (bundle / "signature.json").write_bytes(signature_file(keys, (bundle / "hashes.json").read_bytes()))
    place = opened(window, qtbot, bundle)
    assert place.page.signature.message.text().startswith("Signed.")
    assert place.page.key.text().replace(" ", "").replace("\n", "") == keys.public.hex()
    assert "untouched" in place.page.files.message.text()


def test_that_a_tampered_bundle_proves_nothing_and_names_the_place(
    window: MainWindow, qtbot: QtBot, bundle: Path
) -> None:
    file = bundle / "decision.json"
    file.write_text(file.read_text("utf-8").replace('"threshold": 0.85', '"threshold": 0.55'), "utf-8")
    place = opened(window, qtbot, bundle)
    page = place.page
    assert page.answer.sentence.text().startswith("This bundle proves nothing as it is")
    assert "QUALIFIED; that is not proved" in page.answer.reason.text()
    shown = [page.findings_model.index(row, 0).data() for row in range(page.findings_model.rowCount())]
    assert "decision.json was changed after the bundle was written." in shown
    assert "decision.json, requirement team_accuracy, threshold: recorded 0.55, computed 0.85." in shown
    assert page.findings.isVisible()


def test_that_a_bundle_without_its_decision_is_shown_as_broken(bundle: Path) -> None:
    (bundle / "decision.json").unlink()
    found = look_into(bundle)
    assert found.status is None and not found.untouched
    assert "decision.json is missing." in found.findings


@pytest.mark.parametrize(
    "content",
    [
        {"status": 7, "requirements": "none", "critical_failures": [], "what_would_resolve": 3},
        {"status": "QUALIFIED", "requirements": [{"n": True, "threshold": "x", "point_estimate": 1e400}, 3]},
        {"requirements": [{"metric": "a\n" * 5000, "confidence_interval": {"lower": -4, "upper": None}}]},
    ],
)
def test_that_strange_content_is_shown_and_never_trusted(bundle: Path, content: object) -> None:
    (bundle / "decision.json").write_text(json.dumps(content), "utf-8")
    found = look_into(bundle)
    assert not found.untouched
    assert all(row.estimate is None and row.lower is None for row in found.rows)
    assert all(len(row.metric) <= 400 for row in found.rows)


def test_that_the_zip_of_a_task_run_is_verified(window: MainWindow, qtbot: QtBot, run_zip: Path) -> None:
    place = opened(window, qtbot, run_zip)
    assert place.page.answer.sentence.text().startswith("Untouched")
    assert place.page.signature.isHidden()
    assert place.page.requirements.isHidden()


def test_that_a_changed_answer_in_the_zip_of_a_task_run_is_named(run_zip: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile(run_zip) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            target.writestr(name, b"delivery" if name.endswith("001-rep1.txt") else source.read(name))
    found = look_into(changed)
    assert found.differences == 2
    assert all("001-rep1.txt" in message for message in found.findings)


@pytest.mark.parametrize("kind", ["gone", "no zip", "empty zip", "folder"])
def test_that_what_is_no_bundle_is_a_sentence(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "thing.zip"
    if kind == "no zip":
        path.write_bytes(b"PK\x03\x04 not really")
    elif kind == "empty zip":
        zipped(tmp_path, path)
    elif kind == "folder":
        path = tmp_path / "folder"
        path.mkdir()
    with pytest.raises(AppError) as raised:
        look_into(path)
    assert raised.value.message and raised.value.fix


def test_that_a_bundle_that_is_gone_is_told_and_the_place_stays_empty(
    window: MainWindow, services: WindowServices, qtbot: QtBot, tmp_path: Path
) -> None:
    services.settings.change(recent_bundles=(str(tmp_path / "gone.zip"),))
    place = place_of(window)
    window.show_place(PlaceName.EVIDENCE)
    place.close_bundle()
    assert place.before.isVisible()
    place.before.setFocus()
    with qtbot.waitSignal(place.reported):
        qtbot.keyClick(place.before, Qt.Key.Key_Return)
    assert "gone.zip" in window.notice.message.text()
    assert place.empty.isVisible()
    qtbot.keyClick(place.before, Qt.Key.Key_Delete)
    assert services.settings.current.recent_bundles == ()


@pytest.mark.parametrize("zoom", [100, 200])
def test_that_the_page_fits_a_small_window(
    window: MainWindow, qtbot: QtBot, theme: Theme, bundle: Path, zoom: int
) -> None:
    theme.use(zoom=zoom)
    place = opened(window, qtbot, bundle)
    window.resize(960 if zoom == 100 else 1280, 600)
    QApplication.processEvents()
    button = place.page.close_button
    assert button.mapTo(window, button.rect().bottomRight()).x() <= window.width()
    for widget in place.panes():
        widget.setFocus()
        assert widget.hasFocus()
        assert widget.accessibleName() or widget.property("text")
