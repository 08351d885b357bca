"""The circumstances of a run in words: where, with what, how measured, what left here, how to repeat."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from urllib.parse import urlsplit

from desktop.inference.backends.source import BUILT_IN, SERVER_HERE
from desktop.reports.data import PackView
from desktop.runs.records import CandidateRecord, RunRecord, UnitRecord
from packs import numbers

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def environment_of(
    run: RunRecord, records: Sequence[CandidateRecord], pack: PackView
) -> tuple[tuple[str, str], ...]:
    """(name, value) lines. No name of a person, host or folder of this machine is among them."""
    lines = [("Started", numbers.moment(run.started_at))]
    if run.finished_at:
        lines.append(("Ended", numbers.moment(run.finished_at)))
    lines.extend(_machine(run.machine))
    engines = dict.fromkeys(record.engine for record in records if record.engine)
    lines.append(("Engine", ", ".join(engines) or f"{run.backend}, {run.backend_version}"))
    options = _options(records)
    if options:
        lines.append(("Engine settings", options))
    gates = f", gates {', '.join(pack.gates)}" if pack.gates else ""
    kind = f", {pack.type}" if pack.type else ""
    lines.append(("Pack", f"{pack.name}{kind}, scorer {pack.scorer}{gates}"))
    lines.append(("Fingerprint of the pack", pack.fingerprint[:12]))
    if pack.generation:
        lines.append(("Generation", generation_text(pack.generation)))
    if run.settings.get("constrained"):
        lines.append(("Answers", "limited to the form that the scorer reads; not comparable with free answers"))
    return tuple(lines)


def generation_text(generation: Mapping[str, object]) -> str:
    """'context 4,096 tokens, at most 24 tokens an answer, temperature 0, seed 42'."""
    parts = []
    context, maximum = generation.get("context"), generation.get("max_tokens")
    if isinstance(context, int):
        parts.append(f"context {context:,} tokens")
    if isinstance(maximum, int):
        parts.append(f"at most {maximum:,} tokens an answer")
    parts.extend(
        f"{name} {generation[name]:g}" for name in ("temperature",) if _is_number(generation.get(name))
    )
    if _is_number(generation.get("seed")):
        parts.append(f"seed {generation['seed']}")
    stop = generation.get("stop")
    if isinstance(stop, list | tuple) and stop:
        parts.append(
            f"an answer ends before {' or '.join(json.dumps(text, ensure_ascii=False) for text in stop)}"
        )
    return ", ".join(parts)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _machine(machine: Mapping[str, object]) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    processor, memory = machine.get("processor"), machine.get("memory")
    if isinstance(processor, Mapping):
        cores = processor.get("physical_cores")
        counted = f", {numbers.count(cores, 'core')}" if isinstance(cores, int) else ""
        lines.append(("Processor", f"{processor.get('name') or 'not known'}{counted}"))
    if isinstance(memory, Mapping):
        total, free = memory.get("total_mib"), memory.get("available_mib")
        if isinstance(total, int | float):
            known = f", {numbers.gibibytes(free)} free at the start" if isinstance(free, int | float) else ""
            limited = f", limited by {memory['limited_by']}" if memory.get("limited_by") else ""
            lines.append(("Memory", f"{numbers.gibibytes(total)}{known}{limited}"))
    graphics = machine.get("graphics")
    devices = graphics if isinstance(graphics, list) else []
    lines.extend(
        ("Graphics", str(device.get("name") or "not known"))
        for device in devices
        if isinstance(device, Mapping)
    )
    if machine.get("system"):
        lines.append(("System", str(machine["system"])))
    corrections = machine.get("set_by_person")
    if isinstance(corrections, list) and corrections:
        lines.append(("Set by the person", "; ".join(str(message) for message in corrections)))
    return lines


_OPTION_TEXT = {
    "threads": "threads",
    "n_threads": "threads",
    "batch_tokens": "batch",
    "n_batch": "batch",
    "kv_cache_type": "chat memory kept as",
    "slots": "slots",
    "context_tokens": "context",
}


def _options(records: Sequence[CandidateRecord]) -> str:
    """Settings that all candidates share, in words; the JSON report has every one of them."""
    reported = [record.load_options for record in records if record.load_options]
    if not reported:
        return ""
    parts = [
        f"{message} {reported[0][key]}"
        for key, message in _OPTION_TEXT.items()
        if key in reported[0] and all(options.get(key) == reported[0][key] for options in reported)
    ]
    return ", ".join(parts)


def label_of(provenance: Mapping[str, object]) -> str:
    """The sentence about a draft that nobody has reviewed; empty for every other pack."""
    if not provenance:
        return ""
    from packs.task.model import Provenance

    try:
        return Provenance(**provenance).label or ""  # type: ignore[arg-type]
    except TypeError:
        return ""


def local_text(run: RunRecord) -> str:
    """What has left this computer: by the address that the run spoke to, and by models that a server here has
    run elsewhere."""
    server = run.settings.get("server")
    address = server.get("address") if isinstance(server, Mapping) else None
    remote = isinstance(server, Mapping) and server.get("local") is False
    host = urlsplit(address).hostname if isinstance(address, str) else None
    if remote or (host is not None and not is_loopback(host)):
        return f"Prompts and inputs have left this computer: they were sent to {host or run.backend}."
    elsewhere = run.settings.get("remote_models")
    if isinstance(elsewhere, list) and elsewhere:
        models = " and ".join(str(name) for name in elsewhere)
        return f"Prompts and inputs have left this computer: {models} ran on somebody else's."
    if server:
        return f"Prompts and inputs were sent to {SERVER_HERE}; what it passes on is not known."
    return "Nothing has left this computer."


def is_loopback(host: str) -> bool:
    return host in _LOOPBACK or host.startswith("127.")


def methodology_of(
    run: RunRecord, records: Sequence[CandidateRecord], units: Sequence[UnitRecord], repetitions: int
) -> tuple[str, ...]:
    """How it was measured, one sentence each, so that a reader can judge the figures."""
    lines = ["Each model ran alone, largest first, after a warm-up answer that does not count."]
    if repetitions > 1:
        lines.append(
            f"Up to {repetitions} repetitions: all examples once, then all again, never one several times in "
            "a row."
        )
    if any(unit.cold is False for unit in units):
        lengths = sorted({size for record in records if isinstance(size := record.prefix.get("tokens"), int)})
        known = f" ({' or '.join(f'{size:,}' for size in lengths)} tokens)" if lengths else ""
        lines.append(
            f"The beginning that all prompts share{known} was read once for each model, and every answer "
            "was started from that state alone, so it does not depend on the order of the examples."
        )
        if any(record.cold_ttft_ms for record in records):
            lines.append("Cold times to the first token were measured apart, on a few whole prompts.")
    elif any(unit.cold for unit in units):
        lines.append("Every prompt was read from nothing.")
    sources = {unit.generation.timing.source for unit in units if unit.generation}
    if "engine" in sources:
        lines.append("Tokens a second come from the engine's own counters.")
    if "counts" in sources:
        lines.append("Tokens a second are the server's count of tokens over the time in which its text came.")
    if sources - {"engine", "counts"}:
        lines.append("Where the server does not count, tokens a second are pieces of text a second.")
    method = run.memory_method or next(
        (record.memory_method for record in records if record.memory_method), None
    )
    if method:
        lines.append(f"Memory: {method}")
    elif run.memory_unknown_because:
        lines.append(f"Memory was not measured: {run.memory_unknown_because}")
    if any(unit.retried for unit in units):
        lines.append("Answers that were asked for again are left out of the medians of time.")
    parallel = run.settings.get("parallel")
    if isinstance(parallel, int) and parallel > 1:
        lines.append(f"{parallel} answers were under way at once: times and memory are the server's.")
    lines.append(
        "Right means that the answer passed in every repetition. Intervals are 95 % Wilson intervals over "
        "examples; repetitions add no examples. Answers that never came about, through no doing of the model, "
        "do not count."
    )
    if run.settings.get("strict"):
        lines.append("Scored strictly: reasoning text counts as part of the answer.")
    return tuple(lines)


def repeat_of(run: RunRecord) -> tuple[str, ...]:
    """The command that does it again. The pack is named by its folder alone, models by their names."""
    settings = run.settings
    parts = ["packbench", "run", PurePath(run.pack_folder.replace("\\", "/")).name or run.pack_name]
    models = settings.get("models")
    for model in models if isinstance(models, list) else ():
        parts += ["--model", PurePath(str(model).replace("\\", "/")).name]
    if run.backend != BUILT_IN.kind:
        parts += ["--backend", run.backend]
    server = settings.get("server")
    if isinstance(server, Mapping) and isinstance(server.get("address"), str) and run.backend != BUILT_IN.kind:
        parts += ["--endpoint", str(server["address"])]
    if isinstance(settings.get("config_path"), str):
        parts += ["--config", PurePath(str(settings["config_path"]).replace("\\", "/")).name]
    for name in ("limit", "repetitions", "threads"):
        if isinstance(settings.get(name), int):
            parts += [f"--{name}", str(settings[name])]
    parallel = settings.get("parallel")
    if isinstance(parallel, int) and parallel > 1:
        parts += ["--parallel", str(parallel)]
    if settings.get("allow_remote"):
        parts.append("--allow-remote")
    parts += [
        f"--{name}" for name in ("force", "strict", "cold", "constrained", "adaptive") if settings.get(name)
    ]
    return (" ".join(shlex.quote(part) for part in parts),)
