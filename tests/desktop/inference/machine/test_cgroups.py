"""Limits of control groups, read from recorded trees of the kernel's files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from desktop.inference.machine.cgroups import smallest_limit
from desktop.inference.machine.machine import MemoryReading
from desktop.inference.machine.probe_memory import read_memory
from desktop.inference.memory_fit.estimator import Estimator
from desktop.inference.memory_fit.fit import FitModel
from desktop.inference.memory_fit.verdict import FitVerdict
from tests.fakes.model_service import CATALOGUE, MACHINE

GIB = 1 << 30
V1 = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory"
V2 = "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw"
V2_BESIDE = "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw"


def _tree(root: Path, groups: str, mounts: str, files: dict[str, str]) -> Path:
    for name, content in {"proc/self/cgroup": groups, "proc/self/mountinfo": mounts, **files}.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content + "\n")
    return root


def _v2(path: str, bound: str, used: int, inactive: int = 0, high: str = "max") -> dict[str, str]:
    at = f"sys/fs/cgroup/{path}".rstrip("/")
    return {
        f"{at}/memory.max": bound,
        f"{at}/memory.high": high,
        f"{at}/memory.current": str(used),
        f"{at}/memory.stat": f"anon 1\ninactive_file {inactive}\nactive_file 5",
    }


def _v1(path: str, bound: int, used: int, inactive: int = 0) -> dict[str, str]:
    at = f"sys/fs/cgroup/memory/{path}".rstrip("/")
    return {
        f"{at}/memory.limit_in_bytes": str(bound),
        f"{at}/memory.usage_in_bytes": str(used),
        f"{at}/memory.stat": f"cache 1\ntotal_inactive_file {inactive}",
    }


def test_that_a_version_2_limit_counts_with_unused_file_pages_given_back(tmp_path: Path) -> None:
    files = _v2("app", str(GIB), GIB // 2, inactive=GIB // 4)
    limit, raw = smallest_limit(_tree(tmp_path, "0::/app", V2, files))
    assert limit is not None
    assert (limit.limit_mib, limit.free_mib) == (1024, 768)
    assert limit.who == "container limit (control group, version 2)"
    assert any(key.endswith("memory.max") for key in raw)


def test_that_a_group_above_may_be_the_one_that_binds(tmp_path: Path) -> None:
    files = (
        _v2("a/b/c", "max", 0) | _v2("a/b", str(4 * GIB), GIB) | _v2("a", str(2 * GIB), 2 * GIB - (100 << 20))
    )
    limit, _ = smallest_limit(_tree(tmp_path, "0::/a/b/c", V2, files))
    assert limit is not None
    assert limit.free_mib == 100


def test_that_the_lower_of_max_and_high_counts(tmp_path: Path) -> None:
    limit, _ = smallest_limit(_tree(tmp_path, "0::/a", V2, _v2("a", str(4 * GIB), 0, high=str(GIB))))
    assert limit is not None
    assert limit.limit_mib == 1024


def test_that_both_versions_side_by_side_are_read(tmp_path: Path) -> None:
    groups = "4:memory:/job\n1:cpu:/\n0::/user"
    files = _v1("job", GIB, GIB // 4) | {
        "sys/fs/cgroup/unified/user/memory.max": str(8 * GIB),
        "sys/fs/cgroup/unified/user/memory.current": "0",
    }
    limit, _ = smallest_limit(_tree(tmp_path, groups, f"{V1}\n{V2_BESIDE}", files))
    assert limit is not None
    assert (limit.limit_mib, limit.free_mib) == (1024, 768)
    assert "version 1" in limit.who


def test_that_the_numbers_that_mean_no_limit_are_none(tmp_path: Path) -> None:
    files = _v1("job", 9_223_372_036_854_771_712, 5) | _v2("x", "max", 5)
    assert smallest_limit(_tree(tmp_path, "4:memory:/job\n0::/x", f"{V1}\n{V2}", files))[0] is None


def test_that_a_container_without_its_own_name_space_finds_its_group(tmp_path: Path) -> None:
    mount = "41 31 0:38 /docker/abc /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw"
    limit, _ = smallest_limit(_tree(tmp_path, "0::/docker/abc", mount, _v2("", str(GIB), 0)))
    assert limit is not None
    assert limit.limit_mib == 1024


def test_that_a_group_outside_of_what_can_be_seen_is_taken_as_the_root(tmp_path: Path) -> None:
    limit, _ = smallest_limit(_tree(tmp_path, "0::/../../other", V2, _v2("", str(GIB), 0)))
    assert limit is not None


@pytest.mark.parametrize("groups", ["", "nonsense", "4:memory", "0::"])
def test_that_odd_files_are_no_limit(groups: str, tmp_path: Path) -> None:
    assert smallest_limit(_tree(tmp_path, groups, "x - y\ncgroup2\n - ", {}))[0] is None
    assert smallest_limit(tmp_path / "nothing")[0] is None


def test_that_memory_follows_the_smallest_limit(tmp_path: Path) -> None:
    root = _tree(tmp_path, "0::/a", V2, _v2("a", str(GIB), GIB // 4))
    answer = SimpleNamespace(total=16 * GIB, available=12 * GIB)
    memory = read_memory(lambda: answer, root=root, linux=True)
    assert (memory.total_mib, memory.available_mib, memory.system_available_mib) == (16_384, 768, 12_288)
    assert memory.budget is not None
    assert (memory.budget.available, memory.budget.total, memory.budget.reserve) == (768, 1024, 512)


@pytest.mark.parametrize("version", [1, 2])
def test_that_the_verdict_follows_a_limit_of_one_gibibyte(version: int, tmp_path: Path) -> None:
    one = (
        _tree(tmp_path, "4:memory:/a", V1, _v1("a", GIB, GIB // 8))
        if version == 1
        else _tree(tmp_path, "0::/a", V2, _v2("a", str(GIB), GIB // 8))
    )
    (tmp_path / "free").mkdir()
    model = FitModel.of(next(entry.facts for entry in CATALOGUE if entry.name == "Llama-3.2-1B-Instruct"))
    found = []
    for root in (tmp_path / "free", one):
        memory = read_memory(lambda: SimpleNamespace(total=16 * GIB, available=12 * GIB), root=root, linux=True)
        estimator = Estimator(replace(MACHINE, memory=memory))
        found.append(estimator.estimate(model, estimator.settings(model, 4096)).judgement)
    assert [judgement.verdict for judgement in found] == [FitVerdict.COMFORTABLE, FitVerdict.NO]
    assert 0 < found[1].short < 300


def test_that_what_windows_can_promise_is_a_limit() -> None:
    def read(promised: int) -> MemoryReading:
        answer = SimpleNamespace(total=16 * GIB, available=12 * GIB)
        return read_memory(lambda: answer, linux=False, commit=lambda: (17 * GIB, promised))

    memory = read(3 * GIB)
    assert (memory.total_mib, memory.available_mib, memory.system_available_mib) == (16_384, 3_072, 12_288)
    assert memory.limit is not None
    assert "commit limit" in memory.limit.who
    assert memory.budget is not None
    assert memory.budget.total == 16_384
    assert memory.raw["commit available bytes"] == str(3 * GIB)
    assert read(14 * GIB).limit is None


def test_that_a_limit_above_the_machines_memory_is_none(tmp_path: Path) -> None:
    root = _tree(tmp_path, "0::/a", V2, _v2("a", str(64 * GIB), 0))
    memory = read_memory(lambda: SimpleNamespace(total=16 * GIB, available=12 * GIB), root=root, linux=True)
    assert memory.limit is None
    assert memory.available_mib == 12_288


def test_that_a_system_that_does_not_answer_leaves_the_memory_unknown() -> None:
    def fails() -> SimpleNamespace:
        raise OSError("no such file")

    memory = read_memory(fails)
    assert memory.available_mib is None
    assert memory.budget is None
    assert "no such file" in memory.problem
