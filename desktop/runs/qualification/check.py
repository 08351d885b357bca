"""Does a stored result still speak for what runs now? Format, section 16.3; section 28, W28 to W30."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from desktop.inference.backends.http_client import is_loopback
from desktop.runs.qualification.discovery import Discovery, discover, identifier, runtime_digest
from desktop.runs.qualification.environment import read_environment
from desktop.runs.qualification.preparation import ReadEnvironment
from desktop.runs.qualification.settings import address_faults, stamp
from desktop.runs.qualification.side_files import read_model_index, read_serving_config, read_text
from packs.canonical import JsonValue
from packs.errors import AppError
from packs.qualification.extras import refusal
from packs.qualification.fingerprint import PRESENT, config_envelope, serving_hash, text_envelope
from packs.qualification.loader import require_pack
from packs.qualification.requests import SAMPLING_NAMES, endpoint_host
from packs.qualification.rules_corpus import FORMAT_VERSION
from packs.qualification.schemas import TRIGGERS
from packs.qualification.triggers import (
    SAME_VALUE,
    SEVERITY,
    TriggerComparison,
    TriggerState,
    compare_fingerprints,
)
from packs.qualification.view import BundleParts

REVIEW = 1
CHANGED, UNCHANGED, UNKNOWN = "changed", "unchanged", "unknown"
HOW_TO_LOOK: Mapping[str, str] = {
    **dict.fromkeys(
        ("pack_version", "threshold_change", "evaluator_version", "retrieval_corpus", "sampling_parameters"),
        "give the folder of the pack (--pack DIR)",
    ),
    **dict.fromkeys(
        ("quantization", "inference_engine_version", "serving_config"),
        "give the serving config (--serving-config FILE)",
    ),
    "model_revision": "name the model that runs now (--model ID)",
    "model_weights": "give the index of its weights (--model-index FILE)",
    "system_prompt": "give the system prompt (--system-prompt FILE)",
    "chat_template": "give the chat template (--chat-template FILE)",
    "operator": "name the operator (--operator NAME)",
}
"""What makes a trigger looked at that was not; see `_Live`."""


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What is given again for the comparison. None = not given."""

    endpoint: str
    pack: Path | None = None
    serving_config: Path | None = None
    system_prompt: Path | None = None
    chat_template: Path | None = None
    model_index: Path | None = None
    model: str | None = None
    operator: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    extra_body: dict[str, JsonValue] | None = None
    concurrency: int | None = None
    key: str | None = field(default=None, repr=False)

    @property
    def sampling_flags(self) -> dict[str, JsonValue]:
        given: dict[str, JsonValue] = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
        }
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class FurtherChange:
    """A change that no trigger of the format reads. exit_code: 1 or 2, by what it is likest to."""

    what: str
    before: str
    now: str
    exit_code: int

    def as_json(self) -> dict[str, JsonValue]:
        return {"what": self.what, "before": self.before, "now": self.now}


