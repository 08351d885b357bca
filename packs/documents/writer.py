"""Saving an edited pack: only what was edited changes, and every file changes whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from packs.documents.atomic import write_atomically
from packs.documents.files import FileTrouble, NotUtf8, clean_path, decode
from packs.documents.json_edit import edited_json, new_json
from packs.documents.line_ends import with_line_ends
from packs.documents.strict_json import JsonFault
from packs.documents.yaml_edit import edited_yaml
from packs.documents.yaml_text import yaml_block
from packs.documents.yaml_tree import YamlFault
from packs.errors import AppError

_MARK = b"\xef\xbb\xbf"


def manifest_bytes(before: bytes | None, value: Mapping[str, Any]) -> bytes:
    """task.yaml with `value` as its content, changed in place where there was a readable one before.

    Raises AppError when the old content cannot be read, so that nothing a person wrote is lost unseen.
    """
    if before is None or not before.strip():
        return yaml_block(dict(value)).encode()
    try:
        text = decode(before)
        mark = _MARK if before.startswith(_MARK) else b""
        return mark + edited_yaml(text, dict(value)).encode()
    except (NotUtf8, YamlFault) as error:
        raise _unreadable("task.yaml", error) from None


def json_bytes(before: bytes | None, value: object, name: str = "the file") -> bytes:
    """An example or schema file with `value` as its content; see `manifest_bytes`."""
    if before is None or not before.strip():
        return new_json(value).encode()
    try:
        text = decode(before)
        mark = _MARK if before.startswith(_MARK) else b""
        return mark + edited_json(text, value).encode()
    except (NotUtf8, JsonFault) as error:
        raise _unreadable(name, error) from None


def text_bytes(before: bytes | None, text: str) -> bytes:
    """A prompt file: `text` with the line ends and byte order mark of the old content."""
    old = before or b""
    mark = _MARK if old.startswith(_MARK) else b""
    was = old.removeprefix(_MARK).decode("utf-8", "replace")
    return mark + with_line_ends(text.replace("\r\n", "\n"), was).encode()


def write_files(folder: Path, files: Mapping[str, bytes], removed: Iterable[str] = ()) -> None:
    """Write and remove files of a pack: relative path with `/` to content.

    Paths are checked before anything is written; one that leaves the folder, also by a link, is refused. Files
    whose content is the same already are not touched. Raises AppError.
    """
    targets = {path: _target(folder, path) for path in (*files, *removed)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            target = targets[path]
            if target.is_file() and target.stat().st_size == len(content) and target.read_bytes() == content:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, content)
        for path in removed:
            targets[path].unlink(missing_ok=True)
    except OSError as error:
        raise AppError(
            f"The pack cannot be saved: {error.filename or folder}: {error.strerror or error}.",
            "Check the disk and who may write there; nothing half-written is left.",
            code="not_writable",
        ) from None


def _target(folder: Path, path: str) -> Path:
    try:
        clean = clean_path(path)
    except FileTrouble as trouble:
        raise AppError(trouble.message, trouble.fix, code="path_outside") from None
    root = Path(os.path.realpath(folder))
    target = Path(os.path.realpath(root / clean))
    if not clean or not target.is_relative_to(root):
        raise AppError(
            f"'{path}' leads out of the pack folder.", "Give a path inside the pack.", code="path_outside"
        )
    return target


def _unreadable(name: str, error: Exception) -> AppError:
    reason = getattr(error, "reason", "") or f"it looks like {getattr(error, 'likely', 'another encoding')}"
    return AppError(
        f"{name} cannot be changed since it cannot be read: {reason}",
        "Correct it as text first.",
        code="unreadable",
    )
