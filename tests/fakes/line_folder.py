"""A folder with the files that documented command lines name, and models behind them."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import openpyxl

from desktop.cli.self_check_run import run_with_own_answers
from desktop.foundation.paths import user_paths
from desktop.runs.mock_task import right_answer
from desktop.runs.qualification.mock_endpoint import mock_endpoint
from desktop.runs.qualification.mock_script import MODELS
from packs.qualification.loader import require_pack
from packs.task.loader import load_pack
from tests.desktop.cli.conftest import Ran
from tests.desktop.ingest.test_documents import pdf_with
from tests.fakes.drafting import willing
from tests.fakes.fake_backend import Answer, FakeBackend, FakeModel
from tests.fakes.gguf_writer import small_llama, small_tensors, write_gguf

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "packs" / "samples"
NOTES = "- one: a\n- two: b\n- three: c\n\nBroken lamps go to one, whatever else the message says."
ONE_MODEL = ("my-model",)


@cache
def known_answers() -> tuple[tuple[str, str], ...]:
    """(input, right answer) of every example of the samples, the longest inputs first."""
    found = []
    for name in ("invoice-extraction", "order-totals", "ticket-routing"):
        pack = load_pack(SAMPLES / name).pack
        assert pack is not None
        found += [(example.input, right_answer(pack, example)) for example in pack.examples]
    return tuple(sorted(found, key=lambda pair: -len(pair[0])))


def answering_model(name: str) -> FakeModel:
    """Knows the samples by heart, and drafts when it is asked to."""
    draft = willing()

    def answer(prompt: str, nth: int) -> Answer | str:
        known = (right for text, right in known_answers() if text in prompt)
        return next(known, None) or draft(prompt, nth)

    return FakeModel(name, answer)


class LineFolder:
    """The folder that a line is typed in. Each method makes what some lines take for granted."""

    def __init__(self, folder: Path, packbench: Callable[..., Ran], stack: ExitStack) -> None:
        self.folder = folder
        self.packbench = packbench
        self.stack = stack
        self.address = ""
        self.models = [answering_model("starter")]

    def backend(self, *_arguments: object, **_options: object) -> FakeBackend:
        """In the place of the built-in engine."""
        return FakeBackend(self.models)

    def nothing(self) -> None:
        pass

    def my_pack(self) -> None:
        self._sample("ticket-routing", "my-pack")

    def invoice_folder(self) -> None:
        self._sample("invoice-extraction", "invoice-extraction")

    def my_proof(self) -> None:
        self._sample("housing-routing", "my-pack")
        self.one_model()

    def one_model(self) -> None:
        self._serve("housing-routing", ONE_MODEL)

    def housing_models(self) -> None:
        self._serve("housing-routing", MODELS)

    def contact_models(self) -> None:
        self._serve("contact-routing", MODELS)

    def one_bundle(self) -> None:
        self._evidence("run-1")

    def two_bundles(self) -> None:
        self._evidence("run-1", "run-2")

    def bundle_and_pack(self) -> None:
        self.my_proof()
        self._evidence("run-1", pack="./my-pack")

    def bundle_and_keys(self) -> None:
        self._evidence("run-1")
        assert self.packbench("keygen", "--private", "ann.key", "--public", "ann.pub").code == 0

    def signed_bundle(self) -> None:
        self.bundle_and_keys()
        assert self.packbench("sign", "evidence/run-1", "--key", "ann.key").code == 0

    def new_qualification(self) -> None:
        assert self.packbench("init", "my-qualification", "--kind", "qualification").code == 0

    def finished_run(self) -> None:
        user_paths().journal.parent.mkdir(parents=True)
        run_with_own_answers(user_paths().journal, datetime.now(UTC))

    def zipped_run(self) -> None:
        self.finished_run()
        file = "packbench-bundle-7f3a9c1e.zip"
        assert self.packbench("report", "last", "--format", "bundle", "--out", file).code == 0

    def stopped_run(self) -> None:
        """Ctrl-C at the third answer."""
        self.my_pack()
        model, asked = self.models[0], []

        def interrupted(prompt: str, nth: int) -> Answer | str:
            asked.append(prompt)
            if len(asked) == 3:
                os.kill(os.getpid(), signal.SIGINT)
                return Answer(stall="before")
            return model.answers(prompt, nth)

        self.models = [FakeModel("starter", interrupted)]
        assert self.packbench("run", "./my-pack").code == 130
        self.models = [model]

    def tickets(self) -> None:
        teams = ("other", "repairs")
        rows = "".join(f"Lamp {number} is broken,{teams[number % 2]}\n" for number in range(24))
        (self.folder / "tickets.csv").write_text("message,team\n" + rows, "utf-8")

    def invoices(self) -> None:
        book = openpyxl.Workbook()
        assert book.active is not None
        book.active.append(["text", "vendor", "total", "due_date"])
        for number in range(1, 25):
            message = f"Invoice {number} of Brook Ltd"
            book.active.append([message, "Brook Ltd", number + 0.5, f"2026-03-{number:02}"])
        book.save(self.folder / "invoices.xlsx")

    def runbook(self) -> None:
        (self.folder / "runbook.md").write_text(NOTES, "utf-8")

    def rules(self) -> None:
        (self.folder / "rules.pdf").write_bytes(pdf_with(NOTES.split("\n\n")))

    def model_file(self) -> None:
        write_gguf(self.folder / "model.gguf", small_llama(), small_tensors())

    def pack_and_model_file(self) -> None:
        self.my_pack()
        file = Path("path") / "to" / "model.gguf"
        write_gguf(self.folder / file, small_llama(), small_tensors())
        self.models = [answering_model(file.as_posix())]

    def _sample(self, name: str, copy: str) -> None:
        shutil.copytree(SAMPLES / name, self.folder / copy, ignore=shutil.ignore_patterns("__pycache__"))

    def _serve(self, name: str, models: tuple[str, ...]) -> None:
        server = self.stack.enter_context(mock_endpoint(require_pack(SAMPLES / name), models=models))
        self.address = server.address

    def _evidence(self, *runs: str, pack: str = "housing-routing") -> None:
        if not self.address:
            self.one_model()
        for run in runs:
            ran = self.packbench(
                *("qualify", pack, "--endpoint", self.address, "--operator", "ann", "--out", "evidence"),
                *("--run-id", run, "--model", "my-model", "--quiet"),
            )
            assert ran.code == 0, ran.err
