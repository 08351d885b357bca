"""The Models place while something goes on: a trial, a question about programs, a filter, a measurement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from desktop.application.model_entries import ModelRow
from desktop.gui.core.tasks import GuiThread, Lane, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.models.place import ModelsPlace
from desktop.gui.widgets.rows_model import ROW_ROLE
from desktop.inference.memory_fit.estimator import Estimator, card_key
from desktop.inference.memory_fit.fit import FitModel
from desktop.inference.memory_fit.history import History, Measurement
from desktop.inference.model_files.library import ModelLocation
from tests.fakes.lanes import HeldLane, InPlace
from tests.fakes.model_service import FakeModelService, found_models, with_free

Make = Callable[..., ModelsPlace]


@pytest.fixture
def make(services: WindowServices, qapp: QApplication, qtbot: object) -> Make:
    """Shows a place over a desk and lets everything arrive."""

    def place(service: FakeModelService, tasks: TaskRunner | None = None) -> ModelsPlace:
        made = ModelsPlace(services.theme, service, tasks or services.tasks)
        qtbot.addWidget(made)  # type: ignore[attr-defined]
        made.resize(1200, 760)
        made.show()
        for _ in range(12):
            qapp.processEvents()
        return made

    return place


def _choose(place: ModelsPlace, name: str) -> ModelRow:
    for number in range(place.filter.rowCount()):
        row = place.filter.index(number, 0).data(ROW_ROLE)
        if isinstance(row, ModelRow) and row.entry.name == name:
            place.table.setCurrentIndex(place.filter.index(number, 0))
            return row
    raise AssertionError(f"{name} is not in the table")


@pytest.fixture
def held(make: Make, qapp: QApplication) -> tuple[ModelsPlace, HeldLane, TaskRunner]:
    """A place whose trials wait until they are let go."""
    lane = HeldLane()
    tasks = TaskRunner(GuiThread(qapp), run_lane=lane, io_lane=InPlace())
    return make(FakeModelService(found_models(3)), tasks), lane, tasks


def test_that_a_trial_belongs_to_its_model_whichever_is_looked_at(
    held: tuple[ModelsPlace, HeldLane, TaskRunner],
) -> None:
    place, lane, _ = held
    _choose(place, "Llama-3.2-1B-Instruct Q4_K_M")
    place.detail.try_button.click()
    _choose(place, "Llama-3.2-1B-Instruct Q8_0")
    assert place.detail.state.text() == "Llama-3.2-1B-Instruct Q4_K_M is being tried."
    assert not place.detail.answer.isVisible()
    assert not place.detail.try_button.isEnabled()
    assert place.detail.stop_button.isVisible()
    _choose(place, "Qwen3-8B Q4_K_M")
    assert place.detail.stop_button.isVisible()
    _choose(place, "Llama-3.2-1B-Instruct Q4_K_M")
    assert place.detail.state.text() == "loading the model…"
    assert place.detail.answer.isVisible()
    _choose(place, "Llama-3.2-1B-Instruct Q8_0")
    lane.let_go()
    assert place.detail.state.text().startswith("Llama-3.2-1B-Instruct Q4_K_M: Measured: 0.99 GiB")
    assert not place.detail.answer.isVisible()
    assert place.detail.try_button.isEnabled()
    assert not place.detail.stop_button.isVisible()


def test_that_a_trial_that_waits_for_a_run_says_so_and_is_given_up_at_once(
    held: tuple[ModelsPlace, HeldLane, TaskRunner],
) -> None:
    place, lane, tasks = held
    tasks.start(lambda cancel: None, lambda found: None, lambda error: None, lane=Lane.RUN)
    _choose(place, "Llama-3.2-1B-Instruct Q4_K_M")
    place.detail.try_button.click()
    assert place.detail.state.text().startswith("Waiting: a run is going on.")
    place.detail.stop_button.click()
    assert not place.trial.busy
    assert place.detail.state.text() == "Given up."
    lane.let_go()
    assert place.detail.state.text() == "Given up."


def test_that_other_programs_are_asked_for_one_at_a_time(make: Make, qapp: QApplication) -> None:
    lane = HeldLane()
    tasks = TaskRunner(GuiThread(qapp), run_lane=InPlace(), io_lane=lane)
    place = make(FakeModelService(found_models(3), machine=with_free(1000)), tasks)
    for _ in range(12):
        lane.let_go()
    _choose(place, "Llama-3.2-1B-Instruct Q8_0")
    for step in range(40, 80):
        place.controls.slider.setValue(step)
    assert len(lane.jobs) == 1
    lane.let_go()
    assert "Most memory is used by browser 2.1 GiB" in place.detail.users.text()


def test_that_a_smaller_quantization_is_found_behind_a_filter(make: Make) -> None:
    place = make(FakeModelService(found_models(3), machine=with_free(2000)))
    place.controls.set_context(2048)
    place.controls.places.setCurrentIndex(1)
    place.search.setText("Q8_0")
    _choose(place, "Llama-3.2-1B-Instruct Q8_0")
    button = next(one for one in place.detail.remedy_buttons() if one.text().startswith("Use Q"))
    wanted = button.text().removeprefix("Use ").partition(":")[0]
    button.click()
    chosen = place.table.chosen_row()
    assert chosen is not None
    assert chosen.entry.quantization == wanted


def test_that_an_earlier_look_never_replaces_a_later_one(make: Make, qapp: QApplication) -> None:
    lane, service = HeldLane(), FakeModelService(found_models(1))
    place = make(service, TaskRunner(GuiThread(qapp), run_lane=InPlace(), io_lane=lane))
    for _ in range(12):
        lane.let_go()
    heard: list[int] = []
    place.finder.found.connect(lambda models: heard.append(len(models)))
    place.finder.refresh()
    place.finder.refresh()
    lane.jobs.pop(0)()
    lane.jobs.pop(0)()
    qapp.processEvents()
    assert len(lane.jobs) == 1
    early = lane.jobs.pop(0)
    service.models = found_models(3)
    early()
    service.models = found_models(6)
    place.finder.refresh()
    for _ in range(12):
        lane.let_go()
    assert heard[-1] == 6
    assert 3 not in heard


def test_that_a_pack_that_is_checked_again_leaves_the_context_alone(make: Make) -> None:
    place = make(FakeModelService(found_models(1)))
    place.set_pack("invoices", 2048, 420)
    place.controls.set_context(16_384)
    place.set_pack("invoices", 2048, 480)
    assert place.controls.context.value() == 16_384
    assert "the pack needs 480" in place.controls.note.text()
    place.set_pack("invoices", 8192, 480)
    assert place.controls.context.value() == 8192
    place.set_pack("tickets", 2048, 100)
    assert place.controls.context.value() == 2048


def test_that_a_model_is_found_by_the_name_of_any_copy(make: Make) -> None:
    (model,) = found_models(1)
    other = ModelLocation("Jan", Path("/jan/pocket-llama.gguf"), "pocket-llama")
    place = make(FakeModelService([replace(model, places=(*model.places, other))]))
    place.search.setText("pocket")
    assert place.filter.rowCount() == 1


def test_that_it_is_said_where_nothing_can_be_set_that_helps(make: Make) -> None:
    place = make(FakeModelService(found_models(3), machine=with_free(300)))
    place.controls.set_context(1024)
    _choose(place, "Llama-3.2-1B-Instruct Q4_K_M")
    assert place.detail.remedy_buttons() == []
    assert place.detail.why.text().endswith("No single setting makes it fit.")
    alone = make(FakeModelService(found_models(1), machine=with_free(1040), catalogue=()))
    alone.controls.set_context(1024)
    _choose(alone, "Llama-3.2-1B-Instruct Q4_K_M")
    assert alone.detail.remedy_buttons() == []
    assert alone.detail.why.text().endswith("the computer could slow down. Close other programs.")


def test_that_the_largest_context_does_not_depend_on_what_was_looked_at_before(
    make: Make, tmp_path: Path
) -> None:
    models, machine = found_models(3), with_free(3000)
    card = next(model.card for model in models if model.card.quantization == "Q8_0")
    plain = Estimator(machine)
    model = FitModel.of(card.facts) if card.facts else None
    assert model
    predicted = plain.estimate(model, plain.settings(model, 4096)).prediction.peak
    history = History(tmp_path)
    history.add(
        Measurement(
            *(card_key(card), "m", "e", 4096, 1, "f16", 1, predicted, 29.5, predicted * 1.2, None),
            *(1, 1.0, 1.0, "2026-11-30", "run:0"),
        )
    )
    place = make(FakeModelService(models, machine=machine, history=history))
    place.controls.set_context(2048)
    before = _choose(place, "Llama-3.2-1B-Instruct Q8_0").largest
    place.controls.set_context(4096)
    assert (_choose(place, "Llama-3.2-1B-Instruct Q8_0").largest or 0) < (before or 0)
    place.controls.set_context(2048)
    assert _choose(place, "Llama-3.2-1B-Instruct Q8_0").largest == before
