"""What the place says: verdicts, sums, warnings. Pure; unknown is a dash with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop.application.model_entries import ModelRow
from desktop.inference.machine.machine import BandwidthReading, Machine, MemoryReading, ProcessorReading
from desktop.inference.machine.memory_users import MemoryUser
from desktop.inference.memory_fit.speed import speed_figures, speed_sentence, speed_word
from desktop.inference.memory_fit.verdict import FitVerdict, Remedy, RemedyKind

if TYPE_CHECKING:
    from packs.task.model import TaskPack

UNKNOWN = "–"
_BYTES_PER_TOKEN = 3
_TEMPLATE_TOKENS = 32
CHIP_KEYS = {
    FitVerdict.COMFORTABLE: "comfortable",
    FitVerdict.FITS: "fits",
    FitVerdict.TIGHT: "tight",
    FitVerdict.NO: "does-not-fit",
    FitVerdict.UNKNOWN: "unknown",
}
CACHE_TEXT = (("16 bit", "f16"), ("8 bit", "q8_0"), ("4 bit", "q4_0"))


def gib(mib: float | None) -> str:
    """Two decimals, as columns and sentences show it."""
    return UNKNOWN if mib is None else f"{mib / 1024:,.2f}"


def headline(row: ModelRow) -> str:
    """'Llama-3.1-8B Q8_0 is tight here'."""
    endings = {
        FitVerdict.COMFORTABLE: "fits comfortably here",
        FitVerdict.FITS: "fits here",
        FitVerdict.TIGHT: "is tight here",
        FitVerdict.NO: "does not fit here",
        FitVerdict.UNKNOWN: "is not known to fit",
    }
    if row.entry.problem:
        return f"{row.entry.name} cannot be run"
    return f"{row.entry.name} {endings[row.verdict]}"


def reason(row: ModelRow, free_mib: float | None, offered: bool | None = None) -> str:
    """What the verdict means for the person. offered: is what would help shown below? None: not asked."""
    if row.entry.problem:
        return row.entry.problem
    if row.estimate is None:
        return "Nothing is known about the memory it needs."
    need = f"It needs {gib(row.need_mib)} GiB"
    if row.measured is not None and row.measured.peak_mib is not None:
        need = f"It took {gib(row.measured.peak_mib)} GiB here on {day(row.measured.at)}"
    if free_mib is None:
        return f"{need}; how much memory is free is not known."
    free = f"{need}; {gib(free_mib)} GiB are free now."
    more = {
        FitVerdict.COMFORTABLE: " There is room for other programs.",
        FitVerdict.FITS: " While it loads, the computer may be slow for a moment.",
        FitVerdict.TIGHT: " It would run, but the computer could slow down. Close other programs"
        + (", or:" if offered else "."),
        FitVerdict.NO: f" It is short of {gib(row.estimate.judgement.short)} GiB."
        + (" No single setting makes it fit." if offered is False else ""),
        FitVerdict.UNKNOWN: "",
    }
    return free + more[row.verdict]


def remedy_text(remedy: Remedy) -> str:
    """On a button: 'Keep the chat memory at 8 bit: −0.48 GiB'."""
    what = {
        RemedyKind.SMALL_CACHE: "Keep the chat memory at 8 bit",
        RemedyKind.SHORTER_CONTEXT: f"Context {remedy.settings.context_tokens // remedy.settings.slots:,}",
        RemedyKind.SMALL_BATCH: "Read prompts in smaller steps",
        RemedyKind.SMALLER_QUANTIZATION: f"Use {remedy.label}",
        RemedyKind.LOAD_MODE: "Load it the other way",
    }[remedy.kind]
    return f"{what}: −{gib(remedy.saves)} GiB"


def speed_cell(row: ModelRow) -> tuple[str, str]:
    """('fast', '18 – 27 tok/s'); dashes where it is not known or does not fit."""
    measured = row.measured.tokens_per_second if row.measured else None
    if measured:
        return speed_word(measured), f"{measured:.0f} tok/s here"
    if row.estimate is None or row.estimate.speed is None or row.verdict is FitVerdict.NO:
        return UNKNOWN, ""
    speed = row.estimate.speed
    return speed_word((speed.low + speed.high) / 2), speed_figures(speed)


def speed_reason(row: ModelRow) -> str:
    if row.measured and row.measured.tokens_per_second:
        return f"{speed_sentence(row.measured.tokens_per_second)} Measured here on {day(row.measured.at)}."
    if row.estimate is None or row.entry.problem:
        return "It cannot be run."
    if row.verdict is FitVerdict.NO:
        return "It does not fit, so no speed is told."
    speed = row.estimate.speed
    if speed is None:
        return "The memory's speed has not been measured yet."
    basis = (
        "Corrected by runs on this computer."
        if speed.calibrated
        else "A wide estimate: nothing has run here yet."
    )
    return f"{speed_sentence((speed.low + speed.high) / 2)} {basis}"


def largest_text(row: ModelRow) -> str:
    if row.entry.model is None:
        return UNKNOWN
    return f"{row.largest:,}" if row.largest else "does not fit"


def measured_text(row: ModelRow) -> str:
    return f"{gib(row.measured.peak_mib)} GiB" if row.measured and row.measured.peak_mib else UNKNOWN


def measured_reason(row: ModelRow) -> str:
    if row.measured and row.measured.peak_mib:
        return f"The highest it took here, on {day(row.measured.at)}, with {row.measured.engine}."
    if row.entry.measurements:
        contexts = sorted({entry.context_tokens for entry in row.entry.measurements})
        return f"Measured here only with {', '.join(f'{context:,}' for context in contexts[:4])} tokens."
    return "It has not run on this computer yet."


def needed_context(pack: TaskPack) -> int:
    """Tokens that the longest prompt and its answer take, about and on the safe side; a multiple of 64.

    Ordinary text has some four bytes a token, many other scripts three; templates add some thirty tokens.
    """
    longest = max(
        (len(pack.rendered(example).encode("utf-8", "replace")) for example in pack.examples), default=0
    )
    tokens = -(-longest // _BYTES_PER_TOKEN) + _TEMPLATE_TOKENS + pack.generation.max_tokens
    return -(-tokens // 64) * 64


def users_sentence(users: tuple[MemoryUser, ...]) -> str:
    """Names and sizes of other programs, nothing else."""
    if not users:
        return ""
    named = ", ".join(f"{user.name} {user.mib / 1024:.1f} GiB" for user in users[:3])
    return f"It would fit with other programs closed. Most memory is used by {named}."


def day(iso: str) -> str:
    """'30 Nov 2026' of a time in ISO 8601; the text itself when it is none."""
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    try:
        year, month, date = (int(part) for part in iso[:10].split("-"))
        return f"{date} {months[month - 1]} {year}"
    except (ValueError, IndexError):
        return iso


def processor_text(processor: ProcessorReading) -> tuple[str, str]:
    """The figure and the probe that said so."""
    cores = f"{processor.physical_cores} cores" if processor.physical_cores else "cores not known"
    ability = next(
        (word for flag, word in (("avx2", "AVX2"), ("asimddp", "dot product")) if flag in processor.features),
        "",
    )
    return (f"{cores}, {ability}" if ability else cores), processor.problem or processor.source


def memory_text(memory: MemoryReading) -> tuple[str, str]:
    if memory.total_mib is None or memory.available_mib is None:
        return "not known", memory.problem
    total, free = memory.total_mib / 1024, memory.available_mib / 1024
    source = f"{memory.limit.limit_mib / 1024:.1f} GiB at most: {memory.limit.who}" if memory.limit else "live"
    return f"{total:.1f} GiB, {free:.1f} free", source


def graphics_text(machine: Machine) -> tuple[str, str]:
    devices = machine.devices
    if not devices:
        problems = [answer.problem for answer in machine.graphics if answer.problem]
        return "none used", problems[0] if problems else "nothing was asked"
    first = devices[0]
    size = f", {first.total_mib / 1024:.0f} GiB" if first.total_mib else ""
    return f"{first.name}{size}", "seen, not used by the built-in engine"


def bandwidth_text(reading: BandwidthReading | None) -> tuple[str, str]:
    if reading is None:
        return "not measured yet", "is measured in the background"
    if not reading.rounds:
        return f"{reading.gbps:.0f} GB/s", reading.taken_at
    busy = "; other programs were busy" if reading.busy else ""
    return f"{reading.gbps:.0f} GB/s", f"measured {day(reading.taken_at)}{busy}"
