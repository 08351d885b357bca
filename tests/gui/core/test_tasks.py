from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from desktop.foundation.cancel import CancelToken
from desktop.gui.core.tasks import EventBuffer, GuiThread, Lane, TaskRunner
from packs.errors import AppError


class Told:
    def __init__(self) -> None:
        self.results: list[object] = []
        self.errors: list[Exception] = []
        self.cancelled = 0
        self.threads: set[str] = set()

    def result(self, value: object) -> None:
        self.threads.add(threading.current_thread().name)
        self.results.append(value)

    def error(self, error: Exception) -> None:
        self.threads.add(threading.current_thread().name)
        self.errors.append(error)

    def cancel(self) -> None:
        self.cancelled += 1


@pytest.fixture
def runner(qapp: object) -> Iterator[TaskRunner]:
    made = TaskRunner(GuiThread())
    yield made
    made.shutdown()


def test_that_a_result_comes_back_on_the_gui_thread(qtbot: QtBot, runner: TaskRunner) -> None:
    reported = Told()
    runner.start(lambda _cancel: threading.current_thread().name, reported.result, reported.error)
    qtbot.waitUntil(lambda: bool(reported.results))
    assert str(reported.results[0]).startswith("io-lane")
    assert reported.threads == {threading.main_thread().name}
    assert not reported.errors


def test_that_an_error_is_passed_on_and_not_swallowed(qtbot: QtBot, runner: TaskRunner) -> None:
    reported = Told()

    def job(_cancel: CancelToken) -> None:
        raise ValueError("so it is")

    runner.start(job, reported.result, reported.error)
    qtbot.waitUntil(lambda: bool(reported.errors))
    assert str(reported.errors[0]) == "so it is"
    assert reported.threads == {threading.main_thread().name}


def test_that_the_run_lane_does_one_job_at_a_time_in_order(qtbot: QtBot, runner: TaskRunner) -> None:
    reported = Told()
    at_work = 0
    maximum = 0

    def job(number: int) -> Callable[[CancelToken], int]:
        def run(_cancel: CancelToken) -> int:
            nonlocal at_work, maximum
            at_work += 1
            maximum = max(maximum, at_work)
            at_work -= 1
            return number

        return run

    for number in range(20):
        runner.start(job(number), reported.result, reported.error, lane=Lane.RUN)
    qtbot.waitUntil(lambda: len(reported.results) == 20)
    assert reported.results == list(range(20))
    assert maximum == 1


def test_that_a_cancelled_job_tells_neither_result_nor_error(qtbot: QtBot, runner: TaskRunner) -> None:
    reported = Told()
    woken = threading.Event()

    def job(cancel: CancelToken) -> int:
        cancel.on_cancel(woken.set)
        woken.wait(10)
        cancel.raise_if_cancelled()
        return 1

    token = runner.start(job, reported.result, reported.error, on_cancelled=reported.cancel)
    token.cancel()
    qtbot.waitUntil(lambda: reported.cancelled == 1)
    assert not reported.results
    assert not reported.errors
    assert not runner.busy


def test_that_a_job_cancelled_while_it_waits_is_never_begun(qtbot: QtBot, runner: TaskRunner) -> None:
    reported = Told()
    gate = threading.Event()
    begun: list[int] = []
    runner.start(lambda _cancel: gate.wait(10), reported.result, reported.error, lane=Lane.RUN)
    second = runner.start(
        lambda _cancel: begun.append(1),
        reported.result,
        reported.error,
        on_cancelled=reported.cancel,
        lane=Lane.RUN,
    )
    second.cancel()
    gate.set()
    qtbot.waitUntil(lambda: reported.cancelled == 1)
    assert not begun


def test_that_shutdown_wakes_a_waiting_job_and_joins_the_lanes(qtbot: QtBot, runner: TaskRunner) -> None:
    reported = Told()
    woken = threading.Event()

    def job(cancel: CancelToken) -> None:
        cancel.on_cancel(woken.set)
        woken.wait(10)

    runner.start(job, reported.result, reported.error)
    runner.shutdown()
    assert woken.is_set()
    assert not [thread for thread in threading.enumerate() if "-lane" in thread.name]
    late = runner.start(lambda _cancel: 1, reported.result, reported.error)
    assert late.cancelled


