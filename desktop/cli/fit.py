"""`packbench fit MODEL.gguf`: does this model fit here, with its arithmetic."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.cli.command import Command, Json, add_json, at_least
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields, fit_fields, memory_fields
from desktop.reports import text
from packs import numbers

if TYPE_CHECKING:
    from desktop.application.candidate_fit import ModelFit
    from desktop.inference.machine.machine import Machine
    from desktop.inference.memory_fit.fit import FitModel
    from desktop.inference.model_files.file_card import FileCard

CACHE_TYPES = ("f16", "q8_0", "q4_0")
DEFAULT_CONTEXT = 4096
RULES = ("full", "simple")


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL.gguf", help="a GGUF file; of a split model its first part")
    parser.add_argument(
        "--context", type=at_least(1), default=DEFAULT_CONTEXT, metavar="N", help="tokens (%(default)s)"
    )
    parser.add_argument(
        "--kv-type", choices=CACHE_TYPES, default="f16", help="how chat memory is kept (%(default)s)"
    )
    parser.add_argument(
        "--rule",
        choices=RULES,
        default="full",
        help="full: part by part; simple: the short rule of the task-pack format (%(default)s)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.application.candidate_fit import fit_of_card
    from desktop.inference.memory_fit.verdict import FitVerdict
    from desktop.inference.model_files.file_card import read_card
    from desktop.inference.model_files.gguf import read_gguf

    path = Path(arguments.model).expanduser()
    # Asked for by name: a broken file is an error of the command, not a line in a list.
    read_gguf(path)
    card = read_card(path)
    machine = context.services.with_memory_speed(context.services.machine())
    if arguments.rule == "simple":
        return _simple(card, arguments, machine, context)
    fit = fit_of_card(
        card,
        arguments.context,
        context.services.estimator(machine),
        cache_type=arguments.kv_type,
        smaller=lambda: _quantizations(card.family),
    )
    if arguments.json:
        context.terminal.document(FULL.stamped(_document(card, fit, arguments, machine)))
    else:
        _print(card, fit, arguments.context, context)
    return Exit.PROBLEMS if fit.verdict is FitVerdict.NO else Exit.DONE


def _quantizations(family: str) -> list[tuple[str, FitModel]]:
    """Those of the model that the catalogue knows."""
    from desktop.inference.memory_fit.fit import FitModel
    from desktop.inference.model_files.catalogue import load_catalogue

    return [
        (entry.quantization, FitModel.of(entry.facts))
        for entry in load_catalogue()
        if entry.name.casefold() == family.casefold()
    ]


def _simple(card: FileCard, arguments: argparse.Namespace, machine: Machine, context: Context) -> int:
    from desktop.application.candidate_fit import simple_text

    free = machine.memory.available_mib
    verdict, predicted = simple_text(card, arguments.context, free)
    out = context.terminal
    if arguments.json:
        out.document(
            SIMPLE.stamped(
                {
                    "model": card.path.name,
                    "rule": "simple",
                    "context_tokens": arguments.context,
                    "verdict": verdict,
                    "predicted_mib": predicted,
                    "free_mib": free,
                }
            )
        )
    else:
        out.line(out.style(text.one_line(card.path.name), "bold") + f"  {verdict}")
        out.paragraph(
            f"By the short rule it needs {numbers.gibibytes(predicted)}; {numbers.gibibytes(free)} are free. "
            "The rule leaves much out: without --rule the program's own arithmetic is used.",
            "  ",
        )
    return Exit.PROBLEMS if verdict == "does-not-fit" else Exit.DONE


def _document(card: FileCard, fit: ModelFit, arguments: argparse.Namespace, machine: Machine) -> Json:
    from desktop.application.candidate_fit import arithmetic, fit_figures
    from desktop.inference.machine.machine_report import memory_json

    return {
        "model": card.path.name,
        "architecture": card.architecture,
        "quantization": card.quantization,
        "file_bytes": card.size_bytes,
        "rule": "full",
        "context_tokens": arguments.context,
        "kv_type": arguments.kv_type,
        "verdict": fit.verdict.value,
        "words": fit.message,
        "arithmetic": arithmetic(fit) or None,
        **fit_figures(fit),
        "memory": memory_json(machine.memory),
        "remedies": [
            {
                "kind": remedy.kind.value,
                "quantization": remedy.label or None,
                "context_tokens": remedy.settings.context_tokens,
                "need_mib": remedy.need,
                "saves_mib": remedy.saves,
            }
            for remedy in fit.remedies
        ],
    }


def _print(card: FileCard, fit: ModelFit, context_tokens: int, context: Context) -> None:
    from desktop.inference.memory_fit.speed import speed_figures, speed_sentence

    out = context.terminal
    kind = f"{card.architecture or 'unknown architecture'}, {card.quantization or 'unknown quantization'}"
    size = numbers.gibibytes(card.size_bytes / 2**20)
    out.line(out.style(text.one_line(card.path.name), "bold") + f"  {text.one_line(kind)}, {size}")
    out.paragraph(text.one_line(fit.message, 400))
    if fit.prediction is not None:
        found = fit.prediction
        for name, mib in (
            ("weights", found.weights),
            (f"chat memory, {numbers.count(context_tokens, 'token')}", found.chat_memory),
            ("working memory", found.working_memory),
            ("program", found.program),
            ("needed", found.need),
            ("highest, while loading", found.peak),
        ):
            out.line(f"  {name:<28} {mib:>10,.0f} MiB")
        if found.is_estimate:
            out.paragraph("The architecture has no rules of its own here, so this is a wider estimate.", "  ")
    if fit.measured is not None and fit.measured.peak_mib is not None:
        day = numbers.moment(fit.measured.at)
        out.line(f"  {'measured here, ' + day:<28} {fit.measured.peak_mib:>10,.0f} MiB")
    if fit.largest_context:
        out.line(f"  largest context that fits: {fit.largest_context:,} tokens")
    if fit.trained_context and context_tokens > fit.trained_context:
        out.paragraph(
            f"It was trained with {fit.trained_context:,} tokens; beyond that answers get worse.", "  "
        )
    if fit.speed is not None:
        middle = (fit.speed.low + fit.speed.high) / 2
        out.line(f"  {speed_sentence(middle)} Expected: {speed_figures(fit.speed)}")


FULL = JsonDocument(
    "packbench-fit/1",
    (
        *fields(
            ("model", "string", "the file's name"),
            ("architecture", "string or null", "as its header says"),
            ("quantization", "string or null", "as its header says"),
            ("file_bytes", "integer", "size of the file"),
            ("rule", "string", "full: the program's own arithmetic"),
            ("context_tokens", "integer", "for this context"),
            ("kv_type", "string", "how the context is kept in memory"),
            ("verdict", "string", "comfortable, fits, tight, no or unknown"),
            ("words", "string", "the same as a sentence"),
            ("arithmetic", "object or null", "the sum behind it, in MiB"),
        ),
        *fit_fields(""),
        *memory_fields("memory"),
        *fields(
            ("remedies", "array", "what would make it fit, the mildest first"),
            ("remedies[].kind", "string", "what is changed"),
            ("remedies[].quantization", "string or null", "another quantization of it"),
            ("remedies[].context_tokens", "integer", "the context then"),
            ("remedies[].need_mib", "number", "memory needed then"),
            ("remedies[].saves_mib", "number", "how much less that is"),
        ),
    ),
)
SIMPLE = JsonDocument(
    "packbench-fit-simple/1",
    fields(
        ("model", "string", "the file's name"),
        ("rule", "string", "simple: the short rule of other tools"),
        ("context_tokens", "integer", "for this context"),
        ("verdict", "string", "fits, tight or does-not-fit"),
        ("predicted_mib", "number or null", "memory needed by that rule"),
        ("free_mib", "number or null", "memory free now"),
    ),
    "--rule simple",
)

COMMAND = Command(
    "fit",
    "Tells whether a model fits into this computer's memory, part by part, from its file's header alone.\n"
    "Exit code 1 when it does not fit.",
    describe,
    run,
    ("packbench fit model.gguf --context 8192 --kv-type q8_0",),
    documents=(FULL, SIMPLE),
    exits={0: "it fits, or that is not known", 1: "it does not fit"},
)
