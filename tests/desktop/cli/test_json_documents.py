"""What every command prints with --json is what is written beside the command, in its help too."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.application.services import Services
from desktop.cli.command import parser_for
from desktop.cli.commands import COMMANDS, command_named
from desktop.cli.json_documents import FORMAT_KEY, JsonDocument, fields
from desktop.foundation.paths import user_paths
from desktop.inference.machine.machine import BandwidthReading
from desktop.runs.qualification.mock_endpoint import mock_endpoint
from packs.qualification.loader import require_pack
from tests.desktop.cli.conftest import Ran
from tests.fakes.desk_pack import desk_model, write_desk_pack
from tests.fakes.drafting import willing
from tests.fakes.fake_backend import FakeBackend, FakeModel
from tests.fakes.gguf_writer import small_llama, small_tensors, write_gguf

Packbench = Callable[..., Ran]
SAMPLES = Path(__file__).parents[3] / "packs" / "samples"
KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float), "array": (list,),
    "object": (dict,), "null": (type(None),),
}  # fmt: skip


def at(content: object, path: str) -> list[object]:
    """Every value that stands there; `[]` and `{}` go through all entries."""
    found = [content]
    for part in path.replace("[]", ".[]").replace("{}", ".{}").split(".") if path else ():
        if part == "[]":
            found = [entry for one in found if isinstance(one, list) for entry in one]
        elif part == "{}":
            found = [entry for one in found if isinstance(one, dict) for entry in one.values()]
        elif part:
            found = [one[part] for one in found if isinstance(one, dict) and part in one]
    return found


def complaints(document: JsonDocument, content: dict[str, Any]) -> list[str]:
    """Where content and description differ."""
    wrong = []
    if content.get(FORMAT_KEY) != document.format:
        wrong.append(f"{FORMAT_KEY} is {content.get(FORMAT_KEY)!r}")
    plain = {key: value for key, value in content.items() if key != FORMAT_KEY}
    children: dict[str, dict[str, bool]] = {}
    for row in document.fields:
        path = row.path.removesuffix("?")
        parent, _, key = path.rpartition(".")
        children.setdefault(parent, {})[key] = row.path.endswith("?")
        allowed = tuple(kind for word in row.kind.split(" or ") for kind in KINDS[word])
        wrong += [
            f"{path} is {value!r}, described as {row.kind}"
            for value in at(plain, path)
            if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed)
        ]
    for parent, known in children.items():
        for one in at(plain, parent):
            if isinstance(one, dict):
                wrong += [f"{parent}.{key} is not described" for key in one if key not in known]
                wrong += [
                    f"{parent}.{key} is missing" for key, may in known.items() if not may and key not in one
                ]
    return wrong


def printed(
    packbench: Packbench, number: int, name: str, *arguments: str, codes: tuple[int, ...] = (0,)
) -> Any:
    """number: which of the command's documents it is."""
    ran = packbench(name, *arguments, "--json")
    assert ran.code in codes, ran.err
    content = json.loads(ran.out)
    assert complaints(command_named(name).documents[number], content) == []
    assert ran.code in (*command_named(name).exits, 2, 3, 130)
    return content


def takes_json(name: str) -> bool:
    return "--json" in parser_for(command_named(name), "packbench").format_help()


@pytest.mark.parametrize("name", COMMANDS)
def test_that_every_command_with_json_describes_its_documents(name: str) -> None:
    documents = command_named(name).documents
    assert bool(documents) == takes_json(name)
    for document in documents:
        paths = [row.path.removesuffix("?") for row in document.fields]
        assert len(set(paths)) == len(paths)
        assert all(row.meaning and set(row.kind.split(" or ")) <= set(KINDS) for row in document.fields)


def test_that_a_name_with_a_version_means_one_document() -> None:
    named: dict[str, set[str]] = {}
    for name in COMMANDS:
        for document in command_named(name).documents:
            if document.format:
                named.setdefault(document.format, set()).add(name)
    shared = {form: names for form, names in named.items() if len(names) > 1}
    assert shared == {"packbench-report/1": {"run", "resume", "show"}}
    assert all(form.startswith("packbench-") and form.endswith("/1") for form in named)


def test_that_a_field_that_nobody_described_or_of_another_type_is_found() -> None:
    document = JsonDocument(
        "x/1", fields(("a", "array", "m"), ("a[].b", "integer", "m"), ("c?", "string", "m"))
    )
    good = document.stamped({"a": [{"b": 1}]})
    assert complaints(document, good) == []
    for bad in ({"a": [{"b": True}]}, {"a": [{}]}, {"a": [{"b": 1, "d": 1}]}, {"a": [], "c": 1}, {}):
        assert complaints(document, document.stamped(bad))
    assert complaints(document, {"a": []})


