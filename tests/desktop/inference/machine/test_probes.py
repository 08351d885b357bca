"""Probes of processor and graphics against recorded answers, corrections, and the copyable report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from desktop.inference.machine.bandwidth import measure_bandwidth
from desktop.inference.machine.corrections import Corrections, CorrectionsFile, apply_corrections
from desktop.inference.machine.machine import (
    BandwidthReading,
    GraphicsReading,
    Limit,
    Machine,
    MemoryReading,
    ProbeAnswer,
)
from desktop.inference.machine.machine_report import machine_json, machine_text
from desktop.inference.machine.memory_users import largest_users
from desktop.inference.machine.probe import read_machine
from desktop.inference.machine.probe_graphics import (
    AppleProbe,
    KernelFilesProbe,
    NvidiaProbe,
    WindowsProbe,
    graphics_probes,
)
from desktop.inference.machine.probe_processor import read_processor, repack_types

GIB = 1 << 30


class FakeNvml:
    """Answers as the library does, version 2 of the memory record."""

    nvmlMemory_v2 = 33554472

    def __init__(self, *, fails: str = "", memory_fails: str = "") -> None:
        self._fails = fails
        self._memory_fails = memory_fails
        self.open = 0

    def nvmlInit(self) -> None:
        if self._fails:
            raise RuntimeError(self._fails)
        self.open += 1

    def nvmlShutdown(self) -> None:
        self.open -= 1

    def nvmlDeviceGetCount(self) -> int:
        return 1

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def nvmlDeviceGetName(self, handle: int) -> bytes:
        return b"NVIDIA GeForce RTX 4070"

    def nvmlDeviceGetMemoryInfo(self, handle: int, version: int) -> Any:
        if self._memory_fails:
            raise RuntimeError(self._memory_fails)
        return SimpleNamespace(total=12 * GIB, free=11 * GIB, used=GIB, reserved=GIB // 4)


@pytest.mark.parametrize("total", [0, "[N/A]", None, float("nan"), True], ids=str)
def test_that_a_board_without_a_size_is_unknown_and_likely_shares_the_memory(total: object) -> None:
    class Shared(FakeNvml):
        def nvmlDeviceGetMemoryInfo(self, handle: int, version: int) -> Any:
            return SimpleNamespace(total=total, free=0, used=0, reserved=0)

    (card,) = NvidiaProbe(Shared()).read().devices
    assert (card.total_mib, card.free_mib, card.unified) == (None, None, True)
    assert "likely shares the machine's" in card.problem


def test_that_a_full_card_has_nothing_free_and_a_figure_that_is_none_is_unknown() -> None:
    class Card(FakeNvml):
        free: object = 0

        def nvmlDeviceGetMemoryInfo(self, handle: int, version: int) -> Any:
            return SimpleNamespace(total=GIB, free=self.free)

    card = Card()
    assert NvidiaProbe(card).read().devices[0].free_mib == 0
    card.free = "[N/A]"
    assert NvidiaProbe(card).read().devices[0].free_mib is None


def test_that_an_amd_part_of_zero_mib_is_unknown_and_likely_shares_the_memory(tmp_path: Path) -> None:
    device = tmp_path / "sys/class/drm/card0/device"
    device.mkdir(parents=True)
    for name, content in (("vendor", "0x1002"), ("mem_info_vram_total", "0"), ("mem_info_vram_used", "0")):
        (device / name).write_text(content)
    (card,) = KernelFilesProbe(tmp_path).read().devices
    assert (card.total_mib, card.free_mib, card.unified) == (None, None, True)


def test_that_an_nvidia_card_is_read_and_the_library_closed() -> None:
    library = FakeNvml()
    answer = NvidiaProbe(library).read()
    (card,) = answer.devices
    assert (card.name, card.total_mib, card.free_mib) == ("NVIDIA GeForce RTX 4070", 12_288, 11_264)
    assert card.unified is False
    assert library.open == 0


def test_that_a_missing_driver_is_an_answer() -> None:
    answer = NvidiaProbe(FakeNvml(fails="NVML Shared Library Not Found")).read()
    assert answer.devices == ()
    assert "NVML Shared Library Not Found" in answer.problem


def test_that_a_board_without_memory_figures_is_taken_as_shared() -> None:
    (card,) = NvidiaProbe(FakeNvml(memory_fails="Not Supported")).read().devices
    assert card.total_mib is None
    assert card.unified is True
    assert "Not Supported" in card.problem


def _card(root: Path, name: str, files: dict[str, str]) -> None:
    for file, content in files.items():
        path = root / "sys/class/drm" / name / "device" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n")


def test_that_the_kernels_files_tell_cards_from_shared_memory(tmp_path: Path) -> None:
    _card(
        tmp_path,
        "card0",
        {"vendor": "0x1002", "device": "0x744c", "mem_info_vram_total": str(16 * GIB)}
        | {"mem_info_vram_used": str(2 * GIB), "mem_info_gtt_total": str(8 * GIB), "mem_info_gtt_used": "0"},
    )
    _card(
        tmp_path,
        "card1",
        {"vendor": "0x1002", "device": "0x1681", "mem_info_vram_total": str(GIB // 2)}
        | {"mem_info_vram_used": "0", "mem_info_gtt_total": str(8 * GIB), "mem_info_gtt_used": str(GIB)},
    )
    _card(tmp_path, "card2", {"vendor": "0x8086", "device": "0x46a6"})
    _card(tmp_path, "card3", {"vendor": "0x10de"})
    _card(tmp_path, "card0-HDMI-A-1", {"vendor": "0x1002"})
    discrete, apu, intel = KernelFilesProbe(tmp_path).read().devices
    assert (discrete.total_mib, discrete.free_mib, discrete.unified) == (16_384, 14_336, False)
    assert (apu.total_mib, apu.free_mib, apu.unified) == (8_704, 7_680, True)
    assert (intel.total_mib, intel.unified) == (None, True)
    assert "machine's memory" in intel.problem


def test_that_no_graphics_files_are_an_answer(tmp_path: Path) -> None:
    assert KernelFilesProbe(tmp_path).read().problem == "The kernel lists no graphics device."


MACS = {
    "8 GB": ({"hw.memsize": str(8 * GIB), "hw.optional.arm64": "1", "iogpu.wired_limit_mb": "0"}, 5461),
    "32 GB": ({"hw.memsize": str(32 * GIB), "hw.optional.arm64": "1"}, 21_845),
    "64 GB": ({"hw.memsize": str(64 * GIB), "hw.optional.arm64": "1"}, 49_152),
    "set by hand": (
        {"hw.memsize": str(32 * GIB), "hw.optional.arm64": "1", "iogpu.wired_limit_mb": "28000"},
        28_000,
    ),
}


@pytest.mark.parametrize("case", MACS)
def test_that_a_macs_graphics_share_is_the_documented_one(case: str) -> None:
    answers, expected = MACS[case]
    (device,) = AppleProbe(answers.get).read().devices
    assert device.total_mib == pytest.approx(expected, abs=1)
    assert device.unified is True
    assert "not yet checked" in device.source


def test_that_an_intel_mac_and_a_silent_one_are_answers() -> None:
    assert AppleProbe({"hw.memsize": str(GIB)}.get).read().devices == ()
    assert AppleProbe({}.get).read().problem


def test_that_windows_adapters_beyond_four_gibibytes_are_read() -> None:
    answer = WindowsProbe(lambda: [("Radeon RX 7900", 24 * GIB), ("Basic Display", None)]).read()
    assert [device.total_mib for device in answer.devices] == [24_576, None]

    def fails() -> list[tuple[str, int | None]]:
        raise OSError("access denied")

    assert "access denied" in WindowsProbe(fails).read().problem


def test_that_each_system_has_its_interfaces() -> None:
    assert [type(probe) for probe in graphics_probes("linux")] == [NvidiaProbe, KernelFilesProbe]
    assert [type(probe) for probe in graphics_probes("darwin")] == [AppleProbe]
    assert [type(probe) for probe in graphics_probes("win32")] == [NvidiaProbe, WindowsProbe]


X86_INFO = (
    "processor\t: 0\nmodel name\t: Fast 9000\nflags\t\t: fpu sse2 avx avx2 fma f16c bmi2\n\nprocessor\t: 1\n"
)
ARM_INFO = "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd asimddp i8mm\n"


def test_that_linux_names_the_processor_and_its_abilities(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text(X86_INFO)
    found = read_processor(root=tmp_path, system="linux", machine="x86_64")
    assert found.name == "Fast 9000"
    assert found.features == {"avx", "avx2", "fma", "f16c", "bmi2"}
    assert found.repack_types == {"Q4_0", "Q4_K", "IQ4_NL", "MXFP4"}
    (tmp_path / "proc/cpuinfo").write_text(ARM_INFO)
    found = read_processor(root=tmp_path, system="linux", machine="aarch64")
    assert {"Q8_0", "Q6_K", "Q5_K"} <= found.repack_types


def test_that_a_processor_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    found = read_processor(root=tmp_path, system="linux", machine="x86_64")
    assert found.problem
    assert found.repack_types == frozenset()
    assert found.threads >= 1


def test_that_macs_are_read_from_recorded_answers() -> None:
    apple = {"machdep.cpu.brand_string": "Apple M3", "hw.optional.arm.FEAT_DotProd": "1"}
    found = read_processor(system="darwin", machine="arm64", sysctl=apple.get)
    assert found.name == "Apple M3"
    assert "Q8_0" in found.repack_types
    intel = {"machdep.cpu.features": "FPU AVX1.0 FMA F16C", "machdep.cpu.leaf7_features": "BMI2 AVX2"}
    found = read_processor(system="darwin", machine="x86_64", sysctl=intel.get)
    assert found.features == {"avx", "fma", "f16c", "bmi2", "avx2"}


def test_that_processors_without_the_ability_rearrange_nothing() -> None:
    assert repack_types("x86_64", frozenset({"avx"})) == frozenset()
    assert repack_types("aarch64", frozenset({"asimd"})) == frozenset()
    assert repack_types("riscv64", frozenset()) == frozenset()


def _machine(**changes: Any) -> Machine:
    memory = MemoryReading(16_384, 9_626, 9_626, None, "from the operating system", "", {"total bytes": "1"})
    machine = read_machine(memory=lambda: memory, graphics=())
    return replace(machine, **changes)


def test_that_corrections_are_kept_and_survive_a_broken_file(tmp_path: Path) -> None:
    file = CorrectionsFile(tmp_path / "config")
    assert not file.read()
    file.write(Corrections(memory_mib=8000, bandwidth_gbps=30))
    assert file.read() == Corrections(memory_mib=8000, bandwidth_gbps=30)
    for content in (
        b"{",
        b"[]",
        b'{"memory_mib": -3, "bandwidth_gbps": 1e999, "physical_cores": true}',
        b"\xff",
    ):
        (tmp_path / "config/machine.json").write_bytes(content)
        assert file.read() == Corrections()


def test_that_a_correction_limits_memory_but_never_adds_any() -> None:
    less = apply_corrections(_machine(), Corrections(memory_mib=4096)).memory
    assert less.available_mib == 4096
    assert less.limit == Limit(4096, 4096, "set by you")
    more = apply_corrections(_machine(), Corrections(memory_mib=15_000)).memory
    assert more.available_mib == 9_626


def test_that_corrections_are_told() -> None:
    machine = apply_corrections(_machine(), Corrections(4096, 6, 25))
    assert machine.processor.physical_cores == 6
    assert machine.bandwidth is not None
    assert machine.bandwidth.gbps == 25
    text = machine_text(machine)
    assert "Set by the person: memory for models at most 4,096 MiB" in text
    assert "memory speed 25 GB/s" in text
    assert machine_json(machine)["set_by_person"] == list(machine.corrected)


def test_that_the_report_names_sources_failures_and_raw_answers() -> None:
    device = GraphicsReading("Card", None, None, None, "a driver", "No figures.", {"total": "?"})
    answers = (ProbeAnswer("NVML", (), "No driver."), ProbeAnswer("kernel", (device,)))
    speed = BandwidthReading(31.4, 2, "2026-11-30T09:04:00+00:00", True, (31.0, 31.8))
    machine = _machine(graphics=answers, bandwidth=speed)
    text = machine_text(machine)
    assert "Graphics: No driver. (NVML)" in text
    assert "Card, not known in all, not known free" in text
    assert "31 GB/s with 2 threads, measured 2026-11-30T09:04:00+00:00, other programs were busy" in text
    assert "total bytes = 1" in text
    assert "None" not in text
    assert json.loads(json.dumps(machine_json(machine)))["graphics"][0]["total_mib"] is None


def test_that_this_machine_can_be_read() -> None:
    machine = read_machine()
    assert machine.memory.budget is not None
    assert machine.memory.budget.available > 0
    assert machine.processor.logical_cores
    assert machine_text(machine)


def test_that_the_memory_benchmark_gives_a_speed_and_leaves_no_thread() -> None:
    reading = measure_bandwidth(2, rounds=3, block_bytes=1 << 20)
    assert reading is not None
    assert reading.gbps > 0.1
    assert len(reading.rounds) == 3
    assert reading.threads == 2


def test_that_the_memory_benchmark_can_be_stopped() -> None:
    class Stopped(Exception):
        pass

    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        measure_bandwidth(1, block_bytes=1 << 20, raise_if_cancelled=stop)


def test_that_programs_are_added_up_by_name_largest_first() -> None:
    running = [("browser", 900 << 20), ("editor", 300 << 20), ("browser", 600 << 20), ("tiny", 5 << 20)]
    users = largest_users(2, processes=lambda: running)
    assert [(user.name, user.mib, user.processes) for user in users] == [
        ("browser", 1500, 2),
        ("editor", 300, 1),
    ]
    assert largest_users(own_name="browser", processes=lambda: running)[0].name == "editor"


def test_that_the_programs_of_this_machine_can_be_listed() -> None:
    assert isinstance(largest_users(), tuple)
