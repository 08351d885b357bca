"""Everything that is checked and settled before the first request (format, section 28, W3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from desktop.inference.backends.http_client import is_loopback
from desktop.inference.backends.table import chat_apis
from desktop.runs.qualification.context import context_for
from desktop.runs.qualification.discovery import Discovery, identifier, runtime_digest
from desktop.runs.qualification.environment import read_environment
from desktop.runs.qualification.settings import QualifySettings, check_settings, new_run_id, stamp
from desktop.runs.qualification.side_files import (
    read_model_index,
    read_redaction_policy,
    read_serving_config,
    read_text,
)
from packs.canonical import JsonValue, structured_hash
from packs.errors import AppError
from packs.qualification.failures import RedactionPolicy
from packs.qualification.fingerprint import Envelope, FingerprintInputs, build, known
from packs.qualification.loader import load_pack, require_pack
from packs.qualification.pack import QualificationPack
from packs.qualification.requests import (
    PlannedRequest,
    effective_sampling,
    endpoint_host,
    plan,
    variance_subset,
)
from packs.qualification.rules_corpus import FORMAT_VERSION
from packs.qualification.triggers import fingerprint_problems

UNREACHABLE = ("ConnectError", "ConnectTimeout")
PROMPT_NAMES = ("system_prompt.txt", "system-prompt.txt")

ReadEnvironment = Callable[..., Mapping[str, Envelope]]


@dataclass(frozen=True, slots=True)
class Preparation:
    """A run that can start. inputs: what the fingerprint is built from, the model id still provisional."""

    pack: QualificationPack
    settings: QualifySettings
    run_id: str
    sampling: Mapping[str, JsonValue]
    system_prompt: str | None
    redaction: RedactionPolicy
    redaction_sha256: str | None
    planned: tuple[PlannedRequest, ...]
    inputs: FingerprintInputs
    notes: tuple[str, ...]

    @property
    def strip_reasoning(self) -> bool:
        return self.settings.strip_reasoning or self.redaction.strip_reasoning

    @property
    def folder(self) -> Path:
        return self.settings.output / self.run_id

    @property
    def context(self) -> dict[str, JsonValue]:
        """What a resumed run must share with its beginning: format, section 19."""
        settings = self.settings
        return {
            "endpoint": settings.served.label if settings.served else settings.endpoint,
            "model": self.inputs.identifier["value"],
            "api": settings.api,
            "operator": settings.operator,
            "pack_content_sha256": self.pack.content_sha256,
            "judge_endpoint": settings.judge_endpoint,
            "judge_model": settings.judge_model,
            "show_sensitive": settings.show_sensitive,
            "strip_reasoning": self.strip_reasoning,
            "strict_scrubbing": settings.strict_scrubbing,
            "redaction_policy_sha256": self.redaction_sha256,
        }


def prepare(
    folder: Path,
    settings: QualifySettings,
    now: datetime,
    environment: ReadEnvironment = read_environment,
) -> Preparation:
    """Raises AppError for whatever is wrong with the arguments, the files or the pack."""
    check_settings(settings)
    pack = runnable_pack(folder)
    at = stamp(now)
    served = settings.served
    config: dict[str, JsonValue] | None = None
    if settings.serving_config:
        config = read_serving_config(settings.serving_config)
    elif served is not None:
        config = dict(served.serving)
    system_prompt = read_text(settings.system_prompt, "system prompt") if settings.system_prompt else None
    template = read_text(settings.chat_template, "chat template") if settings.chat_template else None
    redaction, redaction_sha256 = RedactionPolicy(), None
    if settings.redaction_policy:
        redaction, written = read_redaction_policy(settings.redaction_policy)
        redaction_sha256 = structured_hash(written)
    sampling = effective_sampling(
        pack.sampling, pack.request_extras, settings.sampling_flags, settings.extra_body
    )
    if chat_apis()[settings.api]().sets_context:
        sampling["request_extras"] = _with_context(pack, settings, sampling, system_prompt or "")
    subset = variance_subset(
        (case.case_id for case in pack.cases["qualification"]), pack.subset_fraction, sampling["seed"]
    )
    run_id = settings.run_id or new_run_id(now)
    _check_folder(settings, run_id)
    host = endpoint_host(settings.endpoint)
    inputs = FingerprintInputs(
        captured_at=at,
        identifier=known(settings.model or "not settled yet", "endpoint"),
        pack={
            "id": pack.id,
            "version": pack.version,
            "content_sha256": pack.content_sha256,
            "thresholds_sha256": pack.thresholds_sha256,
            "evaluators_sha256": pack.evaluators_sha256,
        },
        evaluators=[spec.identity() for spec in pack.evaluators.values()],
        sampling=sampling,
        runner_version=FORMAT_VERSION,
        operator=settings.operator,
        execution={
            "concurrency": settings.concurrency,
            "max_retries": settings.max_retries,
            "timeout_seconds": settings.timeout_s,
            "endpoint_host": host,
        },
        serving_config=config,
        system_prompt=system_prompt,
        chat_template=template,
        weights=_weights(settings, at),
        environment=environment(endpoint_is_here=is_loopback(settings.endpoint)),
    )
    require_fingerprint(inputs)
    return Preparation(
        pack=pack,
        settings=settings,
        run_id=run_id,
        sampling=sampling,
        system_prompt=system_prompt,
        redaction=redaction,
        redaction_sha256=redaction_sha256,
        planned=tuple(plan(pack, subset)),
        inputs=inputs,
        notes=tuple(_notes(folder, settings, system_prompt, config, sampling, host)),
    )


def runnable_pack(folder: Path) -> QualificationPack:
    """A valid pack that can also be scored. Raises AppError naming what would stop a run (section 28, W15)."""
    result = load_pack(folder)
    blocking = [finding.problem for finding in result.findings if finding.blocks_run]
    if result.pack is None:
        return require_pack(folder)
    if blocking:
        message = "; ".join(
            f"{problem.file} line {problem.line}: {problem.message}" for problem in blocking[:3]
        )
        raise AppError(f"This pack cannot be run: {message}", blocking[0].fix, code="pack_not_runnable")
    return result.pack


def _with_context(
    pack: QualificationPack,
    settings: QualifySettings,
    sampling: Mapping[str, JsonValue],
    system_prompt: str,
) -> dict[str, JsonValue]:
    """The extras with a context length for Ollama, which would else cut long prompts in silence."""
    extras, limit = sampling["request_extras"], sampling["max_tokens"]
    assert isinstance(extras, dict)
    assert isinstance(limit, int | float)
    options = extras.get("options")
    tokens = settings.context_tokens or context_for(pack, system_prompt, int(limit))
    return {**extras, "options": {"num_ctx": tokens, **(options if isinstance(options, dict) else {})}}


def _weights(settings: QualifySettings, at: str) -> Envelope | None:
    if settings.model_index:
        return read_model_index(settings.model_index, at)
    return settings.served.weights if settings.served else None


def _check_folder(settings: QualifySettings, run_id: str) -> None:
    folder = settings.output / run_id
    if folder.exists() and not settings.retry_errors:
        raise AppError(
            f"A bundle of the run '{run_id}' is there already.",
            "Choose another --run-id. To ask its failed requests again, use --resume --retry-errors.",
            code="run_exists",
        )


def require_fingerprint(inputs: FingerprintInputs) -> None:
    """Raises AppError when the fingerprint could not be stored or compared later."""
    problems = fingerprint_problems(build(inputs))
    if problems:
        message = "; ".join(f"{path}: {text}" for path, text in problems)
        raise AppError(
            f"The description of what is qualified is not sound: {message}",
            "Correct the arguments or the serving config; nothing was sent.",
            code="fingerprint",
        )


def with_model(prepared: Preparation, discovery: Discovery, at: str) -> Preparation:
    """Settle the model id and the runtime digest.

    Raises AppError when nothing listens at the endpoint, or no single model is meant.
    """
    if not discovery.reached and discovery.trouble in UNREACHABLE:
        raise AppError(
            f"Nothing answers at {prepared.settings.endpoint} ({discovery.trouble}).",
            "Start the model server, or correct --endpoint; no case was sent.",
            code="not_reachable",
        )
    model = prepared.settings.model
    if model is None:
        if len(discovery.models) != 1:
            listed = ", ".join(discovery.models[:10]) or f"none ({discovery.trouble or 'empty list'})"
            raise AppError(
                f"Which model is meant is not clear; the endpoint lists: {listed}.",
                "Name it by --model.",
                code="model_not_clear",
            )
        model = discovery.models[0]
    served = prepared.settings.served
    inputs = replace(
        prepared.inputs,
        identifier=known(model, served.label) if served else identifier(model, discovery.models, at),
        runtime_digest=runtime_digest(discovery, model),
    )
    require_fingerprint(inputs)
    return replace(prepared, inputs=inputs)


def _notes(
    folder: Path,
    settings: QualifySettings,
    system_prompt: str | None,
    config: Mapping[str, JsonValue] | None,
    sampling: Mapping[str, JsonValue],
    host: str,
) -> list[str]:
    notes = []
    if system_prompt is None:
        beside = next((name for name in PROMPT_NAMES if (folder / name).is_file()), None)
        hint = f" The pack's folder holds {beside}; --system-prompt sends it." if beside else ""
        notes.append(f"No system prompt was given, so the model was asked without one.{hint}")
    elif not system_prompt:
        notes.append("The system prompt file is empty, so the model was asked without one.")
    declared = config.get("sampling") if config is not None else None
    if isinstance(declared, dict):
        differing = [
            f"{name} {declared[name]!r} declared, {sampling[name]!r} sent"
            for name in ("temperature", "top_p", "seed", "max_tokens")
            if name in declared and declared[name] != sampling[name]
        ]
        if differing:
            notes.append(f"The serving config declares other sampling than was sent: {'; '.join(differing)}.")
    if settings.served is not None:
        notes.extend(settings.served.notes)
    asked = chat_apis()[settings.api]().note
    if asked:
        notes.append(asked)
    if settings.strict_scrubbing:
        notes.append("Replies were scored after secrets were taken out, as the public tool does.")
    if not is_loopback(settings.endpoint):
        notes.append(f"The endpoint {host} is not on this computer: every case was sent to it.")
    judge = settings.judge_endpoint
    if judge is not None and not is_loopback(judge):
        notes.append(f"The judge at {endpoint_host(judge)} is not on this computer: replies were sent to it.")
    return notes
