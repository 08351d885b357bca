"""Figures of the qualification system: `python tests/bench/bench_qualify.py [--quick]`.

Capture rate against two endpoints in processes of their own, an instant one and one that needs a millisecond
for each request, beside the rate that a bare client reaches there; whole time of a 1,000-case run; validate;
verify; memory. Figures are printed, nothing is asserted: the machine may be busy.
"""

from __future__ import annotations

import asyncio
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from desktop.reports.qualification.bundle_folder import verify_folder  # noqa: E402
from desktop.reports.qualification.html import render_qualification  # noqa: E402
from desktop.runs.qualification.events import ScoringBegan  # noqa: E402
from desktop.runs.qualification.run import RunEnvironment, qualify  # noqa: E402
from desktop.runs.qualification.settings import QualifySettings  # noqa: E402
from packs.qualification.loader import load_pack, require_pack  # noqa: E402
from packs.qualification.requests import effective_sampling, plan, request_body, variance_subset  # noqa: E402

SAMPLE = ROOT / "packs" / "samples" / "housing-routing"
SERVER = """
import sys, time
from desktop.runs.qualification.mock_server import MockServer, echo_handler
spend, echo = float(sys.argv[1]), echo_handler()
def handle(body):
    end = time.perf_counter() + spend
    while time.perf_counter() < end:
        pass
    return echo(body)
with MockServer(handle) as server:
    print(server.address, flush=True)
    sys.stdin.read()
"""


def big_pack(target: Path, cases: int, repeats: int) -> Path:
    """The sample with `cases` qualification cases and `repeats` passes over 40 % of them."""
    shutil.copytree(SAMPLE, target, ignore=shutil.ignore_patterns("__pycache__"))
    lines = (target / "corpus" / "qualification.jsonl").read_text(encoding="utf-8").splitlines()
    grown = []
    for number in range(cases):
        case = json.loads(lines[number % len(lines)])
        case["case_id"] = f"B-{number:05d}"
        case["input"]["messages"][0]["content"] += f" [{number}]"
        grown.append(json.dumps(case))
    (target / "corpus" / "qualification.jsonl").write_text("\n".join(grown) + "\n", encoding="utf-8")
    manifest = (target / "pack.yaml").read_text(encoding="utf-8")
    manifest = manifest.replace("repeat_runs: 3", f"repeat_runs: {repeats}")
    manifest = manifest.replace("variance_subset_fraction: 0.25", "variance_subset_fraction: 0.34")
    (target / "pack.yaml").write_text(manifest, encoding="utf-8")
    return target


async def bare_client(address: str, bodies: list[bytes], concurrency: int) -> float:
    """Requests a second that the endpoint gives to a client that does nothing else."""
    host, port = address.removeprefix("http://").split(":")
    waiting = iter(bodies)

    async def work() -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        for body in waiting:
            head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = int(answer.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
        writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(concurrency)))
    return len(bodies) / (time.perf_counter() - started)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = call()
    return time.perf_counter() - started, result


def bodies_of(folder: Path) -> list[bytes]:
    pack = require_pack(folder)
    sampling = effective_sampling(pack.sampling, {}, {}, None)
    ids = [case.case_id for case in pack.cases["qualification"]]
    subset = variance_subset(ids, pack.subset_fraction, sampling["seed"])
    return [json.dumps(request_body(r.case, "echo", sampling, None)).encode() for r in plan(pack, subset)]


def capture_rate(folder: Path, address: str, concurrency: int, output: Path) -> tuple[float, float, Path]:
    """(requests a second while capturing, seconds of the whole run, bundle)."""
    captured: list[float] = []

    def on_event(event: object) -> None:
        if isinstance(event, ScoringBegan):
            captured.append(time.perf_counter())

    settings = QualifySettings(address, output, "bench", model="echo", concurrency=concurrency)
    around = RunEnvironment(render_qualification, lambda: datetime.now(UTC), on_event)
    seconds, result = timed(lambda: qualify(folder, settings, around))
    metrics = json.loads((result.folder / "metrics.json").read_bytes())["performance"]
    return metrics["cases"] / metrics["capture_wall_clock_seconds"], seconds, result.folder


def main(quick: bool) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        cases = 200 if quick else 1000
        folder = big_pack(root / "pack", cases, 3)
        seconds, loaded = timed(lambda: load_pack(folder))
        print(f"validate, {cases} cases: {seconds:.2f} s ({len(loaded.problems)} hints)")
        bodies = bodies_of(folder)
        bundle = root
        for name, spend in (("instant", "0"), ("1 ms", "0.001")):
            server = subprocess.Popen(
                [sys.executable, "-c", SERVER, spend],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
            )
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            for concurrency in (1, 4, 16):
                ceiling = asyncio.run(bare_client(address, bodies, concurrency))
                rate, whole, bundle = capture_rate(folder, address, concurrency, root / f"{name}{concurrency}")
                print(
                    f"{name} endpoint, {len(bodies)} requests, {concurrency:>2} at once: {rate:,.0f}/s "
                    f"captured and "
                    f"durable, bare client {ceiling:,.0f}/s ({rate / ceiling:.0%}); whole run {whole:.2f} s"
                )
            server.kill()
            server.wait()
        seconds, found = timed(lambda: verify_folder(bundle))
        size = sum(file.stat().st_size for file in bundle.iterdir())
        print(f"verify and score again: {seconds:.2f} s, same: {found.ok}")
        print(f"bundle: {size / len(bodies):,.0f} bytes a request")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main("--quick" in sys.argv)
