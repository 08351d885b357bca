"""Imports as Python does them: without PySide's look into the source of every module that is imported.

PySide calls a hook after each import to find out whether the module uses its optional spellings, which nothing
here does. For that it asks the module for attributes; pydantic's modules answer such questions with imports of
their own, and then one of them may be found half made: one start of twelve wrote "cannot import name
'import_string'" to the log and did not offer to resume a run.
"""

from __future__ import annotations

import sys


def import_plainly() -> None:
    """From now on. Once, before any lane works; nothing happens where a later PySide has no such hook."""
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "feature_imported"):
        feature.feature_imported = _nothing  # type: ignore[union-attr]  # looked up at each import


def _nothing(_module: object) -> None:
    """In place of the look into the source."""
