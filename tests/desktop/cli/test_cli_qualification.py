"""The commands around qualification packs, against the mock endpoint on this computer."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.app import command_context
from desktop.cli.exits import Exit
from desktop.cli.terminal import Terminal
from desktop.foundation.paths import user_paths
from desktop.runs.qualification.mock_endpoint import mock_endpoint
from desktop.runs.qualification.mock_server import MockServer
from packs.canonical import digest
from packs.documents.jsonlines import document
from packs.qualification.bundle import HASHED
from packs.qualification.loader import require_pack

SAMPLES = Path(__file__).parents[3] / "packs" / "samples"


@pytest.fixture
def server() -> Iterator[MockServer]:
    with mock_endpoint(require_pack(SAMPLES / "housing-routing")) as running:
        yield running


@pytest.fixture
def qualified(packbench: Callable[..., Any], server: MockServer, tmp_path: Path) -> Callable[..., Path]:
    def run(model: str = "etalon-demo-baseline", run_id: str = "r1", *more: str) -> Path:
        ran = packbench(
            "qualify", "housing-routing", "--endpoint", server.address, "--operator", "ann",
            "--out", str(tmp_path / "ev"), "--model", model, "--run-id", run_id, "--quiet", *more,
        )  # fmt: skip
        assert ran.code == Exit.DONE, ran.err
        return tmp_path / "ev" / run_id

    return run


def test_that_qualify_prints_decision_coverage_and_report(
    packbench: Callable[..., Any], server: MockServer, tmp_path: Path
) -> None:
    ran = packbench(
        "qualify", "--pack", "housing-routing", "--endpoint", server.address, "--operator", "ann",
        "--output", str(tmp_path / "ev"), "--model", "m",
    )  # fmt: skip
    assert ran.code == Exit.DONE
    assert "Decision: QUALIFIED" in ran.out
    assert "Coverage: 100.0 %" in ran.out
    assert "report.html" in ran.out
    assert "system_prompt.txt" in ran.err


@pytest.mark.parametrize(
    ("model", "message", "code"),
    [
        ("etalon-demo-quantized", "not-qualified", Exit.GATE),
        ("etalon-demo-quantized", "indeterminate", Exit.DONE),
        ("etalon-demo-baseline", "not-qualified,indeterminate", Exit.DONE),
        ("etalon-demo-error", "indeterminate", Exit.MACHINE),
    ],
)
def test_that_the_exit_code_is_what_was_asked_for(
    model: str, message: str, code: Exit, packbench: Callable[..., Any], server: MockServer, tmp_path: Path
) -> None:
    """W24: a decision exits with 0 unless --fail-on names it; failed requests are not wrong usage."""
    ran = packbench(
        "qualify", "housing-routing", "--endpoint", server.address, "--operator", "ann", "--out",
        str(tmp_path), "--model", model, "--fail-on", message, "--json", "--max-retries", "0", "--quiet",
    )  # fmt: skip
    assert ran.code == code
    assert json.loads(ran.out)["status"] in ("QUALIFIED", "NOT_QUALIFIED", "INDETERMINATE")


@pytest.mark.parametrize(
    "arguments",
    [
        ["qualify", "housing-routing", "--endpoint", "http://localhost:1", "--out", "x"],
        ["qualify", "housing-routing", "--operator", "ann", "--out", "x"],
        ["qualify", "housing-routing", "--operator", "ann", "--endpoint", "http://localhost:1"],
        [
            "qualify",
            "invoice-extraction",
            "--operator",
            "ann",
            "--endpoint",
            "http://localhost:1",
            "--out",
            "x",
        ],
        ["qualify", "housing-routing", "--operator", "a", "--endpoint", "h", "--out", "x", "--fail-on", "bad"],
        ["check", "x"],
        ["sign", "x"],
        ["keygen", "--private", "x"],
        ["export", "x"],
        ["sample-size", "95"],
    ],
)
def test_that_wrong_usage_exits_with_two_and_says_what_is_missing(
    arguments: list[str], packbench: Callable[..., Any]
) -> None:
    ran = packbench(*arguments)
    assert ran.code == Exit.USAGE
    assert ran.err.strip()
    assert "Traceback" not in ran.err


def test_that_a_bad_extra_body_says_why(
    packbench: Callable[..., Any], server: MockServer, tmp_path: Path
) -> None:
    ran = packbench(
        "qualify", "housing-routing", "--endpoint", server.address, "--operator", "ann", "--out",
        str(tmp_path), "--model", "m", "--extra-body", '{"a": }',
    )  # fmt: skip
    assert ran.code == Exit.PROBLEMS
    assert "--extra-body is not JSON" in ran.err
    assert server.requests == 0


def test_that_a_bundle_is_inspected_verified_signed_and_exported(
    packbench: Callable[..., Any], qualified: Callable[..., Path], tmp_path: Path
) -> None:
    bundle = str(qualified())
    private, public = tmp_path / "k.key", tmp_path / "k.pub"
    assert "Intact." in packbench("inspect", bundle).out
    assert packbench("verify", bundle).code == Exit.DONE
    assert packbench("verify", bundle, "--require-signature").code == Exit.PROBLEMS
    assert packbench("keygen", "--private", str(private), "--public", str(public)).code == Exit.DONE
    if os.name == "posix":
        assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert packbench("keygen", "--private", str(private), "--public", str(public)).code == Exit.PROBLEMS
    assert packbench("sign", bundle, "--key", str(private)).code == Exit.DONE
    checked = packbench("verify", bundle, "--public-key", str(public), "--require-signature", "--json")
    assert checked.code == Exit.DONE
    assert json.loads(checked.out)["signature"]["status"] == "matches_supplied_key"
    assert packbench("verify", bundle, "--public-key", str(private)).code == Exit.PROBLEMS
    exported = packbench("export", bundle, "--out", str(tmp_path / "audit"))
    assert exported.code == Exit.DONE
    assert packbench("export", bundle, "--out", str(tmp_path / "audit")).code == Exit.PROBLEMS


def test_that_a_locked_key_needs_its_passphrase(
    packbench: Callable[..., Any], qualified: Callable[..., Path], tmp_path: Path
) -> None:
    """W33: the private key can be encrypted."""
    bundle, private = str(qualified()), str(tmp_path / "k.key")
    word = {"PACKBENCH_KEY_PASSPHRASE": "horse battery"}

    def with_environment(*arguments: str, **environment: str) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            return packbench(*arguments)

    made = with_environment("keygen", "--private", private, "--public", f"{private}.pub", "--lock", **word)
    assert made.code == Exit.DONE
    assert b'"seed"' not in Path(private).read_bytes()
    assert packbench("sign", bundle, "--key", private).code == Exit.PROBLEMS
    wrong = with_environment("sign", bundle, "--key", private, PACKBENCH_KEY_PASSPHRASE="x")
    assert wrong.code == Exit.PROBLEMS
    assert with_environment("sign", bundle, "--key", private, **word).code == Exit.DONE


def test_that_an_export_holds_no_input_and_no_answer(
    packbench: Callable[..., Any], qualified: Callable[..., Path], tmp_path: Path
) -> None:
    bundle = qualified("etalon-demo-small", "small")
    packbench("export", str(bundle), "--out", str(tmp_path / "audit"))
    written = b"".join(file.read_bytes() for file in (tmp_path / "audit").iterdir())
    assert b"NOT_QUALIFIED" in written
    for case in require_pack(SAMPLES / "housing-routing").cases["qualification"]:
        assert case.user_text.encode() not in written


def test_that_an_edited_bundle_does_not_verify_and_cannot_be_signed(
    packbench: Callable[..., Any], qualified: Callable[..., Path], tmp_path: Path
) -> None:
    bundle = qualified()
    file = bundle / "results.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"passed":true', b'"passed":false', 1))
    verified = packbench("verify", str(bundle))
    assert verified.code == Exit.PROBLEMS
    assert "results.jsonl was changed" in verified.out
    assert "recorded" in verified.out
    packbench("keygen", "--private", str(tmp_path / "k"), "--public", str(tmp_path / "p"))
    assert packbench("sign", str(bundle), "--key", str(tmp_path / "k")).code == Exit.PROBLEMS


def test_that_a_zip_of_a_report_is_sent_to_the_command_that_checks_it(
    packbench: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "packbench-bundle-1.zip"
    file.write_bytes(b"PK")
    ran = packbench("verify", str(file))
    assert ran.code == Exit.PROBLEMS
    assert "is a file" in ran.err and f"packbench rescore {file}" in ran.err.replace("\n", " ")


def test_that_compare_names_the_cases_that_flipped(
    packbench: Callable[..., Any], qualified: Callable[..., Path]
) -> None:
    """W31: the cases by name, and whether more than chance is behind them."""
    first, second = qualified(), qualified("etalon-demo-quantized", "r2")
    ran = packbench("compare", str(first), str(second))
    assert ran.code == Exit.DONE
    assert "HQ-" in ran.out or "TQ-" in ran.out
    assert "p < 0.001" in ran.out
    document = json.loads(packbench("compare", str(first), str(second), "--json").out)
    assert document["evidence_changed"] is True
    assert len(document["flipped_cases"]) == 25
    assert document["fired"] == ["model_revision"]
    same = json.loads(packbench("compare", str(first), str(first), "--json").out)
    assert same["flipped_cases"] == []
    assert same["evidence_changed"] is False


def test_that_check_tells_a_silent_endpoint_from_a_change(
    packbench: Callable[..., Any], qualified: Callable[..., Path], server: MockServer
) -> None:
    """W29: the exit number is the format's, the words say what is behind it."""
    bundle = str(qualified())
    model = ["--model", "etalon-demo-baseline"]
    fine = packbench(
        "check", bundle, "--endpoint", server.address, "--pack", "housing-routing", *model, "--operator", "ann"
    )
    assert fine.code == 0
    silent = packbench("check", bundle, "--endpoint", "http://127.0.0.1:9", "--pack", "housing-routing", *model)
    assert silent.code == 2
    assert silent.out.startswith("Unknown: the server could not be asked. No change was seen")


