"""Documents as people have them: notes, mail, Word, PDF; and files that only pretend to be documents."""

from __future__ import annotations

import hashlib
import zipfile
from email.message import EmailMessage
from pathlib import Path

import docx
import pytest

from desktop.ingest.documents import read_document
from desktop.ingest.documents.html import html_to_text
from desktop.ingest.documents.model import ReadBudget
from desktop.ingest.tables.examples import build_examples
from desktop.ingest.tables.proposal import propose
from desktop.ingest.tables.read import read_table
from packs.errors import AppError


def pdf_with(pages: list[str]) -> bytes:
    """A small PDF written by hand: one line of text a page, or a page without text for an empty string."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode() if text else b"0 0 m 10 10 l S"
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        font = b"<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents %d 0 R /Resources << /Font %s >> >>"
            % (len(objects), font)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)


def saved(tmp_path: Path, name: str, content: bytes | str) -> Path:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def code_of(file: Path) -> str:
    with pytest.raises(AppError) as caught:
        read_document(file)
    assert caught.value.fix
    return caught.value.code


def test_that_text_becomes_passages_that_know_their_line(tmp_path: Path) -> None:
    content = "Opening hours\n\nWe open at nine.\nWe close at five.\n\n\nEnd"
    document = read_document(saved(tmp_path, "notes.txt", content))
    assert [(passage.where, passage.text) for passage in document.passages] == [
        ("line 1", "Opening hours"),
        ("line 3", "We open at nine.\nWe close at five."),
        ("line 7", "End"),
    ]
    assert document.sha256 == hashlib.sha256(content.encode()).hexdigest()


def test_that_old_encodings_are_read(tmp_path: Path) -> None:
    assert "Grüße" in read_document(saved(tmp_path, "notes.md", "Grüße aus Köln".encode("windows-1252"))).text


def test_that_html_keeps_what_a_reader_sees_and_drops_the_rest() -> None:
    text = html_to_text(
        "<html><head><title>t</title><style>p{}</style></head><body><h1>Rules</h1>"
        "<script>alert(1)</script>"
        "<p hidden>secret<br>more</p><p>One <b>bold</b> word &amp; more</p>"
        "<ul><li>first</li><li>second</li></ul>"
        "<table><tr><td>a</td><td>b</td></tr></table><div style='display: none'>gone</div></body></html>"
    )
    assert "One bold word & more" in text
    assert "- first\n- second" in text
    assert "a | b" in text
    for gone in ("alert", "secret", "more</p>", "gone", "p{}"):
        assert gone not in text


def test_that_a_word_document_is_read_in_order_with_its_tables(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_heading("Desk rules", level=2)
    made.add_paragraph("Before the table.")
    table = made.add_table(rows=2, cols=2)
    for row, cells in zip(table.rows, [("Message", "Team"), ("Lamp broken", "returns")], strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    made.add_paragraph("After the table.")
    file = tmp_path / "rules.docx"
    made.save(file)
    document = read_document(file)
    assert [passage.text for passage in document.passages] == [
        "## Desk rules",
        "Before the table.",
        "Message | Team\nLamp broken | returns",
        "After the table.",
    ]
    assert document.passages[2].where == "table 1"


def test_that_examples_in_a_table_of_a_word_document_are_found(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_table(rows=1, cols=1)
    rows = [("Message", "Team"), ("My lamp is broken", "returns"), ("Where is my parcel", "delivery")]
    table = made.add_table(rows=len(rows), cols=2)
    for row, cells in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    file = tmp_path / "examples.docx"
    made.save(file)
    read = read_table(file)
    assert read.sheets == ("Table 1", "Table 2")
    assert read.format.sheet == "Table 2"
    mapping = propose(read).mapping
    assert mapping is not None
    examples = build_examples(read, mapping).examples
    assert [(example.input, example.expected) for example in examples] == rows[1:]


def test_that_a_pdf_gives_its_text_page_by_page_and_names_pages_without_any(tmp_path: Path) -> None:
    document = read_document(saved(tmp_path, "manual.pdf", pdf_with(["First page", "", "Third page"])))
    assert [(passage.where, passage.text) for passage in document.passages] == [
        ("page 1", "First page"),
        ("page 3", "Third page"),
    ]
    assert document.pages == 3
    assert document.left_out == ("Without text, probably pictures: page 2.",)


def test_that_a_scan_is_said_to_be_one(tmp_path: Path) -> None:
    assert code_of(saved(tmp_path, "scan.pdf", pdf_with(["", ""]))) == "scan"


def test_that_mail_gives_header_and_text_and_names_attachments(tmp_path: Path) -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "anna@example.org", "Broken lamp"
    message.set_content("The lamp is broken.\n\nAnna")
    message.add_alternative("<p>The <b>lamp</b> is broken.</p>", subtype="html")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="lamp.png")
    document = read_document(saved(tmp_path, "mail.eml", message.as_bytes()))
    assert "Subject: Broken lamp" in document.text
    assert "<b>" not in document.text
    assert document.left_out == ("Attachment not read: lamp.png.",)


def test_that_mail_with_only_html_and_an_odd_charset_is_read(tmp_path: Path) -> None:
    raw = b"Subject: x\r\nContent-Type: text/html; charset=nonsense\r\n\r\n<p>Hello</p>"
    assert "Hello" in read_document(saved(tmp_path, "mail.eml", raw)).text


def test_that_a_table_is_also_a_document(tmp_path: Path) -> None:
    document = read_document(
        saved(tmp_path, "cases.csv", "question,team\nWhere is it,delivery\nIt broke,returns\n")
    )
    assert document.passages[0].text == "question: Where is it\nteam: delivery"
    assert document.passages[0].where == "row 2"


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("empty.md", b"", "empty_file"),
        ("blank.md", b"  \n \n", "no_text"),
        ("photo.jpg", b"\xff\xd8\xff\xe0" + bytes(range(256)) * 4, "not_text"),
        ("cut.pdf", pdf_with(["x"])[:90], "damaged"),
        ("fake.pdf", b"%PDF-1.7\n" + b"garbage " * 50, "damaged"),
        ("fake.docx", b"PK\x03\x04" + b"\0" * 100, "damaged"),
    ],
)
def test_that_what_cannot_be_read_is_a_sentence(tmp_path: Path, name: str, content: bytes, code: str) -> None:
    assert code_of(saved(tmp_path, name, content)) == code


@pytest.mark.parametrize("content", ["<p>a<![foo bar]>b</p>", "<p>a<![>b</p>", "<p>a<![CDATA[ x > y ]]>b</p>"])
def test_that_odd_marks_of_a_web_page_are_passed_over(content: str) -> None:
    assert html_to_text(content).strip() == "ab"


@pytest.mark.parametrize("sender", [b"a@[", b"<@", b"a <b@", b'"', b"@,:;<>[]", b"=?x?q?=?="])
def test_that_a_mail_with_an_odd_sender_is_read_all_the_same(tmp_path: Path, sender: bytes) -> None:
    content = b"From: " + sender + b"\r\nSubject: hello\r\n\r\nThe printer is broken.\r\n"
    text = read_document(saved(tmp_path, "mail.eml", content)).text
    assert "Subject: hello" in text
    assert text.endswith("The printer is broken.")


def test_that_a_mail_in_an_encoding_that_is_none_is_read_all_the_same(tmp_path: Path) -> None:
    content = b"Subject: hello\r\nContent-Type: text/plain; charset=utf\0-8\r\n\r\nThe printer is broken.\r\n"
    assert read_document(saved(tmp_path, "mail.eml", content)).text.endswith("The printer is broken.")


def test_that_a_mail_without_headers_is_read(tmp_path: Path) -> None:
    assert (
        read_document(saved(tmp_path, "mail.eml", "\nThe printer is broken.\n")).text
        == "The printer is broken."
    )


def test_that_headers_without_end_are_cut(tmp_path: Path) -> None:
    content = (
        b"From: " + b"(" * 20_000 + b"\r\nSubject: " + b"=?utf-8?q?a?= " * 20_000 + b"\r\n\r\nHello there."
    )
    text = read_document(saved(tmp_path, "mail.eml", content)).text
    assert len(text) < 10_000
    assert text.endswith("Hello there.")


def test_that_an_attached_mail_is_not_taken_for_the_text(tmp_path: Path) -> None:
    inner = EmailMessage()
    inner.set_content("An old complaint.")
    mail = EmailMessage()
    mail["Subject"] = "hello"
    mail.set_content("<p>The printer is broken.</p>", subtype="html")
    mail.add_attachment(inner)
    document = read_document(saved(tmp_path, "mail.eml", mail.as_bytes()))
    assert "The printer is broken." in document.text
    assert "An old complaint." not in document.text
    assert any(message.startswith("Attachment not read") for message in document.left_out)


@pytest.mark.parametrize("mark", ["<!--", "<a ", "<![CDATA[", "<a b='", "</", "<script>"])
def test_that_marks_that_never_close_are_read_in_bounded_time(tmp_path: Path, mark: str) -> None:
    looks = 0

    def check() -> None:
        nonlocal looks
        looks += 1

    text = html_to_text("<p>Hello.</p>" + mark * 20_000, check)
    assert text.strip().startswith("Hello.")
    assert looks < 100


def test_that_text_behind_an_unclosed_mark_is_still_read() -> None:
    assert "and the end" in html_to_text("<p>Begin <a href='x " + "<p>words</p>" * 300 + "<p>and the end</p>")


def test_that_a_web_page_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    ticks = iter(range(0, 1000, 40))
    budget = ReadBudget(60, now=lambda: float(next(ticks)))
    with pytest.raises(AppError) as caught:
        read_document(saved(tmp_path, "page.html", "<p>word</p>" * 40_000), budget)
    assert caught.value.code == "too_slow"


def test_that_a_zip_named_docx_is_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "notes.docx"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("hello.txt", "hello")
    assert code_of(file) == "damaged"


def test_that_a_document_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    ticks = iter(range(0, 1000, 40))
    budget = ReadBudget(60, now=lambda: float(next(ticks)))
    with pytest.raises(AppError) as caught:
        read_document(saved(tmp_path, "manual.pdf", pdf_with(["a", "b", "c"])), budget)
    assert caught.value.code == "too_slow"
