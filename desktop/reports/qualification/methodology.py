"""Renders a pack's methodology: a small, safe part of Markdown. What is not known stays text.

Headings, paragraphs, lists, tables, code, emphasis. No links, no images, no HTML from the pack: text is data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from desktop.reports import text
from packs.qualification.anchors import heading_slug

ANCHOR_PREFIX = "m-"
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*(?:\{#([A-Za-z0-9_-]+)\})?\s*$")
_BULLET = re.compile(r"^\s*[-*+]\s+(.*)$")
_NUMBER = re.compile(r"^\s*\d+[.)]\s+(.*)$")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])")


def methodology_html(source: str) -> str:
    """HTML for the inside of a section; headings begin at h3 and carry their anchors."""
    return "".join(_blocks(source.splitlines()))


def inline(source: str) -> str:
    """Escaped, with code, strong and emphasis."""
    parts: list[str] = []
    at = 0
    for match in _INLINE.finditer(source):
        parts.append(text.html(source[at : match.start()]))
        code, strong, emphasis = match.groups()
        if code is not None:
            parts.append(f"<code>{text.html(code)}</code>")
        elif strong is not None:
            parts.append(f"<strong>{text.html(strong)}</strong>")
        else:
            parts.append(f"<em>{text.html(emphasis)}</em>")
        at = match.end()
    parts.append(text.html(source[at:]))
    return "".join(parts)


def _blocks(lines: list[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.lstrip().startswith("```"):
            end = next(
                (n for n in range(at + 1, len(lines)) if lines[n].lstrip().startswith("```")), len(lines)
            )
            yield f"<pre>{text.html(chr(10).join(lines[at + 1 : end]))}</pre>"
            at = end + 1
        elif heading := _HEADING.match(line):
            level = min(6, len(heading.group(1)) + 2)
            anchor = heading.group(3) or heading_slug(heading.group(2))
            yield (
                f'<h{level} id="{ANCHOR_PREFIX}{text.attribute(anchor)}">{inline(heading.group(2))}</h{level}>'
            )
            at += 1
        elif _ROW.match(line) and at + 1 < len(lines) and _RULE.match(lines[at + 1]):
            end = _while(lines, at + 2, _ROW)
            yield _table(line, lines[at + 2 : end])
            at = end
        elif _BULLET.match(line) or _NUMBER.match(line):
            kind = _BULLET if _BULLET.match(line) else _NUMBER
            end = _while(lines, at, kind)
            items = "".join(
                f"<li>{inline(match.group(1))}</li>" for row in lines[at:end] if (match := kind.match(row))
            )
            tag = "ul" if kind is _BULLET else "ol"
            yield f'<{tag} class="list">{items}</{tag}>'
            at = end
        else:
            end = at + 1
            while end < len(lines) and lines[end].strip() and not _starts_block(lines[end]):
                end += 1
            yield f"<p>{inline(' '.join(part.strip() for part in lines[at:end]))}</p>"
            at = end


def _while(lines: list[str], start: int, pattern: re.Pattern[str]) -> int:
    end = start
    while end < len(lines) and pattern.match(lines[end]):
        end += 1
    return end


def _starts_block(line: str) -> bool:
    return bool(
        _HEADING.match(line) or _BULLET.match(line) or _NUMBER.match(line) or line.lstrip().startswith("```")
    )


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _table(head: str, rows: list[str]) -> str:
    headings = "".join(f'<th scope="col">{inline(cell)}</th>' for cell in _cells(head))
    body = "".join(f"<tr>{''.join(f'<td>{inline(cell)}</td>' for cell in _cells(row))}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{headings}</tr></thead><tbody>{body}</tbody></table></div>'
