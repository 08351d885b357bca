"""`packbench fit MODEL.gguf`: does this model fit here, with its arithmetic."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop.cli.command import Command, add_json, at_least
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.reports import numbers, text

CACHE_TYPES = ("f16", "q8_0", "q4_0")
DEFAULT_CONTEXT = 4096


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL.gguf", help="a GGUF file; of a split model its first part")
    parser.add_argument(
        "--context", type=at_least(1), default=DEFAULT_CONTEXT, metavar="N", help="tokens (%(default)s)"
    )
    parser.add_argument(
        "--kv-type", choices=CACHE_TYPES, default="f16", help="how chat memory is kept (%(default)s)"
    )
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.hardware.gguf import read_gguf
    from desktop.hardware.machine_report import memory_json
    from desktop.hardware.speed import speed_figures
    from desktop.hardware.verdict import Verdict
    from desktop.model_fit import arithmetic, fit_of

    path = Path(arguments.model).expanduser()
    header = read_gguf(path)
    machine = context.services.machine()
    fit = fit_of(path, arguments.context, machine, cache_type=arguments.kv_type)
    out = context.terminal
    if arguments.json:
        out.document(
            {
                "model": path.name,
                "architecture": header.architecture,
                "quantization": header.quantization,
                "file_bytes": header.file_bytes,
                "context_tokens": arguments.context,
                "kv_type": arguments.kv_type,
                "verdict": fit.verdict.value,
                "words": fit.words,
                "arithmetic": arithmetic(fit) or None,
                "largest_context_tokens": fit.largest_context,
                "trained_context_tokens": fit.trained_context,
                "memory": memory_json(machine.memory),
                "remedies": [
                    {"kind": remedy.kind.value, "need_mib": remedy.need, "saves_mib": remedy.saves}
                    for remedy in fit.remedies
                ],
            }
        )
    else:
        kind = (
            f"{header.architecture or 'unknown architecture'}, {header.quantization or 'unknown quantization'}"
        )
        out.line(
            out.style(text.one_line(path.name), "bold")
            + f"  {kind}, {numbers.gibibytes(header.file_bytes / 2**20)}"
        )
        out.paragraph(fit.words)
        if fit.prediction is not None:
            found = fit.prediction
            for name, mib in (
                ("weights", found.weights),
                ("chat memory", found.chat_memory),
                ("working memory", found.working_memory),
                ("program", found.program),
            ):
                out.line(f"  {name:<15} {mib:>10,.0f} MiB")
            out.line(f"  {'needed':<15} {found.need:>10,.0f} MiB at a context of {arguments.context:,} tokens")
            if found.is_estimate:
                out.paragraph(
                    "The architecture has no rules of its own here, so this is a wider estimate.", "  "
                )
        if fit.largest_context:
            out.line(f"  largest context that fits: {fit.largest_context:,} tokens")
        if fit.trained_context and arguments.context > fit.trained_context:
            out.paragraph(
                f"It was trained with {fit.trained_context:,} tokens; beyond that answers get worse.", "  "
            )
        if fit.speed is not None:
            out.line(f"  expected speed: {speed_figures(fit.speed)}")
    return Exit.PROBLEMS if fit.verdict is Verdict.NO else Exit.DONE


COMMAND = Command(
    "fit",
    "Tells whether a model fits into this computer's memory, part by part, from its file's header alone.\n"
    "Exit code 1 when it does not fit.",
    describe,
    run,
    ("packbench fit model.gguf --context 8192 --kv-type q8_0",),
)
