"""One finished request as the journal and the bundle keep it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from packs.canonical import JsonValue
from packs.qualification.redaction import scrub, scrub_text

Key = tuple[int, str, str]
"""Run, corpus, case id: the order of everything in a bundle."""


@dataclass(frozen=True, slots=True)
class Capture:
    """response: the reply as JSON object, None with an error. duration_seconds: of the last attempt.


    error: short and stable ('HTTP 500', 'ReadTimeout'); error_detail: the server's own words, bounded.
    """

    case_id: str
    corpus: str
    run_index: int
    sensitive: bool
    request: Mapping[str, JsonValue]
    response: Mapping[str, JsonValue] | None
    error: str | None
    attempts: int
    status_code: int | None
    duration_seconds: float
    error_detail: str = ""

    @property
    def key(self) -> Key:
        return (self.run_index, self.corpus, self.case_id)

    def as_json(self) -> dict[str, JsonValue]:
        """The journal's line; `error_detail` only when there is one."""
        record: dict[str, JsonValue] = {
            "case_id": self.case_id,
            "corpus": self.corpus,
            "run_index": self.run_index,
            "sensitive": self.sensitive,
            "request": self.request,
            "response": self.response,
            "error": self.error,
            "attempts": self.attempts,
            "status_code": self.status_code,
            "duration_seconds": self.duration_seconds,
        }
        if self.error_detail:
            record["error_detail"] = self.error_detail
        return record


FIELDS = (
    "case_id",
    "corpus",
    "run_index",
    "sensitive",
    "request",
    "response",
    "error",
    "attempts",
    "status_code",
    "duration_seconds",
)


def capture_from(record: JsonValue) -> Capture:
    """Raises ValueError naming what is missing or of the wrong type."""
    if not isinstance(record, dict):
        raise ValueError("it is no object")
    missing = [name for name in FIELDS if name not in record]
    if missing:
        raise ValueError(f"it lacks {', '.join(missing)}")
    case_id, corpus, run_index = record["case_id"], record["corpus"], record["run_index"]
    request, response, error = record["request"], record["response"], record["error"]
    duration, attempts, status = record["duration_seconds"], record["attempts"], record["status_code"]
    if not isinstance(case_id, str) or not isinstance(corpus, str) or not isinstance(run_index, int):
        raise ValueError("case_id, corpus or run_index has the wrong type")
    if not isinstance(request, dict) or not isinstance(response, dict | None):
        raise ValueError("request or response has the wrong type")
    if not isinstance(error, str | None) or not isinstance(duration, int | float):
        raise ValueError("error or duration_seconds has the wrong type")
    if not isinstance(attempts, int) or not isinstance(status, int | None):
        raise ValueError("attempts or status_code has the wrong type")
    return Capture(
        case_id=case_id,
        corpus=corpus,
        run_index=run_index,
        sensitive=record["sensitive"] is True,
        request=request,
        response=response,
        error=error,
        attempts=attempts,
        status_code=status,
        duration_seconds=float(duration),
        error_detail=str(record.get("error_detail", "")),
    )


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A capture as the bundle keeps it: without secrets. `in_reply` counts those taken out of the reply."""

    request: JsonValue
    response: JsonValue
    error: str | None
    error_detail: str
    in_reply: int
    total: int


def scrubbed(capture: Capture) -> Scrubbed:
    request, first = scrub(capture.request)
    response, second = scrub(capture.response)
    error, third = scrub_text(capture.error) if capture.error is not None else (None, 0)
    detail, fourth = scrub_text(capture.error_detail)
    return Scrubbed(request, response, error, detail, second, first + second + third + fourth)
