"""What is sent and in which order: qualification-pack format, section 7."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from packs.canonical import JsonValue
from packs.qualification.extras import effective_extras
from packs.qualification.pack import Case, QualificationPack

CHAT_PATH = "/chat/completions"
SAMPLING_NAMES = ("temperature", "top_p", "seed", "max_tokens")


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """One request: case and pass. run_index 0 decides, higher ones are repeats of the variance subset."""

    case: Case
    run_index: int

    @property
    def key(self) -> tuple[int, str, str]:
        """Run, corpus and case: the order of everything in a bundle."""
        return (self.run_index, self.case.corpus, self.case.case_id)


def effective_sampling(
    pack_sampling: Mapping[str, JsonValue],
    pack_extras: Mapping[str, JsonValue],
    flags: Mapping[str, JsonValue],
    extra_body: Mapping[str, JsonValue] | None,
) -> dict[str, JsonValue]:
    """The four sampling values and `request_extras`. A flag that is None leaves the pack's value."""
    values = {
        name: flags[name] if flags.get(name) is not None else pack_sampling[name] for name in SAMPLING_NAMES
    }
    return {**values, "request_extras": effective_extras(dict(pack_extras), dict(extra_body or {}))}


def variance_subset(ids: Iterable[str], fraction: float, seed: JsonValue) -> list[str]:
    """The case ids that repeat runs send again, sorted. fraction in (0, 1]; order drawn by the seed."""
    ordered = sorted(ids)
    size = min(len(ordered), max(1, round(len(ordered) * fraction)))

    def draw(case_id: str) -> str:
        return hashlib.sha256(f"{seed}:{case_id}".encode()).hexdigest()

    return sorted(sorted(ordered, key=draw)[:size])


def plan(pack: QualificationPack, subset: Sequence[str]) -> list[PlannedRequest]:
    """Qualification, challenge, then the subset once for each repeat run."""
    qualification = pack.cases["qualification"]
    chosen = set(subset)
    requests = [PlannedRequest(case, 0) for case in (*qualification, *pack.cases["challenge"])]
    for run_index in range(1, pack.repeat_runs):
        requests.extend(PlannedRequest(case, run_index) for case in qualification if case.case_id in chosen)
    return requests


def request_body(
    case: Case, model: str, sampling: Mapping[str, JsonValue], system_prompt: str | None
) -> dict[str, JsonValue]:
    """The body of one chat-completion request; `sampling` as from `effective_sampling`."""
    system: list[JsonValue] = [{"role": "system", "content": system_prompt}] if system_prompt else []
    extras = sampling.get("request_extras")
    return {
        "model": model,
        "messages": [*system, *(dict(message) for message in case.messages)],
        **{name: sampling[name] for name in SAMPLING_NAMES},
        **(extras if isinstance(extras, dict) else {}),
    }


def chat_url(endpoint: str, interface_path: str) -> str:
    base = endpoint.rstrip("/")
    if base.endswith(CHAT_PATH):
        return base
    if base.endswith("/v1"):
        return base + CHAT_PATH
    return base + (interface_path if interface_path.startswith("/") else "/" + interface_path)


def models_url(endpoint: str) -> str:
    base = endpoint.rstrip("/").removesuffix(CHAT_PATH)
    return base + ("/models" if base.endswith("/v1") else "/v1/models")


def tags_url(endpoint: str) -> str:
    """Where an Ollama server lists its models with digests."""
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.netloc}/api/tags"


def endpoint_host(endpoint: str) -> str:
    return urlsplit(endpoint).hostname or ""
