"""Graphics devices and their memory, one small class for each interface that can be asked.

The engine that comes along computes on the processor; what is found here is shown, and decides nothing yet. No
machine with such a device was at hand: the probes follow the documentation, and each source says so.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from desktop.inference.machine.machine import GraphicsReading, ProbeAnswer
from desktop.inference.machine.probe_processor import Sysctl, run_sysctl

_MIB = 1 << 20
_APU_CARVE_OUT_MIB = 2048
_VENDORS = {"0x1002": "AMD", "0x8086": "Intel", "0x10de": "NVIDIA"}
_UNCHECKED = "not yet checked on such a machine"
_NO_FIGURE = "The driver gives no size of its memory; it likely shares the machine's."


class GraphicsProbe(Protocol):
    name: str

    def read(self) -> ProbeAnswer:
        """Never raises: a failure is an answer."""


class NvidiaProbe:
    """NVIDIA's management library. `module`: pynvml or what stands for it."""

    name = "NVIDIA driver (NVML)"

    def __init__(self, module: Any = None) -> None:
        self._module = module

    def read(self) -> ProbeAnswer:
        try:
            nvml = self._module or _import_pynvml()
            nvml.nvmlInit()
        except Exception as error:
            # No driver, no library, no card: the library has an exception class of its own for each.
            return ProbeAnswer(self.name, (), f"No NVIDIA driver answered ({_message(error)}).")
        try:
            count = nvml.nvmlDeviceGetCount()
            devices = tuple(self._device(nvml, index) for index in range(min(count, 64)))
            return ProbeAnswer(self.name, devices, "" if devices else "The driver knows no device.")
        except Exception as error:
            return ProbeAnswer(self.name, (), f"The NVIDIA driver failed ({_message(error)}).")
        finally:
            with contextlib.suppress(Exception):
                nvml.nvmlShutdown()

    def _device(self, nvml: Any, index: int) -> GraphicsReading:
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        name = nvml.nvmlDeviceGetName(handle)
        name = name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
        source = f"{self.name}, {_UNCHECKED}"
        try:
            memory = nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
        except Exception as error:
            # Boards that share the machine's memory answer 'not supported'.
            shared = "not supported" in _message(error).lower()
            return GraphicsReading(
                name, None, None, True if shared else None, source, f"No memory figures ({_message(error)})."
            )
        raw = {key: str(getattr(memory, key, "")) for key in ("total", "free", "used", "reserved")}
        total, free = _amount(memory.total), _amount(getattr(memory, "free", None), least=0)
        if total is None:
            # Boards that share the machine's memory also answer 0 or '[N/A]'.
            return GraphicsReading(name, None, None, True, source, _NO_FIGURE, raw)
        return GraphicsReading(name, total, free, False, source, "", raw)


class KernelFilesProbe:
    """AMD and Intel on Linux: /sys/class/drm. NVIDIA's own driver keeps no memory figures there."""

    name = "Linux kernel (/sys/class/drm)"

    def __init__(self, root: Path = Path("/")) -> None:
        self._folder = root / "sys/class/drm"

    def read(self) -> ProbeAnswer:
        try:
            cards = sorted(
                entry for entry in self._folder.iterdir() if re.fullmatch(r"card\d{1,3}", entry.name)
            )
        except OSError:
            return ProbeAnswer(self.name, (), "The kernel lists no graphics device.")
        devices = tuple(found for card in cards if (found := self._device(card)))
        return ProbeAnswer(self.name, devices, "" if devices else "The kernel lists no AMD or Intel device.")

    def _device(self, card: Path) -> GraphicsReading | None:
        vendor = _VENDORS.get(_text(card / "device/vendor"))
        if vendor is None or vendor == "NVIDIA":
            return None
        raw = {"card": card.name}
        figures: dict[str, float] = {}
        for key in ("vram_total", "vram_used", "gtt_total", "gtt_used"):
            answer = _text(card / f"device/mem_info_{key}")
            if answer.isdigit():
                raw[f"mem_info_{key}"] = answer
                figures[key] = int(answer) / _MIB
        source = f"{self.name}, {_UNCHECKED}"
        name = f"{vendor} graphics {_text(card / 'device/device')}".strip()
        total = figures.get("vram_total") or None
        if total is None and vendor == "AMD" and "vram_total" in figures:
            return GraphicsReading(name, None, None, True, source, _NO_FIGURE, raw)
        if total is None:
            why = (
                "It uses the machine's memory." if vendor == "Intel" else "The driver gives no memory figures."
            )
            return GraphicsReading(name, None, None, vendor == "Intel" or None, source, why, raw)
        used = figures.get("vram_used")
        if total <= _APU_CARVE_OUT_MIB:
            # Part of the processor: a small carve-out, the rest is the machine's own memory (GTT).
            pool = total + figures.get("gtt_total", 0.0)
            taken = None if used is None else used + figures.get("gtt_used", 0.0)
            return GraphicsReading(name, pool, None if taken is None else pool - taken, True, source, "", raw)
        return GraphicsReading(name, total, None if used is None else total - used, False, source, "", raw)


