"""`packbench models`: this machine, the models found, and whether they fit."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop.cli.command import Command, Json, add_json, at_least
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.fit import DEFAULT_CONTEXT
from desktop.reports import numbers, text

if TYPE_CHECKING:
    from desktop.backends.base import ModelRef
    from desktop.hardware.machine import Machine
    from desktop.model_fit import ModelFit


@dataclass(frozen=True, slots=True)
class _Line:
    model: ModelRef
    fit: ModelFit | None


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--context", type=at_least(1), default=DEFAULT_CONTEXT, metavar="N", help="tokens (%(default)s)"
    )
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.model_fit import fit_of

    machine = context.services.machine()
    models = asyncio.run(context.services.embedded().list_models())
    lines = [
        _Line(model, fit_of(model.path, arguments.context, machine) if model.path else None) for model in models
    ]
    if arguments.json:
        context.terminal.document(_document(machine, lines, arguments.context))
    else:
        _print(machine, lines, arguments.context, context)
    return Exit.DONE


def _document(machine: Machine, lines: list[_Line], context_tokens: int) -> Json:
    from desktop.hardware.machine_report import machine_json
    from desktop.model_fit import arithmetic

    return {
        "machine": machine_json(machine),
        "context_tokens": context_tokens,
        "models": [
            {
                "name": line.model.name,
                "path": str(line.model.path) if line.model.path else None,
                "quantization": line.model.quantization,
                "parameter_count": line.model.parameter_count,
                "size_bytes": line.model.size_bytes,
                "unsuitable_because": line.model.unsuitable_because,
                "verdict": line.fit.verdict.value if line.fit else None,
                "words": line.fit.words if line.fit else None,
                "arithmetic": arithmetic(line.fit) if line.fit else None,
                "largest_context_tokens": line.fit.largest_context if line.fit else None,
            }
            for line in lines
        ],
    }


def _print(machine: Machine, lines: list[_Line], context_tokens: int, context: Context) -> None:
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
    out.line()
    if not lines:
        out.paragraph(
            f"No models were found. Put GGUF files into {context.paths.models}, or name a file with "
            "'packbench fit MODEL.gguf' and 'packbench run PACK --model MODEL.gguf'."
        )
        return
    out.line(f"{out.style('Models', 'bold')}, at a context of {context_tokens:,} tokens")
    for line in lines:
        model = line.model
        facts = ", ".join(
            part
            for part in (
                model.quantization,
                model.parameter_count,
                numbers.gibibytes(model.size_bytes / 2**20) if model.size_bytes else None,
            )
            if part
        )
        out.line(f"  {out.style(text.one_line(model.name), 'bold')}  {text.one_line(facts)}")
        words = model.unsuitable_because or (line.fit.words if line.fit else "")
        out.paragraph(text.one_line(words), "    ")


COMMAND = Command(
    "models",
    "Shows this computer and the models found on it, with the memory each one needs and whether it fits.",
    describe,
    run,
    ("packbench models --context 8192",),
)
