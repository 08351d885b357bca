"""The one base of all errors that a person can act on.

Anything else that is raised is a fault of ours and goes to the crash handler.
"""

from __future__ import annotations


class AppError(Exception):
    """What failed and where (`message`), and what to do about it (`fix`).

    Both are whole sentences in plain words that may be shown as they are. `code` is a short stable word for
    tests and `--json`; it is never shown alone.
    """

    def __init__(self, message: str, fix: str = "", *, code: str = "error") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.code = code

    def __str__(self) -> str:
        return f"{self.message} {self.fix}".strip()