class AppleProbe:
    """Macs: one pool of memory, of which the system lets the graphics part use a share."""

    name = "macOS (sysctl)"

    def __init__(self, sysctl: Sysctl = run_sysctl) -> None:
        self._sysctl = sysctl

    def read(self) -> ProbeAnswer:
        total = _whole(self._sysctl("hw.memsize"))
        if total is None:
            return ProbeAnswer(self.name, (), "sysctl did not tell the size of the memory.")
        if self._sysctl("hw.optional.arm64") != "1":
            return ProbeAnswer(self.name, (), "No Apple processor: its graphics memory is not read.")
        set_by_hand = _whole(self._sysctl("iogpu.wired_limit_mb")) or 0
        gib = total / 2**30
        # Documented shares of unified memory: two thirds up to 36 GB, three quarters above.
        share = total / _MIB * (2 / 3 if gib <= 36 else 3 / 4)
        bound = float(set_by_hand) if set_by_hand else share
        raw = {"hw.memsize": str(total), "iogpu.wired_limit_mb": str(set_by_hand)}
        problem = (
            "" if set_by_hand else "The share is the documented one; the system was not asked for its own."
        )
        reading = GraphicsReading(
            "Apple graphics", bound, None, True, f"{self.name}, not yet checked on a Mac", problem, raw
        )
        return ProbeAnswer(self.name, (reading,))


class WindowsProbe:
    """Windows: name and memory of the display adapters from the registry.

    `adapters`: pairs of name and bytes. WMI is not asked: its figure stops at 4 GiB.
    """

    name = "Windows registry (display adapters)"

    def __init__(self, adapters: Callable[[], Iterable[tuple[str, int | None]]] | None = None) -> None:
        self._adapters = adapters or _registry_adapters

    def read(self) -> ProbeAnswer:
        try:
            found = list(self._adapters())[:64]
        except OSError as error:
            return ProbeAnswer(self.name, (), f"The registry did not answer ({_message(error)}).")
        devices = tuple(
            GraphicsReading(
                name,
                size / _MIB if size else None,
                None,
                None,
                f"{self.name}, not yet checked on Windows",
                "What is free now is not read.",
                {"HardwareInformation.qwMemorySize": str(size)},
            )
            for name, size in found
        )
        return ProbeAnswer(self.name, devices, "" if devices else "The registry lists no display adapter.")


def graphics_probes(system: str = sys.platform) -> Sequence[GraphicsProbe]:
    """The interfaces to ask on a system, in order."""
    if system == "darwin":
        return (AppleProbe(),)
    if system == "win32":
        return (NvidiaProbe(), WindowsProbe())
    return (NvidiaProbe(), KernelFilesProbe())


def _import_pynvml() -> Any:
    import pynvml

    return pynvml


def _registry_adapters() -> Iterable[tuple[str, int | None]]:
    import winreg  # type: ignore[import-not-found,unused-ignore]

    registry: Any = winreg
    base = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"
    found: list[tuple[str, int | None]] = []
    for index in range(64):
        try:
            with registry.OpenKey(registry.HKEY_LOCAL_MACHINE, rf"{base}\{index:04d}") as key:
                name = str(registry.QueryValueEx(key, "DriverDesc")[0])
                try:
                    size = int(registry.QueryValueEx(key, "HardwareInformation.qwMemorySize")[0])
                except OSError:
                    size = None
        except OSError:
            continue
        found.append((name, size))
    return found


def _amount(answer: object, least: int = 1) -> float | None:
    """MiB of a driver's answer in bytes; None for what is no number ('[N/A]') or less than `least`."""
    if isinstance(answer, bool) or not isinstance(answer, int | float) or not answer >= least:
        return None
    return answer / _MIB


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()[:200]
    except OSError:
        return ""


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.strip().isdigit() else None


def _message(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
