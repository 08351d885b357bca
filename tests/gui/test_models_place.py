"""The Models place: every bar and verdict follows the settings; keyboard, words, trial, empty and full."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QApplication

from desktop.application.model_entries import ModelRow
from desktop.application.opened_pack import read_pack
from desktop.gui.core.window_services import WindowServices
from desktop.gui.models import table_model as columns
from desktop.gui.models.controls import LEAST, MAX, step_of, tokens_at
from desktop.gui.models.correct_dialog import CorrectDialog
from desktop.gui.models.name_delegate import fitted
from desktop.gui.models.place import ModelsPlace
from desktop.gui.models.sources_dialog import SourcesDialog
from desktop.gui.theme import Scheme
from desktop.gui.widgets.roles import MEMORY_ROLE
from desktop.gui.widgets.rows_model import ROW_ROLE
from desktop.gui.widgets.text_runs import Run, runs_width
from desktop.inference.machine.corrections import Corrections
from desktop.inference.memory_fit.estimator import card_key
from desktop.inference.memory_fit.history import History, Measurement
from desktop.inference.memory_fit.verdict import FitVerdict
from packs.errors import AppError
from tests.fakes.model_service import BROKEN, FakeModelService, broken_model, found_models, with_free

Make = Callable[..., ModelsPlace]


@pytest.fixture
def make(services: WindowServices, qapp: QApplication, qtbot: object) -> Make:
    """Shows a place over a desk and lets everything arrive."""

    def place(service: FakeModelService, width: int = 1200, height: int = 760) -> ModelsPlace:
        made = ModelsPlace(services.theme, service, services.tasks)
        qtbot.addWidget(made)  # type: ignore[attr-defined]
        made.resize(width, height)
        made.show()
        for _ in range(12):
            qapp.processEvents()
        return made

    return place


def _rows(place: ModelsPlace) -> list[ModelRow]:
    rows = [place.filter.index(number, 0).data(ROW_ROLE) for number in range(place.filter.rowCount())]
    return [row for row in rows if isinstance(row, ModelRow)]


def _choose(place: ModelsPlace, name: str) -> ModelRow:
    for number, row in enumerate(_rows(place)):
        if row.entry.name == name:
            place.table.setCurrentIndex(place.filter.index(number, 0))
            return row
    raise AssertionError(f"{name} is not in the table")


def test_that_found_models_come_before_the_catalogue_and_broken_ones_last(make: Make) -> None:
    place = make(FakeModelService([*found_models(3), broken_model()]))
    rows = _rows(place)
    assert [row.entry.is_here for row in rows[:3]] == [True] * 3
    assert rows[-1].entry.problem == BROKEN
    assert place.bar.note.text().startswith("4 found here · ")
    # What is here is not listed a second time.
    names = [row.entry.name for row in rows]
    assert len(names) == len(set(names))


def test_that_a_model_that_is_here_is_chosen_although_the_catalogue_came_first(make: Make) -> None:
    place = make(FakeModelService())
    listed = place.table.chosen_row()
    assert listed is not None and not listed.entry.is_here
    place.finder.found.emit(found_models(3))
    first = place.table.chosen_row()
    assert first is not None and first.entry.is_here and first is _rows(place)[0]
    # Later findings leave the choice alone.
    second = _choose(place, _rows(place)[1].entry.name)
    place.finder.found.emit(found_models(4))
    kept = place.table.chosen_row()
    assert kept is not None and kept.entry.key == second.entry.key


def test_that_quantizations_of_one_model_stand_together(make: Make) -> None:
    rows = _rows(make(FakeModelService(found_models(9))))
    families = [row.entry.family for row in rows]
    changes = sum(a != b for a, b in itertools.pairwise(families)) + 1
    assert changes == len(set(families))
    assert sum(row.first_of_family for row in rows) == len(set(families))


def test_that_every_bar_and_verdict_follows_the_context(make: Make) -> None:
    place = make(FakeModelService(found_models(9)))
    place.controls.set_context(2048)
    short = _choose(place, "Llama-3.1-8B-Instruct Q8_0")
    assert short.verdict is not FitVerdict.NO
    place.controls.slider.setValue(step_of(65_536))
    long = _choose(place, "Llama-3.1-8B-Instruct Q8_0")
    assert place.controls.context.value() == tokens_at(step_of(65_536))
    assert long.verdict is FitVerdict.NO
    assert (long.need_mib or 0) > (short.need_mib or 0) + 4000
    value = place.table.currentIndex().siblingAtColumn(columns.MEMORY).data(MEMORY_ROLE)
    assert value.chat > 7


def test_that_slots_multiply_the_context_and_the_chat_memory_follows_its_type(make: Make) -> None:
    place = make(FakeModelService(found_models(9)))
    place.controls.set_context(4096)
    one = _choose(place, "Llama-3.1-8B-Instruct Q4_K_M")
    place.controls.slots_box.setValue(2)
    two = _choose(place, "Llama-3.1-8B-Instruct Q4_K_M")
    place.controls.set_cache("q8_0")
    small = _choose(place, "Llama-3.1-8B-Instruct Q4_K_M")
    assert one.estimate and two.estimate and small.estimate
    assert two.estimate.prediction.cache == 2 * one.estimate.prediction.cache
    assert small.estimate.prediction.cache == two.estimate.prediction.cache * 34 / 64


def test_that_a_remedy_sets_the_control_it_names(make: Make) -> None:
    place = make(FakeModelService(found_models(9)))
    place.controls.set_context(8192)
    row = _choose(place, "Llama-3.1-8B-Instruct Q8_0")
    assert row.verdict is FitVerdict.TIGHT
    assert place.detail.headline.text() == "Llama-3.1-8B-Instruct Q8_0 is tight here"
    assert "Close other programs, or:" in place.detail.why.text()
    texts = [button.text() for button in place.detail.remedy_buttons()]
    assert texts[0].startswith("Keep the chat memory at 8 bit: −")
    place.detail.remedy_buttons()[0].click()
    assert place.controls.choice.cache_type == "q8_0"
    assert _choose(place, "Llama-3.1-8B-Instruct Q8_0").verdict in (FitVerdict.FITS, FitVerdict.COMFORTABLE)


def test_that_a_shorter_context_and_a_smaller_quantization_can_be_taken(make: Make) -> None:
    place = make(FakeModelService(found_models(9)))
    place.controls.set_context(8192)
    _choose(place, "Llama-3.1-8B-Instruct Q8_0")
    shorter, smaller = place.detail.remedy_buttons()[1:3]
    assert shorter.text().startswith("Context ")
    assert smaller.text().startswith("Use Q5_K_M")
    smaller.click()
    chosen = place.table.chosen_row()
    assert chosen is not None
    assert chosen.entry.name == "Llama-3.1-8B-Instruct Q5_K_M"
    _choose(place, "Llama-3.1-8B-Instruct Q8_0")
    place.detail.remedy_buttons()[1].click()
    assert place.controls.context.value() < 8192


def test_that_programs_are_named_where_closing_them_would_help(make: Make) -> None:
    place = make(FakeModelService(found_models(9)))
    place.controls.set_context(8192)
    _choose(place, "Llama-3.1-8B-Instruct Q8_0")
    QApplication.processEvents()
    assert "browser 2.1 GiB" in place.detail.users.text()
    _choose(place, "Llama-3.2-1B-Instruct Q4_K_M")
    assert not place.detail.users.text()


def test_that_filters_search_and_places_narrow_the_rows(make: Make) -> None:
    place = make(FakeModelService([*found_models(6), broken_model()]))
    place.controls.places.setCurrentIndex(1)
    assert {row.entry.is_here for row in _rows(place)} == {True}
    place.controls.places.setCurrentIndex(0)
    place.search.setText("qwen3 8b q4")
    assert {row.entry.name for row in _rows(place)} == {"Qwen3-8B Q4_K_M"}
    place.search.clear()
    place.controls.verdicts.setCurrentIndex(3)
    assert {row.verdict for row in _rows(place)} == {FitVerdict.NO}


def test_that_one_family_and_one_quantization_can_be_looked_at(make: Make) -> None:
    service = FakeModelService([*found_models(6), broken_model()])
    place = make(service)
    families, kinds = place.controls.families, place.controls.quantizations
    assert families.findText("Qwen3-8B") > 0
    families.setCurrentText("Qwen3-8B")
    assert {row.entry.name for row in _rows(place)} == {
        f"Qwen3-8B {kind}" for kind in ("Q4_K_M", "Q5_K_M", "Q8_0")
    }
    kinds.setCurrentText("Q8_0")
    assert [row.entry.name for row in _rows(place)] == ["Qwen3-8B Q8_0"]
    place.finder.refresh()
    QApplication.processEvents()
    assert [row.entry.name for row in _rows(place)] == ["Qwen3-8B Q8_0"]
    families.setCurrentText("page")
    assert families.currentText() == "page"
    service.models.pop()
    place.finder.refresh()
    QApplication.processEvents()
    assert families.currentText() == "All families"
    assert {row.entry.quantization for row in _rows(place)} == {"Q8_0"}


def test_that_sorting_is_kept_while_the_context_slides(make: Make) -> None:
    place = make(FakeModelService(found_models(9)))
    place.table.sortByColumn(columns.GIB, Qt.SortOrder.DescendingOrder)
    place.controls.slider.setValue(step_of(16_384))
    needs = [row.need_mib for row in _rows(place) if row.need_mib is not None]
    first = [row.entry.name for row in _rows(place)][:3]
    assert needs[0] > needs[-1]
    place.controls.slider.setValue(step_of(16_640))
    assert [row.entry.name for row in _rows(place)][:3] == first


def test_that_with_hundreds_of_models_all_follow_once_the_slider_rests(make: Make, qtbot: object) -> None:
    place = make(FakeModelService(found_models(300)))
    place.controls.slider.setValue(step_of(4096))
    place.controls.slider.setValue(step_of(131_072))
    in_sight = place.filter.index(0, 0).data(ROW_ROLE)
    assert in_sight.estimate.settings.context_tokens == 131_072

    def all_follow() -> None:
        contexts = {row.estimate.settings.context_tokens for row in _rows(place) if row.estimate}
        assert contexts == {131_072}

    qtbot.waitUntil(all_follow)  # type: ignore[attr-defined]


def test_that_free_memory_is_followed_live(make: Make, qapp: QApplication) -> None:
    service = FakeModelService(found_models(9))
    place = make(service)
    place.controls.set_context(4096)
    assert _choose(place, "Llama-3.1-8B-Instruct Q4_K_M").verdict is FitVerdict.COMFORTABLE
    service.machine = with_free(3_000)
    place.finder.ask_memory()
    qapp.processEvents()
    assert _choose(place, "Llama-3.1-8B-Instruct Q4_K_M").verdict is FitVerdict.NO
    assert "2.9 free" in place.card.memory.figure.text()


def test_that_measured_values_stand_beside_the_prediction(make: Make, tmp_path: Path) -> None:
    models = found_models(3)
    history = History(tmp_path)
    history.add(
        Measurement(
            model=card_key(models[0].card),
            name="m",
            engine="llama.cpp b1",
            context_tokens=4096,
            slots=1,
            cache_type="f16",
            threads=7,
            predicted_mib=1000.0,
            base_mib=29.5,
            peak_mib=1003.0,
            tokens_per_second=47.0,
            layers=16,
            fast_bytes=1e9,
            slow_bytes=1e8,
            at="2026-11-28T09:00:00+00:00",
            origin="a",
        )
    )
    place = make(FakeModelService(models, history=history))
    _choose(place, f"{models[0].card.family} {models[0].card.quantization}")
    index = place.table.currentIndex()
    assert index.siblingAtColumn(columns.MEASURED).data() == "0.98 GiB"
    tip = index.siblingAtColumn(columns.MEASURED).data(Qt.ItemDataRole.ToolTipRole)
    assert "28 Nov 2026" in tip
    assert index.siblingAtColumn(columns.SPEED).data() == "very fast 47 tok/s here"


def test_that_a_file_without_template_and_a_long_context_are_warned_of(make: Make) -> None:
    models = found_models(2)
    place = make(FakeModelService(models))
    _choose(place, f"{models[0].card.family} {models[0].card.quantization}")
    assert "no chat template" in place.detail.warning.text()
    _choose(place, "Phi-3-mini-4k-instruct Q4_K_M")
    place.controls.set_context(8192)
    assert "trained with 4,096 tokens" in place.detail.warning.text()


def test_that_the_sum_can_be_read_aloud(make: Make) -> None:
    place = make(FakeModelService(found_models(9)))
    place.controls.set_context(8192)
    row = _choose(place, "Llama-3.1-8B-Instruct Q4_K_M")
    assert row.estimate is not None
    message = place.detail.sum.accessibleName()
    assert "Chat memory, 8,192 tokens 1.00" in message
    assert f"Needed {row.estimate.prediction.need / 1024:.2f}" in message


def test_that_names_values_and_verdicts_are_in_the_accessibility_tree(make: Make) -> None:
    place = make(FakeModelService([*found_models(3), broken_model()]))
    spoken = [
        str(place.filter.index(0, column).data(Qt.ItemDataRole.AccessibleTextRole))
        for column in range(place.filter.columnCount())
    ]
    assert "here" in spoken[columns.NAME]
    assert "needs" in spoken[columns.MEMORY]
    assert "Verdict: Comfortable" in spoken[columns.VERDICT]
    last = place.filter.index(place.filter.rowCount() - 1, columns.VERDICT)
    assert BROKEN in str(last.data(Qt.ItemDataRole.AccessibleTextRole))
    for widget in (place.table, place.search, place.controls.slider, place.controls.context, place.card):
        interface = QAccessible.queryAccessibleInterface(widget)
        assert interface is not None
        assert interface.text(QAccessible.Text.Name)
    assert place.card.memory.accessibleName() == "Memory: 16.0 GiB, 9.4 free"


def test_that_the_keyboard_reaches_everything(make: Make, qapp: QApplication) -> None:
    place = make(FakeModelService(found_models(3)))
    place.activateWindow()
    place.search.setFocus()
    reached = set()
    for _ in range(40):
        focus = qapp.focusWidget()
        reached.add(focus)
        place.focusNextChild()
    wanted = {
        place.search,
        place.add_button,
        place.run_button,
        place.card.correct,
        place.card.copy,
        place.controls.slider,
        place.controls.cache,
        place.controls.verdicts,
        place.controls.places,
        place.controls.families,
        place.controls.quantizations,
        place.table,
        place.detail.prompt,
        place.detail.try_button,
    }
    missing = [widget.accessibleName() or type(widget).__name__ for widget in wanted - reached]
    assert not missing


def test_that_a_model_can_be_handed_to_a_run(make: Make) -> None:
    models = found_models(3)
    place = make(FakeModelService(models))
    asked: list[list[Path]] = []
    place.run_asked.connect(asked.append)
    _choose(place, f"{models[1].card.family} {models[1].card.quantization}")
    place.run_button.click()
    assert asked == [[models[1].card.path]]
    _choose(place, "Qwen3-8B Q4_K_M")
    assert not place.run_button.isEnabled()


def test_that_a_trial_shows_answer_and_figures(make: Make) -> None:
    service = FakeModelService(found_models(3))
    place = make(service)
    place.controls.set_context(2048)
    _choose(place, "Llama-3.2-1B-Instruct Q4_K_M")
    place.detail.prompt.setText("Who are you?")
    place.detail.try_button.click()
    ((path, settings, prompt),) = service.tried
    assert (path.name, settings.context_tokens, prompt) == (
        "Llama-3.2-1B-Instruct-Q4_K_M.gguf",
        2048,
        "Who are you?",
    )
    QApplication.processEvents()
    assert place.detail.answer.toPlainText() == "Hello there."
    assert place.detail.state.text() == "Measured: 0.99 GiB at its highest (0.98 predicted), 47 tok/s."
    assert place.detail.try_button.isEnabled()


def test_that_a_trial_that_fails_says_why(make: Make) -> None:
    service = FakeModelService(found_models(3))
    service.trial = AppError("The engine ran out of memory.", "Choose a shorter context.")
    place = make(service)
    _choose(place, "Llama-3.2-1B-Instruct Q4_K_M")
    place.detail.try_button.click()
    QApplication.processEvents()
    assert place.detail.state.text() == "The engine ran out of memory. Choose a shorter context."
    assert not place.trial.busy


def test_that_the_open_pack_sets_the_context_and_marks_its_need(make: Make, pack_folder: Path) -> None:
    place = make(FakeModelService(found_models(3)))
    pack = read_pack(pack_folder)
    # Letters of some 40 bytes, a prompt of some 40, 16 tokens of answer, the template.
    assert pack.needed_tokens == 128
    place.set_pack(pack.name, pack.context_tokens, pack.needed_tokens)
    assert place.controls.context.value() == 2048
    assert "the pack needs" in place.controls.note.text()
    place.set_pack("", None, None)
    assert place.controls.note.text() == "tokens"


def added(service: FakeModelService) -> list[Path]:
    """What the person has added, files and folders."""
    return [source.path for source in service.sources() if source.by_user]


def test_that_added_files_stay_where_they_are(make: Make) -> None:
    service = FakeModelService(())
    place = make(service)
    place.sources.add([Path("/x/a.gguf"), Path("/x/b.txt")])
    assert added(service) == [Path("/x/a.gguf")]


def test_that_the_places_models_are_looked_for_in_can_be_seen_and_changed(
    make: Make, qtbot: object, tmp_path: Path
) -> None:
    def shows(*rows: tuple[str, str, str]) -> None:
        qtbot.waitUntil(lambda: _cells(dialog) == list(rows))  # type: ignore[attr-defined]

    service = FakeModelService(found_models(3))
    place = make(service)
    assert place.add_button.menu() is place.sources.menu
    actions = {action.text(): action for action in place.sources.menu.actions()}
    actions["&Where models are looked for…"].trigger()
    dialog = place.findChild(SourcesDialog)
    assert dialog is not None and dialog.isVisible()
    own, other = ("Packbench", "/models", "3 models"), ("Jan", "/home/eva/jan/models", "not there")
    shows(own, other)
    assert not dialog.forget_button.isEnabled()
    place.sources.add_folder(tmp_path)
    shows(("added by you", str(tmp_path), "none"), own, other)
    dialog.table.setCurrentIndex(dialog.model.index(1, 0))
    assert not dialog.forget_button.isEnabled()
    dialog.table.setCurrentIndex(dialog.model.index(0, 0))
    dialog.forget_button.click()
    shows(own, other)
    assert added(service) == []
    dialog.accept()
    qtbot.waitUntil(lambda: place.findChild(SourcesDialog) is None)  # type: ignore[attr-defined]


def _cells(dialog: SourcesDialog) -> list[tuple[str, ...]]:
    model = dialog.model
    return [
        tuple(str(model.index(row, column).data()) for column in range(3)) for row in range(model.rowCount())
    ]


def test_that_without_models_and_catalogue_the_way_on_is_shown(make: Make) -> None:
    place = make(FakeModelService((), catalogue=()))
    assert place.empty.isVisible()
    assert "No model was found" in place.empty.sentence.text()


def test_that_a_correction_counts_at_once(make: Make, qapp: QApplication) -> None:
    service = FakeModelService(found_models(9))
    place = make(service)
    place.controls.set_context(4096)
    place.card.correct.click()
    dialog = place.findChild(CorrectDialog)
    assert dialog is not None
    dialog.boxes[0].setChecked(True)
    dialog.memory.setValue(3.0)
    assert dialog.corrections() == Corrections(memory_mib=3072)
    dialog.corrected.emit(dialog.corrections())
    dialog.reject()
    for _ in range(6):
        qapp.processEvents()
    assert service.corrections() == Corrections(memory_mib=3072)
    assert "set by you" in place.card.memory.source.text()
    assert _choose(place, "Llama-3.1-8B-Instruct Q4_K_M").verdict is FitVerdict.NO


def test_that_the_details_can_be_copied(make: Make) -> None:
    place = make(FakeModelService(()))
    place.card.copy.click()
    assert "Fast 9000" in QGuiApplication.clipboard().text()


def test_that_unknown_free_memory_is_said_and_not_guessed(make: Make) -> None:
    machine = with_free(1000)
    unknown = type(machine.memory)(None, None, None, None, "s", "The system did not answer.")
    service = FakeModelService(
        found_models(2), machine=type(machine)("L", machine.processor, unknown, (), None)
    )
    place = make(service)
    row = _rows(place)[0]
    assert row.verdict is FitVerdict.UNKNOWN
    _choose(place, row.entry.name)
    assert "how much memory is free is not known" in place.detail.why.text()
    assert place.card.memory.figure.text() == "not known"
    index = place.table.currentIndex()
    assert index.siblingAtColumn(columns.SPEED).data() == "–"
    assert "not been measured yet" in index.siblingAtColumn(columns.SPEED).data(Qt.ItemDataRole.ToolTipRole)


def test_that_the_model_keeps_qts_rules(make: Make, qtmodeltester: object) -> None:
    place = make(FakeModelService(found_models(5)))
    qtmodeltester.check(place.model)  # type: ignore[attr-defined]


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
@pytest.mark.parametrize("zoom", [100, 200])
@pytest.mark.parametrize("count", [0, 3, 300])
def test_that_it_can_be_painted_in_all_looks(
    scheme: Scheme, zoom: int, count: int, make: Make, services: WindowServices
) -> None:
    services.theme.use(scheme=scheme, zoom=zoom)
    place = make(FakeModelService(found_models(count)), 960, 600)
    assert not place.grab().isNull()
    assert place.model.rowCount(QModelIndex()) >= count


def test_that_the_place_has_room_in_the_smallest_window(make: Make, services: WindowServices) -> None:
    place = make(FakeModelService(found_models(3)), 867, 548)
    place.controls.set_pack("Invoices", 8192, 420)
    # 960 x 600 without the bar of places, the menu and the status bar.
    assert place.heightForWidth(services.theme.px(867)) <= services.theme.px(548)


def test_that_the_quantization_is_never_cut(services: WindowServices) -> None:
    theme = services.theme
    parts = (Run("Llama-3.1-8B-Instruct", bold=True), Run(" Q4_K_M"), Run("  not here"))
    whole = runs_width(theme, parts)
    assert fitted(parts, whole + 1, theme) == parts
    assert fitted(parts, whole - 1, theme) == parts[:2]
    narrow = fitted(parts, 120.0, theme)
    assert narrow[1] == parts[1]
    assert "…" in narrow[0].text
    assert runs_width(theme, narrow) <= 121.0


def test_that_the_slider_covers_its_range_by_powers() -> None:
    assert tokens_at(0) == LEAST
    assert tokens_at(step_of(MAX)) == MAX
    assert all(tokens_at(step) % 256 == 0 for step in range(0, 161, 7))
    for tokens in (512, 2048, 4096, 8192, 32_768, 131_072):
        assert tokens_at(step_of(tokens)) == pytest.approx(tokens, rel=0.04)
