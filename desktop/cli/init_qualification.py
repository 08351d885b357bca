"""`packbench init DIR --kind qualification`: a new qualification pack, from a sample or from a task pack."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from pathlib import Path

from desktop.cli.command import UsageError
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument
from desktop.cli.packs import PackKind, find_pack
from packs.errors import AppError

FIRST_SAMPLE = "housing-routing"
DEFAULT_NAME = "my-qualification"


def init_qualification(arguments: argparse.Namespace, context: Context, document: JsonDocument) -> int:
    """document: what `init --json` says of every kind of pack."""
    folder = Path(arguments.folder or arguments.name or DEFAULT_NAME).expanduser().absolute()
    name = arguments.name or folder.name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise AppError(f"'{folder}' is there already.", "Name a new or empty folder.", code="exists")
    source = arguments.source
    files = _from_sample(arguments.template, name) if source in (None, "demo") else _from_task(source)
    _write(folder, files)
    out = context.terminal
    if arguments.json:
        content = {"folder": str(folder), "name": name, "written": sorted(files), "kept": []}
        out.document(document.stamped(content))
        return Exit.DONE
    out.line(f"Made a new qualification pack in {folder}: {len(files)} files.")
    if source in (None, "demo"):
        out.paragraph("It is a whole sample. Put your own cases, thresholds and reasons in its place.")
    else:
        out.paragraph("Settle every line marked 'Review:', then the words 'to be reviewed' in the methodology.")
    out.line(f"'packbench validate {folder.name}' checks it; 'packbench qualify' runs it.")
    return Exit.DONE


def _from_sample(template: str | None, name: str) -> dict[str, bytes]:
    found = find_pack(template or FIRST_SAMPLE)
    if found.kind is not PackKind.QUALIFICATION:
        raise UsageError(
            f"The sample '{template}' is a task pack.", "Take housing-routing or contact-routing.", code="usage"
        )
    files = {
        file.relative_to(found.folder).as_posix(): file.read_bytes()
        for file in sorted(found.folder.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }
    slug = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "my-pack"
    manifest = files["pack.yaml"].decode("utf-8")
    manifest = re.sub(r"(?m)^  id: .*$", f"  id: {slug}", manifest, count=1)
    manifest = re.sub(r"(?m)^  name: .*$", lambda _: f"  name: {json.dumps(name)}", manifest, count=1)
    files["pack.yaml"] = manifest.encode("utf-8")
    return files


def _from_task(source: str) -> dict[str, bytes]:
    from packs.qualification.from_task import qualification_files
    from packs.task.loader import load_pack

    found = find_pack(source)
    if found.kind is not PackKind.TASK:
        raise UsageError("--from wants a task pack.", "Name the folder that holds task.yaml.", code="usage")
    loaded = load_pack(found.folder)
    if loaded.pack is None:
        raise AppError(
            f"The task pack '{source}' has problems.",
            f"'packbench validate {source}' lists them.",
            code="pack_refused",
        )
    return qualification_files(loaded.pack)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    try:
        for name, content in files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        raise AppError(
            f"The pack cannot be written to {folder}: {error.strerror}.", "Choose another place.", code="disk"
        ) from None
