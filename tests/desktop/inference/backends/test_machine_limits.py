"""Processor, memory counters, folders and processes, asked on this machine and on made-up ones."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import psutil
import pytest

from desktop.inference.backends import memory_limits
from desktop.inference.backends.base import BackendFault, FaultKind
from desktop.inference.backends.private_folder import PrivateFolder, remove_leftovers
from desktop.inference.backends.process_memory import ProcessMemory
from desktop.inference.backends.processor import NEEDED_X86_FLAGS, check_processor
from desktop.inference.machine.probe_processor import default_threads, read_processor

ALL = frozenset(NEEDED_X86_FLAGS)


def test_that_an_old_processor_gets_a_sentence() -> None:
    with pytest.raises(BackendFault) as raised:
        check_processor("x86_64", ALL - {"avx2"})
    assert raised.value.kind is FaultKind.NOT_SUPPORTED
    assert "AVX2" in raised.value.message


@pytest.mark.parametrize("machine", ["x86_64", "AMD64"])
def test_that_a_processor_with_all_it_needs_is_taken(machine: str) -> None:
    check_processor(machine, ALL | {"sse2"})


def test_that_other_kinds_of_processors_are_not_asked_for_flags_of_this_one() -> None:
    check_processor("arm64", frozenset())


def test_that_a_processor_that_tells_nothing_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = partial(read_processor, root=tmp_path, system="linux")
    monkeypatch.setattr("desktop.inference.backends.processor.read_processor", silent)
    check_processor("x86_64")


def test_that_at_least_one_thread_is_used_and_one_core_left_free() -> None:
    cores = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    assert default_threads() == max(1, min(cores, len(psutil.Process().cpu_affinity() or [0])) - 1)


def test_that_a_process_ended_for_memory_since_then_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counters = tmp_path / "memory.events"
    monkeypatch.setattr(memory_limits, "_group_files", lambda: [counters, tmp_path / "absent"])
    counters.write_text("low 0\noom 1\noom_kill 1\n")
    watch = memory_limits.OutOfMemoryWatch()
    assert not watch.ran_out()
    counters.write_text("low 0\noom 2\noom_kill 2\n")
    assert watch.ran_out()


def test_that_a_folder_of_a_program_that_is_gone_is_removed_and_ours_is_kept(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for name in (
        f"packbench-engine-{gone.pid}-x",
        f"packbench-engine-{os.getpid()}-y",
        "packbench-engine-odd-z",
    ):
        (tmp_path / name).mkdir()
    remove_leftovers(tmp_path)
    assert {entry.name for entry in tmp_path.iterdir()} == {
        f"packbench-engine-{os.getpid()}-y",
        "packbench-engine-odd-z",
    }


def test_that_a_private_folder_is_for_this_user_alone() -> None:
    folder = PrivateFolder()
    assert folder.path.stat().st_mode & 0o077 == 0
    folder.remove()
    folder.remove()
    assert not folder.path.exists()


def test_that_memory_of_a_process_is_measured_with_its_method() -> None:
    sample = ProcessMemory(os.getpid()).sample()
    assert sample is not None
    assert 5 < sample.used_mib <= sample.peak_mib
    assert sample.method


def test_that_memory_of_a_process_that_is_gone_is_unknown() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert ProcessMemory(gone.pid).sample() is None
