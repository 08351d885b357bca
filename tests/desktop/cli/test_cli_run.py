"""`packbench run`, `resume`, `show`, `report`: over a fake backend, from the command line to the files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop.application.run_tasks import RunRequest, prepare
from desktop.application.services import Services
from desktop.foundation.paths import user_paths
from desktop.inference.backends.base import Backend, Clocks, FaultKind
from desktop.runs.settings import RunSettings
from packs.errors import AppError
from tests.desktop.cli.conftest import Ran
from tests.fakes.desk_pack import desk_model, write_desk_pack
from tests.fakes.fake_backend import Answer, FakeBackend, FakeModel, fault

Packbench = Callable[..., Ran]


@dataclass(frozen=True, slots=True)
class _Fakes:
    """What `Services.backend` gives in these tests."""

    models: Sequence[FakeModel]

    def backend_of(
        self,
        kind: str,
        endpoint: str | None = None,
        *,
        more_files: Sequence[Path] = (),
        clocks: Clocks | None = None,
        remote_allowed: bool = False,
    ) -> Backend:
        return FakeBackend(self.models)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write_desk_pack(tmp_path / "desk")


@pytest.fixture
def having(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def have(*models: FakeModel) -> None:
        monkeypatch.setattr(Services, "backend", _Fakes(models).backend_of)

    return have


def test_that_a_run_writes_its_reports_and_says_the_answer_first(
    packbench: Packbench, pack: Path, having: Callable[..., None], tmp_path: Path
) -> None:
    having(desk_model(said={1: "other"}))
    ran = packbench("run", str(pack), "--out", str(tmp_path / "out"))
    assert ran.code == 0 and "quick has 5 of 6 right" in ran.out
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"report.html", "report.md"}
    assert "Prompts and inputs were sent to" in " ".join(ran.out.split())
    assert "quick finished" in ran.err


def test_that_json_is_one_document_and_progress_goes_elsewhere(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having(desk_model())
    ran = packbench("run", str(pack), "--json")
    document = json.loads(ran.out)
    assert document["answer"]["recommended"] == "quick" and len(document["units"]) == 6
    assert "quick" in ran.err


def test_that_a_pack_with_problems_is_not_run(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having(desk_model())
    (pack / "prompt.md").write_text("no place for it", encoding="utf-8")
    ran = packbench("run", str(pack))
    assert ran.code == 1 and "prompt.md" in ran.err and "cannot be used yet" in ran.err


def test_that_a_model_that_is_not_there_is_told_with_the_nearest(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having(desk_model())
    ran = packbench("run", str(pack), "--model", "quik")
    assert ran.code == 3 and "no model 'quik'" in ran.err and "Did you mean 'quick'?" in ran.err


def test_that_no_model_at_all_says_where_to_put_one(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having()
    ran = packbench("run", str(pack))
    assert ran.code != 0 and "GGUF" in ran.err


def test_that_a_run_in_which_nothing_was_measured_is_three(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having(desk_model(load_fault=fault(FaultKind.BAD_MODEL_FILE)))
    ran = packbench("run", str(pack))
    assert ran.code == 3 and "No model can be recommended" in ran.out


def test_that_a_run_can_be_shown_and_reported_by_the_beginning_of_its_id(
    packbench: Packbench, pack: Path, having: Callable[..., None], tmp_path: Path
) -> None:
    having(desk_model())
    run_id = json.loads(packbench("run", str(pack), "--json").out)["run"]["id"]
    assert "quick has 6 of 6 right" in packbench("show", run_id[:6]).out
    wanted = tmp_path / "result.csv"
    ran = packbench("report", run_id[:6], "--format", "csv", "--out", str(wanted))
    assert (
        ran.code == 0 and ran.out.strip() == str(wanted) and wanted.read_bytes().startswith(b"\xef\xbb\xbfrun,")
    )


def test_that_the_report_spellings_of_other_tools_work(
    packbench: Packbench, pack: Path, having: Callable[..., None], tmp_path: Path
) -> None:
    having(desk_model())
    packbench("run", str(pack))
    ran = packbench("report", "--markdown", "--bundle", "--out", str(tmp_path / "both"))
    assert ran.code == 0
    assert sorted(path.suffix for path in (tmp_path / "both").iterdir()) == [".md", ".zip"]


def test_that_one_report_can_go_to_the_standard_output(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having(desk_model())
    packbench("run", str(pack))
    assert packbench("report", "--format", "md", "--out", "-").out.startswith("# Result: desk")


def test_that_an_unknown_run_or_format_is_told(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    assert packbench("show").code == 1 and "no runs yet" in packbench("show").err
    having(desk_model())
    packbench("run", str(pack))
    assert packbench("report", "--format", "docx").code == 2
    assert packbench("show", "zzz").code == 1


def test_that_resume_has_nothing_to_do_after_a_whole_run(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having(desk_model())
    packbench("run", str(pack))
    ran = packbench("resume")
    assert ran.code == 0 and "No run is waiting" in ran.out


def test_that_failed_answers_are_asked_again_only_when_wanted(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having(desk_model(said={1: Answer(fault=fault(FaultKind.SERVER_ERROR))}))
    packbench("run", str(pack))
    having(desk_model())
    assert "No run is waiting" in packbench("resume").out
    document = json.loads(packbench("resume", "last", "--retry-failed", "--json").out)
    assert {unit["status"] for unit in document["units"]} == {"completed"}


def test_that_a_changed_pack_is_not_resumed(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having(desk_model(said={1: Answer(fault=fault(FaultKind.SERVER_ERROR))}))
    packbench("run", str(pack))
    (pack / "prompt.md").write_text("changed {{input}}", encoding="utf-8")
    ran = packbench("resume", "last", "--retry")
    assert ran.code == 1 and "files have changed" in ran.err


def test_that_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    import os
    import signal

    class Interrupting:
        def __init__(self) -> None:
            self.model = desk_model()

        def __call__(self, prompt: str, nth: int) -> Answer | str:
            if "letter 3" in prompt:
                os.kill(os.getpid(), signal.SIGINT)
                return Answer(stall="before")
            return self.model.answers(prompt, nth)

    model = desk_model()
    model.answers = Interrupting()
    having(model)
    ran = packbench("run", str(pack))
    assert ran.code == 130 and "packbench resume" in ran.err and "Traceback" not in ran.err
    having(desk_model())
    document = json.loads(packbench("resume", "--json").out)
    assert document["run"]["state"] == "finished" and document["candidates"][0]["right"] == 6


def test_that_the_progress_line_is_only_for_terminals(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having(desk_model())
    assert "\r" not in packbench("run", str(pack)).err
    assert packbench("run", str(pack), terminal=True).err.endswith("writes it all down.\n")


def test_that_a_configuration_chooses_the_models(
    packbench: Packbench, pack: Path, having: Callable[..., None], tmp_path: Path
) -> None:
    having(desk_model("a"), desk_model("b"))
    config = tmp_path / "run.yaml"
    config.write_text("candidates: [b]\nuse_local_models: false\n", encoding="utf-8")
    document = json.loads(packbench("run", str(pack), "--config", str(config), "--json").out)
    assert [candidate["name"] for candidate in document["candidates"]] == ["b"]
    config.write_text("candidats: [b]\n", encoding="utf-8")
    ran = packbench("run", str(pack), "--config", str(config))
    assert ran.code == 1 and "candidats" in ran.err


def test_that_a_run_and_its_bundle_score_the_same_again(
    packbench: Packbench, pack: Path, having: Callable[..., None], tmp_path: Path
) -> None:
    having(desk_model(said={1: "other", 2: "**other**"}))
    packbench("run", str(pack))
    assert packbench("rescore").code == 0
    bundle = tmp_path / "bundle.zip"
    packbench("report", "--format", "bundle", "--out", str(bundle))
    ran = packbench("rescore", str(bundle), "--json")
    assert ran.code == 0 and json.loads(ran.out)["good"] is True
    assert packbench("rescore", str(tmp_path / "none.zip")).code == 1


def test_that_the_simple_rule_of_other_tools_can_be_asked_for(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having(desk_model())
    packbench("run", str(pack))
    assert "quality 1.000" in packbench("show", "--rule", "peak-within-tolerance", "--tolerance", "0.1").out
    assert packbench("show", "--tolerance", "1").code == 2


def test_that_a_model_of_another_program_is_found_when_it_is_named(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, starter_model: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    folder = tmp_path / ".lmstudio" / "models" / "someone" / "small"
    folder.mkdir(parents=True)
    (folder / "small-model.gguf").symlink_to(starter_model)
    services = Services(user_paths(), {})
    found = [model.name for model in services.library().scan(services.cards())]
    prepared = prepare(RunRequest(pack, RunSettings(models=(found[0],))), services)
    assert [entry.model.name for entry in prepared.plan.candidates] == ["small-model"]
    with pytest.raises(AppError, match="no model"):
        prepare(RunRequest(pack, RunSettings(models=("other-model",))), services)


def test_that_a_report_can_be_made_of_a_bundle_where_the_run_is_not_known(
    packbench: Packbench, pack: Path, having: Callable[..., None], tmp_path: Path, own_home: Path
) -> None:
    having(desk_model())
    packbench("run", str(pack))
    bundle = tmp_path / "bundle.zip"
    packbench("report", "--format", "bundle", "--out", str(bundle))
    shutil.rmtree(own_home)
    ran = packbench("report", str(bundle), "--format", "md", "--out", "-")
    assert ran.code == 0 and ran.out.startswith("# Result: desk")
    assert "quick has 6 of 6 right" in packbench("show", str(bundle)).out


def test_that_texts_stay_at_home_when_they_are_to(
    packbench: Packbench, pack: Path, having: Callable[..., None], tmp_path: Path
) -> None:
    having(desk_model(said={1: "other"}))
    packbench("run", str(pack))
    for form in ("html", "md", "json", "csv", "junit"):
        out = packbench("report", "--format", form, "--no-texts", "--out", "-").out
        assert "letter 1" not in out and "left out" in out


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        (["--backend", "llamafarm"], 2, "is no backend"),
        (["--limit", "abc"], 2, "'abc' is not a whole number"),
        (["--limit", "0"], 2, "too small"),
        (["--config", "no-such-file.yaml"], 1, "cannot be read"),
        (["--backend", "openai"], 3, "address"),
        (["--backend", "openai", "--endpoint", "http://127.0.0.1:9"], 3, ""),
        (["--backend", "openai", "--endpoint", "http://192.0.2.1:8000"], 3, ""),
        (["--model", "no-such.gguf"], 3, "no model 'no-such.gguf'"),
    ],
)
def test_that_a_wrong_wish_is_told_in_words(
    packbench: Packbench, pack: Path, given: list[str], code: int, message: str
) -> None:
    ran = packbench("run", str(pack), *given)
    assert ran.code == code and message in ran.err, ran.err
    assert ran.err.strip() and "Traceback" not in ran.err and ran.out == ""


def test_that_a_file_named_for_two_formats_is_the_one_it_fits(
    packbench: Packbench, pack: Path, having: Callable[..., None], tmp_path: Path
) -> None:
    having(desk_model())
    packbench("run", str(pack))
    ran = packbench("report", "--markdown", "--bundle", "--out", str(tmp_path / "mine.md"))
    written = [Path(line) for line in ran.out.splitlines()]
    assert written[0] == tmp_path / "mine.md"
    assert written[1].parent == tmp_path and written[1].name.startswith("packbench-bundle-")


@pytest.mark.parametrize(
    ("name", "formats", "message"),
    [
        ("mine.txt", "html", "mine.html"),
        ("mine", "html", "mine.html"),
        ("mine.html", "md", "mine.md"),
        ("new/", "html", "There is no folder"),
        ("mine.pdf", "html,md", "fits none"),
    ],
)
def test_that_a_name_that_does_not_fit_the_report_is_refused_and_nothing_written(
    packbench: Packbench,
    pack: Path,
    having: Callable[..., None],
    tmp_path: Path,
    name: str,
    formats: str,
    message: str,
) -> None:
    having(desk_model())
    packbench("run", str(pack))
    folder = tmp_path / "out"
    folder.mkdir()
    ran = packbench("report", "last", "--format", formats, "--out", f"{folder}/{name}")
    assert ran.code == 2 and message in ran.err and list(folder.iterdir()) == []


@pytest.mark.parametrize(("wanted", "code"), [("0.5", 0), ("0.9", 4), ("2", 2), ("much", 2)])
def test_that_a_run_fails_when_no_model_is_good_enough_if_that_is_asked(
    packbench: Packbench, pack: Path, having: Callable[..., None], wanted: str, code: int
) -> None:
    having(desk_model(said={1: "other"}))
    ran = packbench("run", str(pack), "--fail-under", wanted, "--json")
    assert ran.code == code, ran.err
    assert ("--fail-under" in ran.err) is (code != 0)
    if code != 2:
        quality = max(entry["quality"] for entry in json.loads(ran.out)["candidates"])
        assert (quality < float(wanted)) is (code == 4)


def test_that_a_quiet_run_says_nothing_but_its_result(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having(desk_model())
    ran = packbench("run", str(pack), "--quiet", terminal=True)
    assert ran.code == 0 and ran.err == "" and ran.out


def test_that_resume_with_nothing_to_do_prints_a_document(packbench: Packbench) -> None:
    assert json.loads(packbench("resume", "--json").out) == {"json_format": "packbench-resume/1", "run": None}


def test_that_the_result_names_what_must_be_known_of_a_model(
    packbench: Packbench, pack: Path, having: Callable[..., None]
) -> None:
    having(desk_model())
    ran = packbench("run", str(pack), "--repetitions", "3", "--adaptive")
    assert "asked twice and answered with the same text to the byte" in " ".join(ran.out.split())
