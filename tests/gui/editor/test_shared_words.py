"""The place in a passage that a drafted example comes from, in any script."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.examples.review_section import ReviewSection
from desktop.gui.editor.examples.shared_words import shared_piece
from packs.task.content import read_content
from packs.task.review import REVIEW_FILE, Review, ReviewedExample, ReviewState, SourcePassage, review_bytes


@pytest.mark.parametrize(
    ("passage", "drafted", "piece"),
    [
        (
            "Call us. The lamp in room 4 flickers. Bye.",
            "Hello, the lamp in room 4 is out",
            "The lamp in room 4",
        ),
        ("The lamp in\nroom 4 flickers", "the lamp in room 4", "The lamp in\nroom 4"),
        (
            "受付時間は九時から五時までです。鍵は管理人室にあります。",
            "すみません、鍵は管理人室にありますか",
            "鍵は管理人室にあります",
        ),
        ("\U0001f600 المفتاح عند الحارس في الطابق الأول", "أين المفتاح عند الحارس", "المفتاح عند الحارس"),
        ("ÖFFNUNGSZEITEN heute", "öffnungszeiten von Montag", "ÖFFNUNGSZEITEN"),
        ("quite other words", "nothing shared", None),
        ("", "x", None),
        ("x", "", None),
        ("a b", "a b", "a b"),
    ],
)
def test_that_the_longest_shared_piece_is_found(passage: str, drafted: str, piece: str | None) -> None:
    found = shared_piece(passage, drafted)
    assert (None if found is None else passage[found[0] : found[0] + found[1]].strip()) == piece


@pytest.mark.parametrize(
    ("passage", "drafted", "marked"),
    [
        ("😀 受付は五時まで。\n鍵は管理人室にあります。", "鍵は管理人室にありますか", "鍵は管理人室にあります"),
        ("الأول\nالمفتاح عند الحارس", "أين المفتاح عند الحارس", "المفتاح عند الحارس"),
        ("Nothing of it", "受付", ""),
    ],
)
def test_that_the_review_marks_the_place_in_the_source(
    services: WindowServices, qtbot: QtBot, pack_folder: Path, passage: str, drafted: str, marked: str
) -> None:
    content = read_content(pack_folder)
    review = Review(
        "notes.md",
        "abc",
        {"p1": SourcePassage(passage, "line 1")},
        {
            name: ReviewedExample(ReviewState.DRAFTED, text, "billing", ("p1",))
            for name, text in (("001", drafted), ("002", passage[:5]))
        },
    )
    content.apply(content.put_files({REVIEW_FILE: review_bytes(review)}, "review"))
    document = PackDocument(pack_folder, content)
    section = ReviewSection(services.theme, document)
    qtbot.addWidget(section)
    assert section.source.textCursor().selectedText().strip() == marked
    section.show_id("002")
    assert section.source.textCursor().selectedText().strip() == passage[:5].strip(), "from the same passage"