@dataclass(frozen=True, slots=True)
class CheckResult:
    """network_fault: why the endpoint could not be asked, or empty. on_trust: taken without looking.

    bundle_findings: what speaks against the bundle itself, a sentence each.
    """

    comparison: TriggerComparison
    further: tuple[FurtherChange, ...]
    network_fault: str
    on_trust: tuple[str, ...]
    bundle_findings: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 nothing to do, 1 review, 2 qualify again; a bundle that does not verify needs a review at least."""
        least = REVIEW if self.bundle_findings else 0
        return max(least, self.comparison.check_exit_code, *(change.exit_code for change in self.further), 0)

    @property
    def changes(self) -> tuple[TriggerState, ...]:
        """Triggers whose value is another one; another spelling or source of the same value is no change."""
        return tuple(
            state for state in self.comparison.states if state.state == "fired" and state.reason != SAME_VALUE
        )

    @property
    def unseen(self) -> tuple[TriggerState, ...]:
        """Triggers about which it is not known whether they changed, though the bundle knows their value."""
        return tuple(
            state
            for state in self.comparison.states
            if state.state == "ambiguous"
            or (state.state == "not_observed" and not state.unverified)
            or (state.state == "fired" and state.reason == SAME_VALUE)
        )

    @property
    def answer(self) -> str:
        """CHANGED, UNCHANGED or UNKNOWN, whatever the exit code says is to be done about it."""
        if self.changes or self.further:
            return CHANGED
        doubt = self.unseen or self.network_fault or self.bundle_findings or self.comparison.stored_problems
        return UNKNOWN if doubt else UNCHANGED

    def how(self, state: TriggerState) -> str:
        """How a trigger of `unseen` could be looked at."""
        if state.state == "not_observed":
            return HOW_TO_LOOK.get(state.trigger, "")
        if self.network_fault and state.trigger == "model_revision":
            return "check again once the server answers"
        return ""

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "answer": self.answer,
            "exit_code": self.exit_code,
            "not_looked_at": [{"trigger": state.trigger, "how": self.how(state)} for state in self.unseen],
            "bundle_findings": list(self.bundle_findings),
            "fired": self.comparison.fired,
            "not_observed": self.comparison.not_observed,
            "ambiguous": self.comparison.ambiguous,
            "unverified": self.comparison.unverified,
            "triggers": [
                {
                    "trigger": state.trigger,
                    "group": state.group,
                    "state": state.state,
                    "reason": state.reason,
                    "unverified": state.unverified,
                }
                for state in self.comparison.states
            ],
            "further_changes": [change.as_json() for change in self.further],
            "network_fault": self.network_fault or None,
            "taken_on_trust": list(self.on_trust),
            "fingerprint_problems": [
                {"path": path, "message": text} for path, text in self.comparison.stored_problems
            ],
        }


def check_bundle(
    parts: BundleParts,
    settings: CheckSettings,
    now: datetime,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    environment: ReadEnvironment = read_environment,
) -> CheckResult:
    """Compares a bundle with what is given and what the endpoint says now. Raises AppError."""
    wrong = address_faults(settings.endpoint)
    if wrong:
        raise AppError(f"--endpoint {wrong[0]}.", "Correct the address.", code="settings")
    found = asyncio.run(discover(settings.endpoint, settings.key, transport))
    live = _Live(parts, settings, stamp(now), found)
    live.observe(environment(endpoint_is_here=is_loopback(settings.endpoint)))
    declared = parts.triggers.get("declared")
    if not isinstance(declared, dict):
        raise AppError("The bundle declares no triggers.", "Verify the bundle first.", code="bundle_broken")
    unseen = [trigger for trigger in TRIGGERS if trigger not in live.observed]
    return CheckResult(
        comparison=compare_fingerprints(parts.fingerprint, live.fingerprint, declared, unseen),
        further=tuple(_further(parts, settings, found, declared)),
        network_fault="" if found.reached else (found.trouble or "no answer"),
        on_trust=tuple(live.on_trust),
    )


class _Live:
    """The stored fingerprint with everything that could be observed put in its place."""

    def __init__(self, parts: BundleParts, settings: CheckSettings, at: str, found: Discovery) -> None:
        self.fingerprint: dict[str, Any] = copy.deepcopy(dict(parts.fingerprint))
        self.observed: set[str] = set()
        self.on_trust: list[str] = []
        self._settings = settings
        self._at = at
        self._found = found

    def _group(self, name: str) -> dict[str, Any]:
        group = self.fingerprint.get(name)
        if not isinstance(group, dict):
            group = self.fingerprint[name] = {}
        return group

    def observe(self, environment: Mapping[str, Any]) -> None:
        settings = self._settings
        self._group("runner")["version"] = FORMAT_VERSION
        self._group("environment").update(
            {name: environment[name] for name in ("gpu", "driver") if name in environment}
        )
        self.observed |= {"runner_version", "hardware_topology", "driver_version"}
        self._observe_model()
        config = read_serving_config(settings.serving_config) if settings.serving_config else None
        if config is not None:
            self._observe_serving(config)
        if settings.pack is not None:
            self._observe_pack(settings.pack)
        self._observe_files()
        self._observe_flags()

    def _observe_model(self) -> None:
        model = self._settings.model
        if model is None and len(self._found.models) == 1:
            model = self._found.models[0]
        if model is None:
            return
        self._group("model")["identifier"] = identifier(model, self._found.models, self._at)
        self.observed.add("model_revision")
        if model not in self._found.models:
            self.on_trust.append(f"that the endpoint serves '{model}'")

    def _observe_serving(self, config: Mapping[str, JsonValue]) -> None:
        model, serving = self._group("model"), self._group("serving")
        for group, names in ((model, ("revision", "quantization")), (serving, ("engine_version",))):
            for name in names:
                group[name] = config_envelope(config, name, self._at)
        serving["config_sha256"] = serving_hash(config)
        if "model_revision" not in self.observed:
            self.on_trust.append("that the model is still the one of the stored run (none was named)")
        self.observed |= {"inference_engine_version", "serving_config", "quantization", "model_revision"}
        sampling = config.get("sampling")
        if isinstance(sampling, dict):
            extras = sampling.get("request_extras", config.get("request_extras", {}))
            values = {name: sampling[name] for name in SAMPLING_NAMES if name in sampling}
            self._set_sampling(values, extras if isinstance(extras, dict) else {})

    def _observe_pack(self, folder: Path) -> None:
        pack = require_pack(folder)
        self.fingerprint["pack"] = {
            "id": pack.id,
            "version": pack.version,
            "content_sha256": pack.content_sha256,
            "thresholds_sha256": pack.thresholds_sha256,
            "evaluators_sha256": pack.evaluators_sha256,
        }
        identities = [spec.identity() for spec in pack.evaluators.values()]
        self.fingerprint["evaluators"] = sorted(identities, key=lambda entry: entry["id"])
        self.observed |= {"pack_version", "threshold_change", "evaluator_version", "retrieval_corpus"}
        if "sampling_parameters" not in self.observed:
            values = {name: pack.sampling[name] for name in SAMPLING_NAMES}
            self._set_sampling(values, dict(pack.request_extras))

    def _observe_files(self) -> None:
        settings, prompting = self._settings, self._group("prompting")
        if settings.system_prompt is not None:
            text = read_text(settings.system_prompt, "system prompt")
            prompting["system_prompt_sha256"] = text_envelope(text, "system prompt")
            self.observed.add("system_prompt")
        if settings.chat_template is not None:
            text = read_text(settings.chat_template, "chat template")
            prompting["chat_template_sha256"] = text_envelope(text, "chat template")
            self.observed.add("chat_template")
        if settings.model_index is not None:
            self._group("model")["weights"] = read_model_index(settings.model_index, self._at)
            self.observed.add("model_weights")
        if settings.operator is not None:
            stored = self.fingerprint.get("operator")
            kept = stored if isinstance(stored, dict) else {}
            self.fingerprint["operator"] = {
                **kept,
                "state": "externally_supplied",
                "value": settings.operator,
                "supplied_by": "operator",
                "supplied_at": self._at,
            }
            self.observed.add("operator")

    def _observe_flags(self) -> None:
        settings = self._settings
        flags = settings.sampling_flags
        if flags:
            if "sampling_parameters" not in self.observed and len(flags) < len(SAMPLING_NAMES):
                self.on_trust.append("that the sampling values not named are those of the stored run")
            self._set_sampling(flags, None)
        if settings.extra_body is None:
            return
        if "sampling_parameters" not in self.observed:
            raise AppError(
                "--extra-body alone says nothing about sampling.",
                "Give the pack, a serving config with sampling, or a sampling option as well.",
                code="extra_body_alone",
            )
        refused = refusal(settings.extra_body)
        if refused is not None:
            raise AppError(f"--extra-body: {refused.message}", refused.fix, code="extra_body")
        self._set_sampling({}, settings.extra_body)

    def _set_sampling(self, values: Mapping[str, JsonValue], extras: Mapping[str, JsonValue] | None) -> None:
        """Values laid over what is there; extras None keeps those there."""
        sampling = dict(self._group("sampling"))
        sampling.update(values)
        if extras is not None:
            sampling.pop("request_extras", None)
            if extras:
                sampling["request_extras"] = dict(extras)
        self.fingerprint["sampling"] = sampling
        self.observed.add("sampling_parameters")


def _further(
    parts: BundleParts, settings: CheckSettings, found: Discovery, declared: Mapping[str, JsonValue]
) -> list[FurtherChange]:
    """Host, concurrency and runtime digest: real changes that no trigger reads."""
    changes = []
    execution, model = parts.fingerprint.get("execution"), parts.fingerprint.get("model")
    execution = execution if isinstance(execution, dict) else {}
    host, before = endpoint_host(settings.endpoint), str(execution.get("endpoint_host", ""))
    if before and host != before:
        changes.append(FurtherChange("endpoint host", before, host, REVIEW))
    concurrency = execution.get("concurrency")
    if settings.concurrency is not None and concurrency is not None and settings.concurrency != concurrency:
        changes.append(FurtherChange("concurrency", str(concurrency), str(settings.concurrency), REVIEW))
    stored = model.get("runtime_digest") if isinstance(model, dict) else None
    named = model.get("identifier") if isinstance(model, dict) else None
    name = settings.model or (named.get("value") if isinstance(named, dict) else None)
    if isinstance(stored, dict) and stored.get("state") in PRESENT and isinstance(name, str):
        now = runtime_digest(found, name)
        if now.get("state") in PRESENT and now["value"] != stored.get("value"):
            weights = next((group for group, listed in declared.items() if _lists(listed, "model_weights")), "")
            severity = max(SEVERITY.get(weights, REVIEW), REVIEW)
            changes.append(
                FurtherChange("digest of the model", str(stored.get("value")), now["value"], severity)
            )
    return changes


def _lists(listed: JsonValue, trigger: str) -> bool:
    return isinstance(listed, list) and trigger in listed
