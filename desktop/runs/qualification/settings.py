"""How a qualification run was asked for, checked as a whole before anything is sent. Format, section 25."""

from __future__ import annotations

import math
import re
import secrets
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from desktop.inference.backends.key_guard import KeyGuard
from desktop.inference.backends.table import USUAL_CHAT_API, chat_apis
from packs.canonical import JsonValue
from packs.errors import AppError
from packs.qualification.extras import refusal
from packs.qualification.fingerprint import Envelope

RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
JOURNAL_SUFFIX = ".inprogress"


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model that the program itself serves for this run.

    label: names the endpoint, since its address changes with every start. serving: what a serving config would
    say. extras: sent with every request, unless told otherwise. key is never written anywhere.
    """

    name: str
    address: str
    key: str = field(repr=False)
    label: str
    serving: dict[str, JsonValue]
    weights: Envelope | None
    extras: dict[str, JsonValue]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QualifySettings:
    """Everything `qualify` can be told. None = not given. Keys are never written anywhere.

    timeout_s: silence after which an attempt is given up. concurrency: requests at once. judge_max_tokens:
    the run's own limit when None.
    """

    endpoint: str
    output: Path
    operator: str
    serving_config: Path | None = None
    system_prompt: Path | None = None
    chat_template: Path | None = None
    model_index: Path | None = None
    model: str | None = None
    concurrency: int = 4
    max_retries: int = 2
    timeout_s: float = 60.0
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    extra_body: dict[str, JsonValue] | None = None
    run_id: str | None = None
    resume: bool = False
    retry_errors: bool = False
    redaction_policy: Path | None = None
    show_sensitive: bool = False
    strip_reasoning: bool = False
    strict_scrubbing: bool = False
    judge_endpoint: str | None = None
    judge_model: str | None = None
    judge_max_tokens: int | None = None
    key: str | None = field(default=None, repr=False)
    judge_key: str | None = field(default=None, repr=False)
    typesafe_key: str | None = field(default=None, repr=False)
    served: ServedModel | None = None
    api: str = USUAL_CHAT_API
    context_tokens: int | None = None
    """Only for an API that sets the context; what the longest case needs when None."""

    @property
    def guard(self) -> KeyGuard:
        """For every key of the run: a judge may be told what a model repeated."""
        return KeyGuard(self.key, self.judge_key, self.typesafe_key)

    @property
    def sampling_flags(self) -> dict[str, JsonValue]:
        return {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
        }


def with_served(settings: QualifySettings, served: ServedModel) -> QualifySettings:
    """The settings for a model served by the program: its address and key, one request at a time."""
    return replace(
        settings,
        endpoint=served.address,
        key=served.key,
        model=served.name,
        concurrency=1,
        extra_body={**served.extras, **(settings.extra_body or {})},
        served=served,
    )


def check_settings(settings: QualifySettings) -> None:
    """Raises AppError naming everything that is wrong at once."""
    wrong: list[str] = []
    for name, address in (("--endpoint", settings.endpoint), ("--judge-endpoint", settings.judge_endpoint)):
        if address is not None:
            wrong.extend(f"{name} {message}" for message in address_faults(address))
    if not settings.operator.strip():
        wrong.append("--operator is empty")
    if settings.model is not None and not settings.model.strip():
        wrong.append("--model is empty")
    if settings.concurrency < 1 or settings.concurrency > 1024:
        wrong.append("--concurrency must be from 1 to 1024")
    if settings.max_retries < 0 or settings.max_retries > 100:
        wrong.append("--max-retries must be from 0 to 100")
    if not 0 < settings.timeout_s < 86_400:
        wrong.append("--timeout must be above 0 seconds and below a day")
    if settings.temperature is not None and not (
        math.isfinite(settings.temperature) and settings.temperature >= 0
    ):
        wrong.append("--temperature must be 0 or more")
    if settings.top_p is not None and not 0 <= settings.top_p <= 1:
        wrong.append("--top-p must be from 0 to 1")
    if settings.api not in chat_apis():
        wrong.append(f"--api must be one of {', '.join(chat_apis())}")
    for name, limit in (
        ("--max-tokens", settings.max_tokens),
        ("--context", settings.context_tokens),
        ("--judge-max-tokens", settings.judge_max_tokens),
    ):
        if limit is not None and limit < 1:
            wrong.append(f"{name} must be 1 or more")
    if settings.extra_body is not None:
        refused = refusal(settings.extra_body)
        if refused is not None:
            wrong.append(f"--extra-body: {refused.message} {refused.fix}".rstrip("."))
    if settings.run_id is not None and (
        not RUN_ID.fullmatch(settings.run_id) or settings.run_id.endswith((".", JOURNAL_SUFFIX))
    ):
        wrong.append("--run-id must be one folder name of letters, digits, '.', '_' and '-'")
    if settings.resume and settings.run_id is None:
        wrong.append("--resume needs the --run-id of the run to go on with")
    if settings.retry_errors and not settings.resume:
        wrong.append("--retry-errors belongs to --resume")
    if settings.output.exists() and not settings.output.is_dir():
        wrong.append(f"--output '{settings.output}' is a file, not a folder")
    if wrong:
        raise AppError(
            "; ".join(wrong) + ".", "Correct this and start again; nothing was sent.", code="settings"
        )


def address_faults(address: str) -> list[str]:
    """What is wrong with a server's address, each as the end of a sentence that begins with its option."""
    try:
        parts = urlsplit(address)
        port_is_number = parts.port is None or parts.port > 0
    except ValueError:
        return [f"'{address}' is not the address of a server"]
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_number:
        return ["must be an address such as http://localhost:8080"]
    if parts.username or parts.password:
        return ["must not hold a name or password; give keys through the environment"]
    return []


def new_run_id(now: datetime) -> str:
    """UTC time and four hex digits: '2026-11-30T101500Z-1f2e'."""
    return f"{now:%Y-%m-%dT%H%M%SZ}-{secrets.token_hex(2)}"


def stamp(now: datetime) -> str:
    """UTC with seconds and 'Z'."""
    return f"{now:%Y-%m-%dT%H:%M:%SZ}"
