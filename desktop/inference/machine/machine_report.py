"""The machine as text to copy into a message, and as plain JSON for reports and `--json`."""

from __future__ import annotations

from desktop.inference.machine.machine import BandwidthReading, GraphicsReading, Machine, MemoryReading

UNKNOWN = "not known"


def machine_text(machine: Machine) -> str:
    """Every figure with its source, then the raw answers. No name of a person, folder or host is in it."""
    processor, memory = machine.processor, machine.memory
    lines = [
        f"System: {machine.system}",
        f"Processor: {processor.name}, {_count(processor.physical_cores)} physical and "
        f"{_count(processor.logical_cores)} logical cores ({processor.source})",
        f"  abilities: {', '.join(sorted(processor.features)) or UNKNOWN}",
        f"  weights rearranged by the engine: {', '.join(sorted(processor.repack_types)) or 'none'}",
        f"Memory: {mib(memory.total_mib)} in all, {mib(memory.available_mib)} available now ({memory.source})",
    ]
    if memory.limit:
        lines.append(f"  limit: {mib(memory.limit.limit_mib)}, {memory.limit.who}")
    lines += [f"  {problem}" for problem in (processor.problem, memory.problem) if problem]
    for answer in machine.graphics:
        lines += [f"Graphics: {_device(device)}" for device in answer.devices]
        if answer.problem:
            lines.append(f"Graphics: {answer.problem} ({answer.probe})")
    lines.append(f"Memory speed: {_speed(machine.bandwidth)}")
    lines += [f"Set by the person: {message}" for message in machine.corrected]
    lines += ["", "Raw answers:"]
    sources = [processor.raw, memory.raw, *(device.raw for device in machine.devices)]
    lines += [f"  {key} = {value}" for raw in sources for key, value in raw.items()]
    if machine.bandwidth:
        lines.append(f"  rounds of the memory benchmark, GB/s = {list(machine.bandwidth.rounds)}")
    return "\n".join(lines) + "\n"


def machine_json(machine: Machine) -> dict[str, object]:
    """For the journal, reports and `--json`. Unknown is null."""
    processor, memory, speed = machine.processor, machine.memory, machine.bandwidth
    return {
        "system": machine.system,
        "processor": {
            "name": processor.name,
            "architecture": processor.machine,
            "physical_cores": processor.physical_cores,
            "logical_cores": processor.logical_cores,
            "features": sorted(processor.features),
            "source": processor.source,
        },
        "memory": memory_json(memory),
        "graphics": [
            {
                "name": device.name,
                "total_mib": device.total_mib,
                "free_mib": device.free_mib,
                "shares_memory": device.unified,
                "source": device.source,
                "problem": device.problem,
            }
            for device in machine.devices
        ],
        "memory_speed_gbps": speed.gbps if speed else None,
        "memory_speed_measured": speed.taken_at if speed else None,
        "set_by_person": list(machine.corrected),
    }


def memory_json(memory: MemoryReading) -> dict[str, object]:
    return {
        "total_mib": memory.total_mib,
        "available_mib": memory.available_mib,
        "limit_mib": memory.limit.limit_mib if memory.limit else None,
        "limited_by": memory.limit.who if memory.limit else None,
        "source": memory.source,
        "problem": memory.problem,
    }


def mib(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,.0f} MiB"


def gib(value_mib: float | None, digits: int = 1) -> str:
    """MiB in, '9.4 GiB' out."""
    return UNKNOWN if value_mib is None else f"{value_mib / 1024:,.{digits}f} GiB"


def _count(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)


def _device(device: GraphicsReading) -> str:
    shares = {True: "shares the machine's memory", False: "own memory", None: "sharing not known"}[
        device.unified
    ]
    message = f"{device.name}, {mib(device.total_mib)} in all, {mib(device.free_mib)} free, {shares}"
    return f"{message} ({device.source}) {device.problem}".strip()


def _speed(reading: BandwidthReading | None) -> str:
    if reading is None:
        return f"{UNKNOWN}, not measured yet"
    if not reading.rounds:
        return f"{reading.gbps:.0f} GB/s, {reading.taken_at}"
    busy = ", other programs were busy" if reading.busy else ""
    return f"{reading.gbps:.0f} GB/s with {reading.threads} threads, measured {reading.taken_at}{busy}"
