"""Damaged files: whatever a library raises over one becomes one clear sentence."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from packs.errors import AppError

log = logging.getLogger(__name__)


@contextmanager
def reported_as_damaged(name: str) -> Iterator[None]:
    """Around the reading of one file from outside. Raises AppError (`damaged`) for all but an AppError.

    Parsers of mail, HTML, DOCX and XLSX raise nearly anything over bytes that nobody foresaw (AttributeError,
    IndexError, AssertionError …); a list of them was never complete.
    """
    try:
        yield
    except AppError:
        raise
    except Exception as error:
        log.info("reading ended with %s", type(error).__name__, exc_info=True)
        raise AppError(
            f"{name} is damaged, or is not the kind of file that its name says.",
            "Open it in the program it comes from and save it again.",
            code="damaged",
        ) from None