def test_that_check_tells_changed_unchanged_and_unknown_apart(
    packbench: Callable[..., Any], qualified: Callable[..., Path], server: MockServer
) -> None:
    bundle = qualified()
    asked = ["check", str(bundle), "--endpoint", server.address]
    same = [*asked, "--model", "etalon-demo-baseline"]
    unknown = packbench(*same)
    assert unknown.out.startswith("Unknown: no change was seen, but ")
    assert "give the folder of the pack (--pack DIR)" in unknown.out
    told = json.loads(packbench(*same, "--json").out)
    assert told["answer"] == "unknown"
    assert told["exit_code"] == 2
    assert all(entry["how"] for entry in told["not_looked_at"])
    changed = packbench(*asked, "--model", "etalon-demo-small")
    assert changed.out.startswith("Changed: model revision. Qualify again.")
    assert changed.out.splitlines()[1].startswith("  ✗ model revision")
    whole = [*same, "--pack", "housing-routing", "--operator", "ann"]
    told = json.loads(packbench(*whole, "--json").out)
    assert told["bundle_findings"] == []
    assert told["not_looked_at"] == [] or told["answer"] == "unknown"
    forged(bundle, {"results.jsonl": b""})
    told = json.loads(packbench(*whole, "--json").out)
    assert told["bundle_findings"]
    assert told["answer"] == "unknown"
    assert told["exit_code"] >= 1


