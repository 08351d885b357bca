"""The outline counts at the first picture, before its pages are there, and counts the same afterwards."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.application.opened_pack import read_pack
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.editor_page import EditorPage
from desktop.gui.editor.editor_pages import TITLES
from desktop.gui.editor.likely_page import likely_page
from packs.task.content import PackContent, read_content
from packs.task.loader import load_pack
from tests.fakes.faults import FAULTS, pack_files


def written(code: str, folder: Path) -> Path:
    for name, data in pack_files(FAULTS[code]).items():
        target = Path(os.fsdecode(folder / name))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder


@pytest.mark.parametrize("code", sorted(FAULTS))
def test_that_the_page_of_every_kind_of_problem_is_known_beforehand(code: str, tmp_path: Path) -> None:
    fault = FAULTS[code]
    folder = written(code, tmp_path / "pack")
    files = pack_files(fault)
    content = read_content(folder) if "task.yaml" in files else PackContent(files)
    found = [problem for problem in load_pack(folder).problems if problem.code == code]
    assert found
    assert TITLES[likely_page(found[0], content)] == fault.lead.page


@pytest.mark.parametrize("code", ["no_placeholder", "unknown_scorer", "not_reviewed", "few_examples"])
def test_that_the_outline_counts_at_once_and_stays_as_it_is(
    code: str, services: WindowServices, qtbot: QtBot, tmp_path: Path
) -> None:
    opened = read_pack(written(code, tmp_path / "pack"))
    assert opened.content is not None
    document = PackDocument(opened.folder, opened.content)
    page = EditorPage(services, document, problems=opened.problems, rows=opened.example_rows)
    document.setParent(page)
    qtbot.addWidget(page)
    assert not page.pages.complete
    first = [(entry.problems, entry.hints) for entry in page.outline.entries]
    assert sum(problems + hints for problems, hints in first) == len(opened.problems) > 0
    page.show()
    qtbot.waitUntil(lambda: page.pages.complete)
    assert [(entry.problems, entry.hints) for entry in page.outline.entries] == first
    page.close_document()
