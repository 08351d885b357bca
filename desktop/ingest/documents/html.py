"""HTML to text: no scripts, no styles, nothing hidden, tables row by row. Nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

from desktop.ingest.documents.model import DocumentText, ReadBudget, document, paragraphs
from desktop.ingest.encoding import decode

_SKIPPED = frozenset({"script", "style", "head", "template", "noscript", "svg", "math", "iframe", "object"})
_VOID = frozenset(
    {"br", "hr", "img", "input", "meta", "link", "wbr", "col", "area", "base", "source", "track", "embed"}
)
_BLOCK = frozenset(
    {
        *(
            "p",
            "div",
            "section",
            "article",
            "header",
            "footer",
            "main",
            "aside",
            "nav",
            "ul",
            "ol",
            "dl",
            "table",
        ),
        *(
            "blockquote",
            "pre",
            "form",
            "figure",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "hr",
            "address",
            "fieldset",
        ),
    }
)
_LINE = frozenset({"li", "tr", "br", "dt", "dd", "caption", "option"})


_PIECE = 65_536
"""Characters read between two looks at the time."""
_MOST_UNCLOSED = 20
_SHORT = 2_000
"""Characters: what never closes is tried sign by sign by the library, so only so much of it is left to it."""


class HtmlReader:
    kind = "web page"
    suffixes = (".html", ".htm", ".xhtml")

    def takes(self, file: Path, data: bytes) -> bool:
        start = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        return file.suffix.lower() in self.suffixes or start.startswith((b"<!doctype html", b"<html"))

    def read(self, file: Path, data: bytes, budget: ReadBudget) -> DocumentText:
        text = html_to_text(decode(data, name=file.name).text, lambda: budget.check(file.name))
        return document(file, data, self.kind, paragraphs(text))


def html_to_text(source: str, check: Callable[[], None] = lambda: None) -> str:
    """Visible text with blank lines between blocks; cells of a table row are joined by ' | '.

    check: asked between pieces; ends the reading by raising.
    """
    parser = _TextParser()
    parser.feed_all(source, check)
    return parser.text()


class _TextParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._skipping: list[str] = []
        self._preformatted = 0

    def feed_all(self, source: str, check: Callable[[], None]) -> None:
        """Read it to its end, in pieces.

        A mark that never closes hides what follows. As browsers do with most of them, the text goes on behind
        its first sign; a document of nothing but such marks would take hours, and is given up after a few.
        """
        self._feed_pieces(source, check)
        for _ in range(_MOST_UNCLOSED):
            rest = self.rawdata
            if len(rest) <= _SHORT or self.cdata_elem is not None or not rest.startswith("<"):
                break
            self.rawdata = ""
            self.handle_data("<")
            self._feed_pieces(rest[1:], check)
        if len(self.rawdata) > _SHORT:
            self.rawdata = ""
        self.close()

    def _feed_pieces(self, source: str, check: Callable[[], None]) -> None:
        start = 0
        while start < len(source):
            check()
            # Cut before a mark, so that a stretch of text stays in one piece.
            end = source.find("<", start + _PIECE)
            end = len(source) if end < 0 else end
            self.feed(source[start:end])
            start = end

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        style = next((value or "" for name, value in attrs if name == "style"), "").replace(" ", "").casefold()
        hidden = "hidden" in names or "display:none" in style
        if self._skipping or tag in _SKIPPED or hidden:
            # An element without an end tag would otherwise hide all that follows.
            if tag not in _VOID:
                self._skipping.append(tag)
            return
        if tag in _BLOCK:
            self._parts.append("\n\n")
        elif tag in _LINE:
            self._parts.append("\n- " if tag == "li" else "\n")
        elif tag in ("td", "th"):
            self._parts.append(" | ")
        if tag == "pre":
            self._preformatted += 1

    def handle_endtag(self, tag: str) -> None:
        if self._skipping:
            if tag in self._skipping:
                while self._skipping and self._skipping.pop() != tag:
                    pass
            return
        if tag in _BLOCK:
            self._parts.append("\n\n")
        if tag == "pre" and self._preformatted:
            self._preformatted -= 1

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """Passed over: position after `<![…]>`, or -1 when it never ends. The library fails on unknown ones."""
        mark = "]]>" if self.rawdata.startswith("<![CDATA[", i) else ">"
        end = self.rawdata.find(mark, i)
        return end if end < 0 else end + len(mark)

    def handle_data(self, data: str) -> None:
        if self._skipping:
            return
        self._parts.append(data if self._preformatted else _one_line(data))

    def text(self) -> str:
        lines = "".join(self._parts).split("\n")
        return "\n".join(line.strip().removeprefix("| ") for line in lines)


def _one_line(data: str) -> str:
    """Blanks folded, one kept at each end where there was any, so that words do not run together."""
    words = " ".join(data.split())
    if not words:
        return " " if data else ""
    return (" " if data[0].isspace() else "") + words + (" " if data[-1].isspace() else "")
