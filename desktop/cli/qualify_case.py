"""`packbench qualify PACK --only CASE`: one case, shown and tried, without a bundle."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields
from desktop.reports import text

if TYPE_CHECKING:
    from desktop.runs.qualification.run import RunEnvironment
    from desktop.runs.qualification.settings import QualifySettings


def run_case(
    arguments: argparse.Namespace,
    folder: Path,
    settings: QualifySettings,
    around: RunEnvironment,
    context: Context,
) -> int:
    from desktop.reports.qualification.parts import written
    from desktop.runs.qualification.single_case import preview_case, try_case

    ask = preview_case if arguments.dry_run else try_case
    tried = ask(folder, settings, around, arguments.only)
    out = context.terminal
    if arguments.json:
        out.document(
            CASE_DOCUMENT.stamped(
                {
                    "case_id": tried.case.case_id,
                    "request": tried.request,
                    "content": tried.content,
                    "error": tried.error,
                    "detail": tried.detail,
                    "duration_seconds": tried.duration_seconds,
                    "rows": list(tried.rows),
                }
            )
        )
        return Exit.MACHINE if tried.error else Exit.DONE
    messages = tried.request["messages"]
    for message in messages if isinstance(messages, list) else ():
        out.line(out.style(f"{message['role']}:", "muted"))
        out.line(text.plain(str(message["content"])))
    if arguments.dry_run:
        return Exit.DONE
    out.line(out.style("answer:", "muted"))
    out.line(
        text.plain(tried.content) if tried.error is None else f"{tried.error}: {text.one_line(tried.detail)}"
    )
    for row in tried.rows:
        mark = "–" if not row["applicable"] else "✓" if row["passed"] else "✗"
        evidence = row["evidence"]
        code = f" [{row['failure_type']}]" if row["failure_type"] else ""
        out.line(f"  {mark} {row['test_id']}{code}: {text.one_line(str(evidence['detail']))}")
        if row["applicable"] and not row["passed"]:
            out.line(f"      expected {text.one_line(written(evidence['expected'], 120))}")
    return Exit.MACHINE if tried.error else Exit.DONE


CASE_DOCUMENT = JsonDocument(
    "packbench-qualify-case/1",
    fields(
        ("case_id", "string", "the case"),
        ("request", "object", "what is sent"),
        ("content", "string or null", "the answer"),
        ("error", "string or null", "why there is none"),
        ("detail", "string", "the same in words"),
        ("duration_seconds", "number or null", "how long it took"),
        ("rows", "array", "what each test says of it"),
    ),
    "--only",
)
