"""Shared by the qualification conformance tests: overlays, and cases with their ids."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.vectors_dir import OWN, load, vectors_root


def cases(relative: str, key: str = "cases", name: Callable[[dict[str, Any]], str] | None = None) -> list[Any]:
    """pytest params of one list in one file, with the case's id or note as test id; empty when absent."""
    data = load(f"qualification/{relative}") or {}
    listed = data.get(key, []) if isinstance(data, dict) else []
    return [
        pytest.param(case, id=str(name(case) if name else case.get("id") or f"{number}-{case.get('note', '')}"))
        for number, case in enumerate(listed)
    ]


def overlaid(case: dict[str, Any], folder: Path) -> Path:
    """The base pack copied into `folder` with the case's files over it."""
    target = folder / "pack"
    source = vectors_root() / "qualification" / case["base"]
    if not source.is_dir():  # a set of vectors may hold the cases alone
        source = OWN / "qualification" / case["base"]
    shutil.copytree(source, target, copy_function=shutil.copyfile)
    for inner in [target, *target.rglob("*")]:
        inner.chmod(0o755 if inner.is_dir() else 0o644)
    for relative, text in case.get("files", {}).items():
        file = target / relative
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8"))
    for relative, content in case.get("binary_files_hex", {}).items():
        (target / relative).write_bytes(bytes.fromhex(content))
    for relative in case.get("removed", []):
        found = target / relative
        if found.is_dir():
            shutil.rmtree(found)
        else:
            found.unlink()
    return target
