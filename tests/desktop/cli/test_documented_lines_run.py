"""Every command line that README, the help and the samples show is run, in a folder with the files it names.

Run as shown, but for four things. An address that a line names becomes that of a model played on this computer,
and the port of such a player any free one. The number of a run becomes that of the run that is there. The
built-in engine is a scripted one; where a line serves it to others it finds no model, and says so. The window
is opened offscreen in a process of its own and closed.
"""

from __future__ import annotations

import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from build_scripts.trial import Trial, wait_for
from desktop.application.services import Services
from desktop.cli.keygen import PASSPHRASE_VARIABLE
from desktop.foundation.paths import user_paths
from desktop.runs.journal.reader import JournalReader
from desktop.runs.qualification.mock_server import MockServer
from tests.build_scripts.test_fault_checks import FROM_SOURCE
from tests.desktop.cli.conftest import Ran
from tests.desktop.cli.test_documented_commands import PAGES, shown_commands
from tests.fakes.line_folder import LineFolder

ADDRESS = re.compile(r"http://localhost:\d+")
SHOWN = sorted({line for page in PAGES for line in shown_commands(page)})
RUN_ID = "7f3a9c1e"


@dataclass(frozen=True, slots=True)
class Line:
    """says: a piece of what is answered. given: what is there before. makes: what is there afterwards."""

    says: str
    given: Callable[[LineFolder], None] = LineFolder.nothing
    code: int = 0
    makes: str = ""


USAGE = 2
LINES: dict[str, Line] = {
    # Names of commands in a sentence: alone they say what they need, or what there is.
    "packbench --version": Line("Packbench 0"),
    "packbench completion bash": Line("--repetitions"),
    "packbench completion zsh": Line("#compdef packbench"),
    "packbench compare": Line("required: A, B", code=USAGE),
    "packbench export": Line("required: BUNDLE", code=USAGE),
    "packbench fit": Line("required: MODEL.gguf", code=USAGE),
    "packbench import": Line("required: TABLE", code=USAGE),
    "packbench ingest": Line("required: DOCUMENT, DIR", code=USAGE),
    "packbench init": Line("Made a new pack", makes="my-task/task.yaml"),
    "packbench models": Line("This computer:"),
    "packbench qualify": Line("No pack is named.", code=USAGE),
    "packbench report": Line("There are no runs yet.", code=1),
    "packbench resume": Line("answers are left", LineFolder.stopped_run),
    "packbench run": Line("No pack is named.", code=USAGE),
    "packbench sample-size": Line("required: T", code=USAGE),
    "packbench show": Line("There are no runs yet.", code=1),
    "packbench sign": Line("required: BUNDLE", code=USAGE),
    "packbench validate": Line("No pack is named.", code=USAGE),
    "packbench verify": Line("required: BUNDLE", code=USAGE),
    "packbench --help": Line("opens the window"),
    "packbench run --help": Line("usage: packbench run"),
    # Packs.
    "packbench open ./invoice-extraction": Line("", LineFolder.invoice_folder),
    "packbench validate ./invoice-extraction": Line("can be used", LineFolder.invoice_folder),
    "packbench validate invoice-extraction --json": Line('"valid": true'),
    "packbench validate my-qualification": Line("can be used", LineFolder.new_qualification),
    "packbench init ./my-pack --scorer exact-label": Line("Made a new pack", makes="my-pack/task.yaml"),
    "packbench init ./my-proof --kind qualification --from ./my-pack": Line(
        "my-proof", LineFolder.my_pack, makes="my-proof/pack.yaml"
    ),
    "packbench init my-qualification --kind qualification": Line(
        "my-qualification", makes="my-qualification/pack.yaml"
    ),
    "packbench import tickets.csv ./tickets --dry-run": Line("24 rows used", LineFolder.tickets),
    "packbench import invoices.xlsx ./invoices --input text --expected vendor,total,due_date": Line(
        "it can be used", LineFolder.invoices, makes="invoices/task.yaml"
    ),
    "packbench ingest runbook.md ./desk": Line("Review every", LineFolder.runbook, makes="desk/task.yaml"),
    "packbench ingest rules.pdf ./rules --model starter --examples 10": Line(
        "Review every", LineFolder.rules, makes="rules/task.yaml"
    ),
    # This computer and its models.
    "packbench models --context 8192": Line("This computer:"),
    "packbench models --catalogue": Line("comfortable"),
    "packbench fit model.gguf --context 8192 --kv-type q8_0": Line("Comfortable", LineFolder.model_file),
    "packbench self-check": Line("Packbench is whole."),
    # Runs.
    "packbench run invoice-extraction --model starter --out report": Line(
        "24 of 24", makes="report/report.html"
    ),
    "packbench run ./my-pack --limit 10 --json": Line('"recommended": "starter"', LineFolder.my_pack),
    "packbench run my-pack --model path/to/model.gguf": Line("25 of 25", LineFolder.pack_and_model_file),
    f"packbench resume {RUN_ID} --retry-failed": Line("25 of 25", LineFolder.stopped_run),
    "packbench runs": Line("24 of 24 answers", LineFolder.finished_run),
    "packbench show last": Line("16 of 24 right", LineFolder.finished_run),
    "packbench report last --format html --out report.html": Line(
        "report.html", LineFolder.finished_run, makes="report.html"
    ),
    "packbench report last --format md,bundle": Line(
        "packbench-report", LineFolder.finished_run, makes="packbench-bundle-00000000.zip"
    ),
    "packbench rescore last": Line("the scores they had", LineFolder.finished_run),
    f"packbench rescore packbench-bundle-{RUN_ID}.zip": Line("Untouched", LineFolder.zipped_run),
    # Qualification and its evidence.
    "packbench qualify housing-routing --endpoint http://localhost:8080 --operator ann --out evidence": Line(
        "Decision: QUALIFIED", LineFolder.one_model, makes="evidence"
    ),
    "packbench qualify ./my-pack --endpoint http://localhost:11434 --model llama3.2:3b --operator ann "
    "--out evidence --fail-on not-qualified,indeterminate": Line(
        "Decision: QUALIFIED", LineFolder.my_proof, makes="evidence"
    ),
    "packbench qualify housing-routing --model starter --operator ann --out evidence": Line(
        "There is no model called “starter” on this computer.", code=3
    ),
    "packbench qualify contact-routing --endpoint http://localhost:8765 --model etalon-contact-security-leak "
    "--operator YOU --out evidence": Line("Decision: NOT_QUALIFIED", LineFolder.contact_models),
    "packbench qualify housing-routing --endpoint http://localhost:8765 --model etalon-demo-small "
    "--operator YOU --out evidence": Line("Decision: NOT_QUALIFIED", LineFolder.housing_models),
    "packbench inspect evidence/run-1": Line("Intact.", LineFolder.one_bundle),
    "packbench verify evidence/run-1": Line("The numbers are the same.", LineFolder.one_bundle),
    "packbench verify evidence/run-1 --public-key ann.pub --require-signature": Line(
        "signed by the key given", LineFolder.signed_bundle
    ),
    "packbench check evidence/run-1 --endpoint http://localhost:8080 --pack ./my-pack --model my-model": Line(
        "pack version", LineFolder.bundle_and_pack
    ),
    "packbench compare evidence/run-1 evidence/run-2": Line("No case changed", LineFolder.two_bundles),
    "packbench sign evidence/run-1 --key ann.key": Line("Signed:", LineFolder.bundle_and_keys),
    "packbench keygen --private ann.key --public ann.pub --lock": Line(
        "Private key: ann.key\n", makes="ann.pub"
    ),
    "packbench export evidence/run-1 --out for-the-auditor": Line(
        "Written:", LineFolder.one_bundle, makes="for-the-auditor/auditor-report.html"
    ),
    "packbench mock-endpoint housing-routing --port 8765": Line("Ended after 0 requests"),
    "packbench mock-endpoint contact-routing --port 8765": Line("Ended after 0 requests"),
    "packbench mock-endpoint ticket-routing": Line("Ended after 0 requests"),
    "packbench sample-size 0.95": Line("73 cases"),
    "packbench sample-size 0.9 --rate 0.95": Line("217 cases"),
}