def test_that_a_result_for_a_widget_that_is_gone_is_dropped(qtbot: QtBot, runner: TaskRunner) -> None:
    class View(QObject):
        seen: list[object] = []

        def take(self, value: object) -> None:
            self.seen.append(value)
            self.objectName()

    view = View()
    gate = threading.Event()
    reported = Told()
    runner.start(lambda _cancel: gate.wait(10), view.take, reported.error)
    delete(view)
    gate.set()
    after = Told()
    runner.start(lambda _cancel: 1, after.result, after.error)
    qtbot.waitUntil(lambda: bool(after.results) and not runner.busy)
    # A third job's result comes after whatever was still to be called.
    last = Told()
    runner.start(lambda _cancel: 1, last.result, last.error)
    qtbot.waitUntil(lambda: bool(last.results))
    assert View.seen == []


def test_that_registering_on_a_cancelled_token_calls_at_once() -> None:
    token = CancelToken()
    token.cancel()
    token.cancel()
    called: list[int] = []
    token.on_cancel(lambda: called.append(1))
    assert called == [1]


def test_that_events_of_any_thread_arrive_in_batches_and_in_order(qtbot: QtBot) -> None:
    buffer = EventBuffer(interval_ms=5)
    batches: list[list[object]] = []
    buffer.batch.connect(batches.append)
    buffer.start()
    thread = threading.Thread(target=lambda: [buffer.push(number) for number in range(12_000)])
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: sum(map(len, batches)) == 12_000)
    buffer.stop()
    assert [event for batch in batches for event in batch] == list(range(12_000))
    assert max(map(len, batches)) <= 5_000


def test_that_stopping_the_buffer_hands_over_what_is_left(qapp: object) -> None:
    buffer = EventBuffer(interval_ms=60_000)
    batches: list[list[object]] = []
    buffer.batch.connect(batches.append)
    buffer.start()
    buffer.push("last")
    buffer.stop()
    assert batches == [["last"]]


def test_that_emitting_signals_does_not_eat_references_to_true(qapp: object) -> None:
    class Sender(QObject):
        sent = Signal()

    sender = Sender()
    before = sys.getrefcount(True)
    for _ in range(200):
        sender.sent.emit()
    assert abs(sys.getrefcount(True) - before) < 100


def test_that_a_window_held_only_by_its_own_job_dies_on_the_gui_thread(qtbot: QtBot) -> None:
    died_on: list[threading.Thread] = []

    class Held:
        """Stands for a dialog: its methods are the job and the way back."""

        def __init__(self) -> None:
            self.done = False

        def work(self, _cancel: CancelToken) -> None:
            go_on.wait(5)

        def back(self, _result: object) -> None:
            finished.append(True)

        def __del__(self) -> None:
            died_on.append(threading.current_thread())

    go_on, finished = threading.Event(), list[bool]()
    runner = TaskRunner(GuiThread())
    held = Held()
    runner.start(held.work, held.back, lambda error: None)
    del held
    go_on.set()
    qtbot.waitUntil(lambda: bool(died_on))
    runner.shutdown()
    assert finished == [True]
    assert died_on == [threading.main_thread()]


def test_that_what_a_person_can_act_on_is_no_fault_in_the_log(
    qtbot: QtBot, runner: TaskRunner, caplog: pytest.LogCaptureFixture
) -> None:
    reported = Told()

    def job(_cancel: CancelToken) -> None:
        raise AppError("There is no table.", "Choose another file.", code="no_table")

    with caplog.at_level("INFO"):
        runner.start(job, reported.result, reported.error)
        qtbot.waitUntil(lambda: bool(reported.errors))
    assert "no_table" in caplog.text
    assert "Traceback" not in caplog.text
