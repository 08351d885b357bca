"""Each kind of report against its golden file, and what must hold for any run."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from desktop.reports.data import ReportData
from desktop.reports.renderers import default_name, standard_renderers, write_report
from packs.errors import AppError
from tests.fakes.reported_run import invoice_run, reported_run

GOLDEN = Path(__file__).parents[2] / "golden" / "reports"
RUNS = {"triage": reported_run, "invoice": invoice_run}
RENDERERS = standard_renderers()


def rendered(name: str, data: ReportData) -> str:
    return RENDERERS[name].render(data).decode("utf-8-sig")


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("form", ["html", "md", "json", "csv", "junit"])
def test_that_a_report_is_as_it_was_looked_at(run: str, form: str, remake_golden: bool) -> None:
    golden = GOLDEN / f"{run}{RENDERERS[form].suffix}"
    content = RENDERERS[form].render(RUNS[run]())
    if remake_golden:
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_bytes(content)
    assert content == golden.read_bytes(), "look at the difference, then remake with --remake-golden"


class _Reader(HTMLParser):
    """Collects what a browser would see."""

    VOID = frozenset({"meta", "col", "br", "hr", "img", "input", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.message: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.message.append(data)


def read_html(data: ReportData) -> _Reader:
    reader = _Reader()
    reader.feed(rendered("html", data))
    reader.close()
    assert not reader.open
    return reader


@pytest.mark.parametrize("run", RUNS)
def test_that_the_page_runs_and_loads_nothing(run: str) -> None:
    page = read_html(RUNS[run]())
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "iframe", "object", "embed", "link", "img", "form", "base"}
    for _, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("href", "src", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")


@pytest.mark.parametrize("run", RUNS)
def test_that_headings_do_not_skip_a_level(run: str) -> None:
    levels = [int(tag[1]) for tag, _ in read_html(RUNS[run]()).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("run", RUNS)
def test_that_every_table_head_names_its_direction(run: str) -> None:
    heads = [attributes for tag, attributes in read_html(RUNS[run]()).tags if tag == "th"]
    assert heads and all(attributes.get("scope") in ("col", "row") for attributes in heads)


def test_that_every_picture_has_words() -> None:
    pictures = [attributes for tag, attributes in read_html(reported_run()).tags if tag == "svg"]
    assert pictures
    assert all(entry.get("aria-label") or entry.get("aria-hidden") == "true" for entry in pictures)


def test_that_the_answer_stands_before_everything_else() -> None:
    message = "".join(read_html(reported_run()).message)
    assert message.index("Use SmolLM2-360M") < message.index("Right answers against memory")


@pytest.mark.parametrize("form", ["html", "md"])
def test_that_an_unreviewed_draft_is_named_before_its_answer(form: str) -> None:
    shown = rendered(form, invoice_run())
    assert shown.index("Not reviewed") < shown.index("No model is good enough")


@pytest.mark.parametrize("form", ["html", "md"])
def test_that_every_failing_example_is_shown_with_its_input_and_cause(form: str) -> None:
    shown = rendered(form, reported_run())
    failing = {unit.example for unit in reported_run().units if unit.outcome and unit.outcome.passed is False}
    assert all(f"Example {example}" in shown for example in failing)
    assert "answer cut" in shown and "out of memory" in shown and "Bold marks around the label." in shown


def test_that_nothing_of_this_machine_goes_into_a_report() -> None:
    for form in RENDERERS.names:
        if form not in ("bundle", "xlsx"):
            assert "/home/anna" not in rendered(form, reported_run())


HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=y>|`\u202e=1+1"


def hostile(value: Any) -> Any:
    """The same record with something nasty in front of every text that comes from outside."""
    if is_dataclass(value) and not isinstance(value, type):
        kept = {"id", "started_at", "finished_at", "created_at", "example", "letter"}
        changes = {
            entry.name: hostile(getattr(value, entry.name))
            for entry in fields(value)
            if entry.init and entry.name not in kept
        }
        return replace(value, **changes)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(hostile(entry) for entry in value)
    if isinstance(value, dict):
        return {key: hostile(entry) for key, entry in value.items()}
    return HOSTILE + value if type(value) is str else value


@pytest.mark.parametrize("run", RUNS)
def test_that_no_text_from_outside_becomes_a_tag_anywhere(run: str) -> None:
    data = hostile(RUNS[run]())
    assert data.candidates[0].name.startswith(HOSTILE)
    page = read_html(data)
    assert not {tag for tag, _ in page.tags} & {"script", "img"}
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    root = ElementTree.fromstring(rendered("junit", data).encode())
    assert {element.tag for element in root.iter()} <= _JUNIT
    prose = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", rendered("md", data))
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in prose.splitlines() if line[:2] == "| "} <= {10, 6}
    assert not re.findall(r"(?<!\\)<(?!sup>|/sup>)", prose)


_JUNIT = {"testsuites", "testsuite", "testcase", "failure", "error", "skipped", "properties", "property"}


def test_that_footnotes_go_on_beyond_twenty_six() -> None:
    data = reported_run()
    view = replace(data.candidates[0], notes=tuple(f"Remark {number}." for number in range(40)))
    shown = rendered("md", replace(data, candidates=(view, *data.candidates[1:])))
    row = next(line for line in shown.splitlines() if line.startswith("| gemma-3-1b"))
    assert "40" in row and row.count(" | ") == 8
    assert "\n40. Remark 39." in shown


def test_that_no_cell_of_the_table_of_answers_is_a_formula() -> None:
    rows = list(csv.reader(io.StringIO(rendered("csv", invoice_run()), newline="")))
    assert len(rows) == 11 and all(len(row) == len(rows[0]) for row in rows)
    assert not [cell for row in rows for cell in row if cell.lstrip()[:1] in ("=", "+", "@")]


def test_that_the_json_document_tells_the_recommendation_and_every_unit() -> None:
    document = json.loads(rendered("json", reported_run()))
    assert document["answer"]["recommended"] == "SmolLM2-360M"
    assert len(document["units"]) == 150
    assert document["candidates"][4]["interval_95"] is None


def test_that_build_servers_see_failures_errors_and_skipped_apart() -> None:
    root = ElementTree.fromstring(rendered("junit", reported_run()).encode())
    last = root[-1]
    assert (last.get("failures"), last.get("errors"), last.get("skipped")) == ("0", "3", "25")
    assert root[0].get("failures") == "2"


def test_that_a_lone_half_of_a_character_pair_spoils_no_report() -> None:
    data = reported_run()
    broken = replace(data.examples[0], input="\ud83d broken \udc00")
    data = replace(data, examples=(broken, *data.examples[1:]))
    for renderer in RENDERERS:
        assert renderer.render(data)


def test_that_a_run_without_models_or_answers_still_has_a_report() -> None:
    data = replace(reported_run(), candidates=(), units=())
    for renderer in RENDERERS:
        assert renderer.render(data)


def test_that_a_report_replaces_the_old_file_whole(tmp_path: Path) -> None:
    target = tmp_path / "new" / "report.md"
    data = reported_run()
    assert write_report(data, RENDERERS["md"], target) == target
    assert target.read_bytes() == RENDERERS["md"].render(data)
    assert [entry.name for entry in target.parent.iterdir()] == ["report.md"]


def test_that_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(AppError, match="cannot be written") as caught:
        write_report(reported_run(), RENDERERS["md"], tmp_path / "file" / "report.md")
    assert caught.value.code == "disk"


def test_that_file_names_carry_the_run() -> None:
    data = reported_run()
    assert default_name(data, RENDERERS["md"]) == "packbench-report-7f3a9c1e.md"
    assert default_name(data, RENDERERS["bundle"]) == "packbench-bundle-7f3a9c1e.zip"


@pytest.mark.parametrize("run", RUNS)
def test_that_every_way_into_the_page_leads_somewhere(run: str) -> None:
    page = read_html(RUNS[run]())
    marks = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    targets = [str(attributes["href"])[1:] for tag, attributes in page.tags if tag == "a"]
    assert targets and set(targets) <= set(marks) and len(marks) == len(set(marks))


@pytest.mark.parametrize("form", ["html", "md", "json", "csv", "junit"])
def test_that_every_rendering_says_that_a_drafted_pack_is_not_reviewed(form: str) -> None:
    label = "Not reviewed. Drafted by tiny from runbook.docx."
    data = replace(RUNS["triage"](), label=label)
    assert label.removeprefix("Not reviewed. ") in rendered(form, data)
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(rendered(form, data).lstrip("\ufeff"))))
        assert {row["not_reviewed"] for row in rows} == {label}
        assert "not_reviewed" not in rendered(form, replace(data, label=""))