def test_that_validate_warns_of_thresholds_that_cannot_be_met(
    packbench: Callable[..., Any], tmp_path: Path
) -> None:
    """W12: '0.95 cannot be met with … cases even by a perfect model'."""
    for file in (SAMPLES / "housing-routing").rglob("*"):
        if file.is_file():
            target = tmp_path / file.relative_to(SAMPLES / "housing-routing")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes().replace(b"threshold: 0.95", b"threshold: 0.97"))
    ran = packbench("validate", str(tmp_path))
    assert ran.code == Exit.DONE
    assert "cannot be met with 76 cases even by a perfect model" in ran.out.replace("\n    ", " ")


@pytest.mark.parametrize(
    ("arguments", "perfect"), [(["0.9"], 35), (["0.95"], 73), (["0.99"], 381), (["1.0"], None)]
)
def test_that_the_sample_size_of_a_perfect_result_is_told(
    arguments: list[str], perfect: int | None, packbench: Callable[..., Any]
) -> None:
    """W12: the figures of the format's own list of weak points."""
    assert json.loads(packbench("sample-size", *arguments, "--json").out)["perfect"] == perfect


def test_that_no_command_leaves_a_traceback_on_a_broken_bundle(
    packbench: Callable[..., Any], tmp_path: Path
) -> None:
    broken = tmp_path / "b"
    broken.mkdir()
    (broken / "manifest.json").write_text("[1]")
    (broken / "decision.json").write_text("{}")
    for arguments in (
        ["inspect", str(broken)],
        ["verify", str(broken)],
        ["compare", str(broken), str(broken)],
        ["check", str(broken), "--endpoint", "http://127.0.0.1:9"],
        ["export", str(broken), "--out", str(tmp_path / "o")],
        ["verify", str(tmp_path / "nothing")],
    ):
        ran = packbench(*arguments)
        assert ran.code == Exit.PROBLEMS, arguments
        assert "fault of ours" not in ran.err