@pytest.fixture
def service(
    tmp_path: Path, packbench: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> Iterator[LineFolder]:
    folder = tmp_path / "desk"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv(PASSPHRASE_VARIABLE, "a long passphrase of mine")
    with ExitStack() as stack:
        made = LineFolder(folder, packbench, stack)
        monkeypatch.setattr(Services, "backend", made.backend)
        yield made


@pytest.fixture
def any_port_until_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server takes any free port and is ended by Ctrl-C as soon as it listens."""
    begin = MockServer.__init__

    def at_any_port(server: MockServer, *arguments: Any, port: int = 0, **more: Any) -> None:
        begin(server, *arguments, port=0, **more)

    def ctrl_c(_server: MockServer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(MockServer, "__init__", at_any_port)
    monkeypatch.setattr(MockServer, "wait", ctrl_c)


def test_that_every_line_that_is_shown_is_run_here() -> None:
    missing = [line for line in SHOWN if line not in LINES]
    assert not missing, "shown on a page, but nobody has said what they answer"


@pytest.mark.parametrize("line", [line for line in SHOWN if "packbench open" not in line])
def test_that_the_line_does_what_it_says(line: str, service: LineFolder, any_port_until_ctrl_c: None) -> None:
    wanted = LINES[line]
    wanted.given(service)
    message = shlex.split(ADDRESS.sub(service.address, line))[1:]
    if RUN_ID in message:
        with JournalReader(user_paths().journal) as reader:
            message[message.index(RUN_ID)] = reader.runs()[0].id[:8]
    ran = service.packbench(*message)
    assert ran.code == wanted.code, ran.err + ran.out
    assert wanted.says in ran.out + ran.err
    assert (service.folder / wanted.makes).exists()
    assert "Traceback" not in ran.err


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the window's socket as Linux has it")
def test_that_the_line_that_opens_a_window_opens_the_pack_in_it(service: LineFolder) -> None:
    (line,) = (line for line in SHOWN if "packbench open" in line)
    LINES[line].given(service)
    # A short one: the place of a socket may have a hundred letters at most.
    with tempfile.TemporaryDirectory() as temporary:
        trial = Trial(FROM_SOURCE, service.folder, temporary=Path(temporary))
        with trial.window(*shlex.split(line)[1:]) as window:
            wait_for(lambda: trial.recent() == [str(service.folder / "invoice-extraction")], "not opened")
            assert window.close() == 0