@pytest.fixture
def ran_once(packbench: Packbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A task pack, and one run of it."""
    backend = FakeBackend([desk_model(said={1: "other"})])
    monkeypatch.setattr(Services, "backend", lambda *_, **__: backend)
    pack = write_desk_pack(tmp_path / "desk")
    found = printed(packbench, 0, "run", str(pack), "--out", str(tmp_path / "report"))
    assert len(found["reports"]) == 2
    return pack


def test_that_documents_of_task_runs_are_as_described(
    packbench: Packbench, ran_once: Path, tmp_path: Path
) -> None:
    printed(packbench, 0, "resume", "last", "--retry-failed", codes=(0, 1))
    assert printed(packbench, 0, "runs")["runs"]
    printed(packbench, 0, "show", "last")
    printed(packbench, 0, "rescore", "last")
    bundle = tmp_path / "b.zip"
    assert packbench("report", "last", "--format", "bundle", "--out", str(bundle)).code == 0
    printed(packbench, 1, "rescore", str(bundle))


def test_that_documents_about_task_packs_are_as_described(packbench: Packbench, tmp_path: Path) -> None:
    pack = write_desk_pack(tmp_path / "desk")
    printed(packbench, 0, "validate", str(pack))
    (pack / "task.yaml").write_text("scorer: none\n", encoding="utf-8")
    assert printed(packbench, 0, "validate", str(pack), codes=(1,))["problems"]
    printed(packbench, 0, "init", str(tmp_path / "new"))
    printed(packbench, 0, "init", str(tmp_path / "proof"), "--kind", "qualification")
    table = tmp_path / "t.csv"
    rows = "".join(f"text number {number} of many,{'ab'[number % 2]}\n" for number in range(6))
    table.write_text(f"text,label\n{rows}{rows[:30].splitlines()[0]}\n,\n,a\n", encoding="utf-8")
    found = printed(
        packbench, 0, "import", str(table), str(tmp_path / "made"), "--input", "text", "--expected", "label",
        codes=(0, 1),
    )  # fmt: skip
    assert found["used"]
    printed(packbench, 0, "import", str(table), "--dry-run", codes=(0, 1))


def test_that_the_document_of_a_draft_is_as_described(
    packbench: Packbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = FakeBackend([FakeModel("tiny", willing())])
    monkeypatch.setattr(Services, "backend", lambda *_, **__: backend)
    notes = tmp_path / "notes.md"
    notes.write_text("- one: a\n- two: b\n- three: c\n\nBroken lamps go to one.", encoding="utf-8")
    printed(packbench, 0, "ingest", str(notes), str(tmp_path / "drafted"))


def test_that_the_document_of_the_self_check_is_as_described(packbench: Packbench) -> None:
    printed(packbench, 0, "self-check", "--no-window", "--no-engine")


def test_that_no_temporary_folder_is_named_for_a_zip(packbench: Packbench, tmp_path: Path) -> None:
    packed = shutil.make_archive(
        str(tmp_path / "desk"), "zip", tmp_path, write_desk_pack(tmp_path / "desk").name
    )
    assert printed(packbench, 0, "validate", packed)["pack"] == packed


def test_that_documents_about_models_are_as_described(
    packbench: Packbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = BandwidthReading(30.0, 2, "2026-11-30T09:00:00+00:00", False, (30.0,))
    monkeypatch.setattr("desktop.inference.machine.bandwidth.measure_bandwidth", lambda threads: reading)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "person")
    user_paths().models.mkdir(parents=True)
    model = write_gguf(user_paths().models / "own-Q4_0.gguf", small_llama(), small_tensors())
    assert printed(packbench, 0, "models", "--catalogue")["models"]
    printed(packbench, 0, "fit", str(model))
    assert printed(packbench, 0, "fit", str(model), "--context", "9999999", codes=(0, 1))
    printed(packbench, 1, "fit", str(model), "--rule", "simple")
    printed(packbench, 0, "sample-size", "0.95", "--rate", "0.99")


@pytest.fixture
def bundle(packbench: Packbench, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Address of an endpoint, and a bundle that was made with it."""
    with mock_endpoint(require_pack(SAMPLES / "housing-routing")) as server:
        printed(
            packbench, 0, "qualify", "housing-routing", "--endpoint", server.address, "--operator", "ann",
            "--out", str(tmp_path / "ev"), "--model", "etalon-demo-baseline", "--run-id", "r1", "--quiet",
        )  # fmt: skip
        yield server.address, tmp_path / "ev" / "r1"


def test_that_documents_of_qualifications_are_as_described(
    packbench: Packbench, bundle: tuple[str, Path], tmp_path: Path
) -> None:
    address, folder = bundle
    case = json.loads((folder / "inputs.jsonl").read_text("utf-8").splitlines()[0])["case_id"]
    asked = ("housing-routing", "--endpoint", address, "--operator", "ann", "--out", str(tmp_path / "x"))
    for more in ((), ("--dry-run",)):
        printed(packbench, 1, "qualify", *asked, "--model", "etalon-demo-baseline", "--only", case, *more)
    for name in ("inspect", "verify"):
        printed(packbench, 0, name, str(folder))
    printed(packbench, 2, "rescore", str(folder))
    printed(packbench, 0, "check", str(folder), "--endpoint", address, codes=(0, 1, 2))
    printed(packbench, 0, "compare", str(folder), str(folder))
    printed(packbench, 0, "export", str(folder), "--out", str(tmp_path / "audit"))
    private, public = str(tmp_path / "k.key"), str(tmp_path / "k.pub")
    printed(packbench, 0, "keygen", "--private", private, "--public", public)
    printed(packbench, 0, "sign", str(folder), "--key", private)
    printed(packbench, 0, "validate", "housing-routing")