@pytest.mark.parametrize("form", ["html", "md", "csv", "json", "junit"])
def test_that_a_bundle_is_reported_in_every_form_without_sensitive_texts(
    form: str, packbench: Callable[..., Any], qualified: Callable[..., Path], tmp_path: Path
) -> None:
    """W6: no form shows what a sensitive case said, in any column, unless asked for."""
    bundle = str(qualified("etalon-demo-quantized", "q"))
    secret = next(c for c in require_pack(SAMPLES / "housing-routing").cases["qualification"] if c.sensitive)
    target = tmp_path / f"report.{'xml' if form == 'junit' else form}"
    assert packbench("report", bundle, "--format", form, "--out", str(target)).code == Exit.DONE
    assert secret.user_text not in target.read_text(encoding="utf-8-sig")
    assert packbench("verify", bundle).code == Exit.DONE


def test_that_rescore_takes_a_bundle_folder_too(
    packbench: Callable[..., Any], qualified: Callable[..., Path]
) -> None:
    ran = packbench("rescore", str(qualified()))
    assert ran.code == Exit.DONE
    assert "numbers are the same" in ran.out


def test_that_init_makes_a_qualification_pack_from_the_sample_or_a_task_pack(
    packbench: Callable[..., Any], tmp_path: Path
) -> None:
    """W17: more than one beginning."""
    for number, more in enumerate(
        ([], ["--from", "demo"], ["--template", "contact-routing"], ["--from", "ticket-routing"])
    ):
        folder = tmp_path / f"New Pack {number}"
        ran = packbench("init", str(folder), "--kind", "qualification", *more)
        assert ran.code == Exit.DONE, ran.err
        assert packbench("validate", str(folder), "--strict").code == Exit.DONE
        assert packbench("init", str(folder), "--kind", "qualification", *more).code == Exit.PROBLEMS
    assert packbench("init", str(tmp_path / "x"), "--from", "housing-routing").code == Exit.USAGE
    assert packbench("pack", "init", str(tmp_path / "y"), "--kind", "qualification").code == Exit.DONE


def test_that_validate_tells_cases_content_and_the_format_s_own_paths(
    packbench: Callable[..., Any], tmp_path: Path
) -> None:
    good = json.loads(packbench("validate", "housing-routing", "--json").out)
    assert good["ok"] is True
    assert good["qualification_cases"] == 76
    assert good["content_sha256"].startswith("sha256:")
    packbench("init", str(tmp_path / "p"), "--kind", "qualification")
    file = tmp_path / "p" / "pack.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("top_p: 1.0", "top_p: 3"), encoding="utf-8")
    bad = json.loads(packbench("validate", str(tmp_path / "p"), "--json").out)
    (found,) = bad["diagnostics"]
    assert (found["path"], found["rule"]) == ("pack.yaml.sampling.top_p", "schema")
    assert bad["problems"][0]["line"] is not None


