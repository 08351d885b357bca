"""`packbench models`: this machine, the models found, and whether they fit."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from desktop.cli.command import Command, Json, add_json, at_least
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.fit import CACHE_TYPES, DEFAULT_CONTEXT
from desktop.cli.json_documents import JsonDocument, fields, fit_fields, memory_fields
from desktop.reports import text
from packs import numbers

if TYPE_CHECKING:
    from desktop.application.candidate_fit import ModelFit
    from desktop.inference.machine.machine import Machine
    from desktop.inference.memory_fit.estimator import Estimator
    from desktop.inference.memory_fit.fit import FitModel
    from desktop.inference.model_files.library import FoundModel

_NAME, _WORD, _SPEED = 42, 12, 16


@dataclass(frozen=True, slots=True)
class _Line:
    model: FoundModel
    fit: ModelFit


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--context", type=at_least(1), default=DEFAULT_CONTEXT, metavar="N", help="tokens (%(default)s)"
    )
    parser.add_argument(
        "--kv-type", choices=CACHE_TYPES, default="f16", help="how chat memory is kept (%(default)s)"
    )
    parser.add_argument(
        "--catalogue", action="store_true", help="also well-known models that are not on this computer"
    )
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.application.candidate_fit import fit_of_card
    from desktop.inference.model_files.library import merge_duplicates, unread_twins

    services = context.services
    machine = services.with_memory_speed(services.machine())
    estimator = services.estimator(machine)
    cards = services.cards()
    scanned = services.library().scan(cards)
    cards.save()
    if unread_twins(scanned, cards):
        context.terminal.note("Some files are of equal size; they are compared once, which may take a while.")
    found = merge_duplicates(scanned, cards)
    lines = [
        _Line(
            model,
            fit_of_card(
                model.card,
                arguments.context,
                estimator,
                cache_type=arguments.kv_type,
                smaller=partial(_quantizations, model, found),
            ),
        )
        for model in found
    ]
    others = _catalogue(arguments, estimator) if arguments.catalogue else []
    if arguments.json:
        context.terminal.document(DOCUMENT.stamped(_document(machine, lines, others, arguments)))
    else:
        _print(machine, lines, others, arguments.context, context)
    return Exit.DONE


def _quantizations(model: FoundModel, found: Sequence[FoundModel]) -> list[tuple[str, FitModel]]:
    """The others of its family that are here."""
    from desktop.inference.memory_fit.fit import FitModel

    return [
        (other.card.quantization or other.name, FitModel.of(other.card.facts))
        for other in found
        if other.card.facts is not None and other is not model and other.card.family == model.card.family
    ]


def _catalogue(arguments: argparse.Namespace, estimator: Estimator) -> list[Json]:
    from desktop.inference.memory_fit.fit import FitModel
    from desktop.inference.model_files.catalogue import load_catalogue

    found: list[Json] = []
    for entry in load_catalogue():
        model = FitModel.of(entry.facts)
        settings = estimator.settings(model, arguments.context, cache_type=arguments.kv_type)
        estimate = estimator.estimate(model, settings)
        found.append(
            {
                "name": entry.name,
                "quantization": entry.quantization,
                "licence": entry.licence,
                "link": entry.link,
                "source": f"{entry.source}, read {entry.read}",
                "size_mib": entry.facts.file_bytes / 2**20,
                "need_mib": estimate.prediction.need,
                "verdict": estimate.judgement.verdict.value,
            }
        )
    return found


def _document(machine: Machine, lines: list[_Line], others: list[Json], arguments: argparse.Namespace) -> Json:
    from desktop.application.candidate_fit import arithmetic, fit_figures
    from desktop.inference.machine.machine_report import machine_json

    return {
        "machine": machine_json(machine),
        "context_tokens": arguments.context,
        "kv_type": arguments.kv_type,
        "models": [
            {
                "name": line.model.name,
                "family": line.model.card.family,
                "places": [{"owner": place.owner, "path": str(place.path)} for place in line.model.places],
                "digest": line.model.digest,
                "kind": line.model.card.kind.value,
                "architecture": line.model.card.architecture,
                "quantization": line.model.card.quantization,
                "licence": line.model.card.licence,
                "parameters": line.model.card.parameters,
                "size_bytes": line.model.card.size_bytes,
                "unsuitable_because": line.model.card.problem or None,
                "verdict": line.fit.verdict.value if line.model.card.can_run else None,
                "words": line.fit.message,
                "arithmetic": arithmetic(line.fit) or None,
                **fit_figures(line.fit),
            }
            for line in lines
        ],
        **({"catalogue": others} if others else {}),
    }


def _print(
    machine: Machine, lines: list[_Line], others: list[Json], context_tokens: int, context: Context
) -> None:
    out = context.terminal
    processor, memory = machine.processor, machine.memory
    cores = f", {numbers.count(processor.physical_cores, 'core')}" if processor.physical_cores else ""
    out.line(f"{out.style('This computer', 'bold')}: {text.one_line(processor.name)}{cores}")
    out.line(
        f"  memory {numbers.gibibytes(memory.total_mib)}, {numbers.gibibytes(memory.available_mib)} free now"
        + (f", limited by {text.one_line(memory.limit.who)}" if memory.limit else "")
    )
    for device in machine.devices:
        out.line(f"  graphics {text.one_line(device.name)}, {numbers.gibibytes(device.total_mib)}")
    for message in machine.corrected:
        out.line(f"  set by you: {message}")
    out.line()
    runnable = [line for line in lines if line.model.card.can_run]
    if not runnable:
        out.paragraph(
            f"No models were found. Put GGUF files into {context.paths.models}, or name a file with "
            "'packbench fit MODEL.gguf' and 'packbench run PACK --model MODEL.gguf'."
        )
    else:
        out.line(f"{out.style('Models', 'bold')} at a context of {context_tokens:,} tokens")
        out.line(out.style(_row("", "needs", "", "speed", "largest context", "found in"), "muted"))
        for line in sorted(runnable, key=lambda entry: entry.model.card.size_bytes):
            _print_model(line, context)
    aside = [line for line in lines if not line.model.card.can_run]
    if aside:
        out.line()
        out.line(out.style("Not for prompts", "bold"))
        for line in aside:
            out.paragraph(
                f"{text.one_line(line.model.name)}: {text.one_line(line.model.card.problem, 300)}", "  "
            )
    if others:
        out.line()
        out.line(out.style("Not on this computer", "bold"))
        for entry in others:
            name = f"{entry['name']} {entry['quantization']}"
            need = f"{entry['need_mib'] / 1024:.2f} GiB"
            out.line(_row(name, need, _TEXTS[entry["verdict"]], "", "", ""))


def _print_model(line: _Line, context: Context) -> None:
    from desktop.inference.memory_fit.speed import speed_figures

    out, fit = context.terminal, line.fit
    need = f"{fit.prediction.need / 1024:.2f} GiB" if fit.prediction else "unknown"
    speed = speed_figures(fit.speed) if fit.speed else "unknown"
    largest = f"{fit.largest_context:,}" if fit.largest_context else "none"
    owners = ", ".join(dict.fromkeys(place.owner for place in line.model.places))
    out.line(_row(line.model.name, need, _TEXTS[fit.verdict.value], speed, largest, owners))
    if fit.prediction is not None and fit.prediction.is_estimate:
        out.line("    a wider estimate: it has no rules of its own here")
    if fit.measured is not None and fit.measured.peak_mib is not None:
        peak = numbers.gibibytes(fit.measured.peak_mib)
        out.line(f"    measured {peak} at its highest on {numbers.moment(fit.measured.at)}")


_TEXTS = {
    "comfortable": "comfortable",
    "fits": "fits",
    "tight": "tight",
    "no": "does not fit",
    "unknown": "not known",
}


def _row(name: str, need: str, verdict: str, speed: str, largest: str, place: str) -> str:
    shown = text.one_line(name, _NAME)
    return (
        f"  {shown:<{_NAME}} {need:>10}  {verdict:<{_WORD}} {speed:<{_SPEED}} {largest:>15}  {place}".rstrip()
    )


DOCUMENT = JsonDocument(
    "packbench-models/1",
    (
        *fields(
            ("machine", "object", "this computer"),
            ("machine.system", "string", "operating system"),
            ("machine.processor", "object", "as the system tells"),
            ("machine.processor.name", "string", "name"),
            ("machine.processor.architecture", "string", "x86_64, arm64 and the like"),
            ("machine.processor.physical_cores", "integer or null", "cores"),
            ("machine.processor.logical_cores", "integer or null", "threads that run at once"),
            ("machine.processor.features", "array", "abilities that the engine uses"),
            ("machine.processor.source", "string", "where that comes from"),
        ),
        *memory_fields("machine.memory"),
        *fields(
            ("machine.graphics", "array", "graphics devices"),
            ("machine.graphics[].name", "string", "name"),
            ("machine.graphics[].total_mib", "number or null", "its memory"),
            ("machine.graphics[].free_mib", "number or null", "free now"),
            ("machine.graphics[].shares_memory", "boolean or null", "does it use main memory?"),
            ("machine.graphics[].source", "string", "where that comes from"),
            ("machine.graphics[].problem", "string", "why something is unknown"),
            ("machine.memory_speed_gbps", "number or null", "GB/s, as measured"),
            ("machine.memory_speed_measured", "string or null", "when"),
            ("machine.set_by_person", "array", "figures that you have corrected"),
            ("context_tokens", "integer", "for this context"),
            ("kv_type", "string", "how the context is kept in memory"),
            ("models", "array", "found here"),
            ("models[].name", "string", "as other commands take it"),
            ("models[].family", "string", "the model without size and quantization"),
            ("models[].places", "array", "where its file lies"),
            ("models[].places[].owner", "string", "the program that put it there"),
            ("models[].places[].path", "string", "the file"),
            ("models[].digest", "string or null", "SHA-256; null until it was needed"),
            ("models[].kind", "string", "what the file is"),
            ("models[].architecture", "string or null", "as its header says"),
            ("models[].quantization", "string or null", "as its header says"),
            ("models[].licence", "string or null", "as its header says"),
            ("models[].parameters", "integer or null", "how many"),
            ("models[].size_bytes", "integer", "size of the file"),
            ("models[].unsuitable_because", "string or null", "why it cannot be run"),
            ("models[].verdict", "string or null", "whether it fits; null when it cannot be run"),
            ("models[].words", "string", "the same as a sentence"),
            ("models[].arithmetic", "object or null", "the sum behind it, in MiB"),
        ),
        *fit_fields("models[]."),
        *fields(
            ("catalogue?", "array", "with --catalogue: well-known models that are not here"),
            ("catalogue[].name", "string", "the model"),
            ("catalogue[].quantization", "string", "the file of it that is meant"),
            ("catalogue[].licence", "string", "its licence"),
            ("catalogue[].link", "string", "its page"),
            ("catalogue[].source", "string", "where the figures come from"),
            ("catalogue[].size_mib", "number", "size of the file"),
            ("catalogue[].need_mib", "number or null", "memory needed"),
            ("catalogue[].verdict", "string", "whether it fits"),
        ),
    ),
)

COMMAND = Command(
    "models",
    "Shows this computer and the models found on it, with the memory each one needs and whether it fits.",
    describe,
    run,
    ("packbench models --context 8192", "packbench models --catalogue"),
    documents=(DOCUMENT,),
)
