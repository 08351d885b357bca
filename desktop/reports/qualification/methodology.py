"""Renders a pack's methodology, which is Markdown: headings, paragraphs, lists, tables, code, emphasis.

Text from a pack is data. HTML, links and images stay visible text as they were written: nothing is loaded and
no address is followed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from desktop.reports import text
from packs.qualification.anchors import heading_slug

ANCHOR_PREFIX = "m-"
MAX_CHARACTERS = 100_000
"""Of one methodology in a report, about a second at the worst; the bundle has it whole."""
_MAX_NESTING = 20
_ANCHOR = re.compile(r"\s*\{#([A-Za-z0-9_-]+)\}\s*$")
_RULES = ("table", "fence", "heading", "list", "code", "hr", "blockquote", "lheading", "paragraph")
_INLINE = ("text", "newline", "escape", "backticks", "emphasis", "entity", "balance_pairs")


class _Renderer(RendererHTML):
    """The library's renderer, with the reports' way of escaping, which boxes invisible characters."""

    def text(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return text.html(tokens[idx].content)

    def code_inline(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return f"<code>{text.html(tokens[idx].content)}</code>"

    def code_block(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return f"<pre>{text.html(tokens[idx].content.removesuffix(chr(10)))}</pre>"

    def fence(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return self.code_block(tokens, idx)

    def softbreak(self, *_: object) -> str:
        return " "

    def table_open(self, *_: object) -> str:
        return '<div class="scroll"><table>'

    def table_close(self, *_: object) -> str:
        return "</table></div>"


def methodology_html(source: str) -> str:
    """HTML for the inside of a section; headings begin at h3 and carry their anchors."""
    markdown = MarkdownIt("zero", {"html": False, "maxNesting": _MAX_NESTING}, renderer_cls=_Renderer)
    markdown.enable([*_RULES, *_INLINE], ignoreInvalid=True)
    shown = source[:MAX_CHARACTERS]
    tokens = markdown.parse(shown)
    for at, token in enumerate(tokens):
        token.block = False  # no line ends between the elements
        if token.type == "heading_open":
            _head(token, tokens[at + 1], tokens[at + 2])
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            token.attrs = {"class": "list", **({"start": first} if (first := token.attrs.get("start")) else {})}
        elif token.type in ("th_open", "td_open"):
            token.attrs = {"scope": "col"} if token.tag == "th" else {}
    rest = len(source) - len(shown)
    cut = f'<p class="small">Cut here: {rest:,} more characters.</p>' if rest else ""
    return str(markdown.renderer.render(tokens, markdown.options, {})) + cut


def _head(begin: Token, inside: Token, end: Token) -> None:
    """Two levels lower than in the file, below the section's own heading; with the anchor for references."""
    begin.tag = end.tag = f"h{min(6, int(begin.tag[1:]) + 2)}"
    named = _ANCHOR.search(inside.content)
    begin.attrs = {"id": ANCHOR_PREFIX + (named[1] if named else heading_slug(inside.content))}
    if named and inside.children and inside.children[-1].type == "text":
        inside.children[-1].content = _ANCHOR.sub("", inside.children[-1].content)