def test_that_one_case_can_be_shown_and_tried_without_a_bundle(
    packbench: Callable[..., Any], server: MockServer, tmp_path: Path
) -> None:
    """W17: a preview of a case's request, and a run of a single case."""
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Route it.", encoding="utf-8")
    case = ["--only", "TQ-0003", "--endpoint", server.address, "--system-prompt", str(prompt)]
    shown = packbench("qualify", "housing-routing", *case, "--dry-run")
    assert shown.code == Exit.DONE
    assert "Route it." in shown.out
    assert server.requests == 0
    tried = packbench("qualify", "housing-routing", *case, "--model", "etalon-demo-quantized")
    assert tried.code == Exit.DONE
    assert "[label_mismatch]" in tried.out
    assert "expected heating" in tried.out
    document = json.loads(packbench("qualify", "housing-routing", *case, "--model", "m", "--json").out)
    assert [row["passed"] for row in document["rows"]] == [True] * 4
    wrong = packbench(
        "qualify", "housing-routing", "--only", "TQ-3", "--endpoint", server.address, "--model", "m"
    )
    assert wrong.code == Exit.PROBLEMS
    assert "Did you mean" in wrong.err
    assert list(tmp_path.iterdir()) == [prompt]


def test_that_commands_offer_every_format_of_the_one_table(
    packbench: Callable[..., Any], qualified: Callable[..., Path], tmp_path: Path
) -> None:
    bundle = str(qualified())
    offered = packbench("report", "--help").out
    for renderer in command_context(Terminal(sys.stdout, sys.stderr, {}), user_paths(), None).renderers():
        assert renderer.name in offered
        ran = packbench("report", bundle, "--format", renderer.name, "--out", str(tmp_path))
        known = renderer.render_qualification is not None
        assert ran.code == (Exit.DONE if known else Exit.USAGE)
        assert bool(list(tmp_path.glob(f"packbench-qualification-*{renderer.suffix}"))) is known


def forged(bundle: Path, changes: dict[str, bytes]) -> None:
    """The files changed, another decision written down, and all digests made anew: as a forger would."""
    for name, content in changes.items():
        (bundle / name).write_bytes(content)
    for name in ("decision.json", "manifest.json"):
        if name not in changes:
            told = (bundle / name).read_bytes()
            (bundle / name).write_bytes(told.replace(b'"QUALIFIED"', b'"NOT_QUALIFIED"'))
    listed = {name: digest((bundle / name).read_bytes()) for name in HASHED if (bundle / name).exists()}
    (bundle / "hashes.json").write_bytes(document({"algorithm": "sha256", "files": listed}))
    (bundle / "signature.json").unlink(missing_ok=True)


READ_AGAIN = (
    "manifest.json",
    "outputs.jsonl",
    "results.jsonl",
    "metrics.json",
    "coverage.json",
    "pack_summary.json",
    "failures.json",
    "decision.json",
)


@pytest.mark.parametrize("name", READ_AGAIN)
def test_that_a_score_that_cannot_be_made_again_is_never_taken_for_good(
    packbench: Callable[..., Any], qualified: Callable[..., Path], tmp_path: Path, name: str
) -> None:
    bundle = qualified()
    assert (
        packbench("keygen", "--private", str(tmp_path / "ann.key"), "--public", str(tmp_path / "ann.pub")).code
        == Exit.DONE
    )
    content = (bundle / name).read_bytes()
    for damage in (content + b"x", content[: len(content) // 2], b"null\n", b"[]\n", b'{"a": 1e999}\n', b""):
        forged(bundle, {name: damage})
        for command in ("verify", "rescore", "inspect"):
            ran = packbench(command, str(bundle))
            assert ran.code == Exit.PROBLEMS, (command, damage[-20:], ran.out)
            assert "fault of ours" not in ran.err
        ran = packbench("sign", str(bundle), "--key", str(tmp_path / "ann.key"))
        assert ran.code == Exit.PROBLEMS
        assert not (bundle / "signature.json").exists()


def test_that_what_hinders_the_scores_is_named(
    packbench: Callable[..., Any], qualified: Callable[..., Path]
) -> None:
    bundle = qualified()
    forged(bundle, {"outputs.jsonl": (bundle / "outputs.jsonl").read_bytes() + b"x"})
    ran = packbench("verify", str(bundle))
    assert "could not be scored again" in " ".join(ran.out.split())
    assert "Untouched" not in ran.out
    assert json.loads(packbench("verify", str(bundle), "--json").out)["rescore_hindered_by"]
