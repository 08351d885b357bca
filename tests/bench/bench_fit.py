"""Figures of the Models place: how far predictions are off, and how long everything takes.

    python -m tests.bench.bench_fit

prints them; `--mutations 100000` runs the reader's fuzz in full as well.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from desktop.inference.machine.budget import MemoryBudget
from desktop.inference.memory_fit.fit import FitModel, engine_settings, predict
from desktop.inference.memory_fit.verdict import judge, largest_context, remedies
from desktop.inference.model_files.catalogue import load_catalogue
from desktop.inference.model_files.file_card import CardCache
from desktop.inference.model_files.gguf import GgufError, parse_gguf, read_gguf
from desktop.inference.model_files.library import Library
from desktop.inference.model_files.model_folders import ModelFolder
from desktop.inference.model_files.model_kind import model_kind
from tests.conformance.vectors_dir import load
from tests.fakes.fit_vectors import facts_of, settings_of
from tests.fakes.gguf_mutations import mutate
from tests.fakes.gguf_writer import gguf_bytes, header_bytes, small_llama, small_tensors

PEERS = (
    "node_llama_cpp",
    "llm-resource-planner",
    "llmfit",
    "modelinfo",
    "node_llama_cpp_v1",
    "xllamacpp",
    "ggufit",
    "quantproof",
    "whichllm",
    "llamafit",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutations", type=int, default=0)
    arguments = parser.parse_args()
    error_table()
    reading_headers()
    arithmetic()
    opening_the_place()
    if arguments.mutations:
        fuzz(arguments.mutations)


def error_table() -> None:
    """In the form of the memory-fit specification, section 1, on the rows that are at hand."""
    data = load("fit/measured.json") or {"models": {}, "rows": []}
    models = {name: FitModel.of(facts_of(recorded)) for name, recorded in data["models"].items()}
    errors: dict[str, list[tuple[float, float]]] = {"this program": []}
    for row in data["rows"]:
        target = row["measured"]["peak_full_mib"]
        settings = settings_of(row["settings"], row.get("prompt_tokens_per_slot"))
        errors["this program"].append((predict(models[row["model"]], settings).peak, target))
        for peer in PEERS:
            value = row.get("predictions", {}).get(peer)
            if value is not None:
                errors.setdefault(peer, []).append((value, target))
    print("predictor                rows  mean abs %  max abs %  mean abs MiB  max abs MiB  under-predicted")
    for name, pairs in sorted(errors.items(), key=lambda entry: _mean_percent(entry[1])):
        if not pairs:
            continue
        percent = [abs(value / target - 1) * 100 for value, target in pairs]
        mib = [abs(value - target) for value, target in pairs]
        under = sum(value < target for value, target in pairs)
        print(
            f"{name:<24} {len(pairs):>4}  {statistics.mean(percent):>10.1f}  {max(percent):>9.1f}"
            f"  {statistics.mean(mib):>12.0f}  {max(mib):>11.0f}  {under:>15}"
        )


def _mean_percent(pairs: list[tuple[float, float]]) -> float:
    return statistics.mean(abs(value / target - 1) for value, target in pairs) if pairs else 0.0


def reading_headers() -> None:
    """Vocabularies of modern size: 128,000 tokens and as many merges."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokens = [f"token{number:06}" for number in range(128_000)]
        metadata = small_llama(**{"tokenizer.ggml.tokens": tokens, "tokenizer.ggml.merges": tokens})
        head, data = header_bytes(metadata, small_tensors())
        for number in range(300):
            with (folder / f"m{number}.gguf").open("wb") as file:
                file.write(head)
                file.truncate(len(head) + data)
        one = folder / "m0.gguf"
        print(f"\nheader of {len(head) / 2**20:.1f} MiB: {_best(lambda: read_gguf(one)):.1f} ms")
        library = Library((ModelFolder("bench", folder),))
        for count in (1, 10, 100, 300):
            for number in range(count, 300):
                (folder / f"m{number}.gguf").rename(folder / f"m{number}.off")
            started = time.perf_counter()
            cache = CardCache(folder / "cache.json")
            library.scan(cache)
            first = (time.perf_counter() - started) * 1000
            cache.save()
            again = _best(lambda: library.scan(CardCache(folder / "cache.json")), 3)
            print(f"{count:>4} files: {first:.0f} ms, from the cache {again:.0f} ms")
            (folder / "cache.json").unlink()
            for number in range(count, 300):
                (folder / f"m{number}.off").rename(folder / f"m{number}.gguf")


def arithmetic() -> None:
    models = [FitModel.of(entry.facts) for entry in load_catalogue()]
    budget = MemoryBudget(9_626, 16_384)
    settings = engine_settings(8192)
    per_model = _best(lambda: [judge(predict(model, settings), budget) for model in models]) / len(models)
    largest = _best(lambda: [largest_context(model, settings, budget) for model in models]) / len(models)
    offered = _best(lambda: [remedies(model, settings, budget) for model in models]) / len(models)
    print(
        f"\nprediction and verdict {per_model * 1000:.0f} µs, largest context {largest * 1000:.0f} µs, "
        f"remedies {offered * 1000:.0f} µs a model; catalogue {_best(load_catalogue, 3):.0f} ms"
    )


def opening_the_place() -> None:
    from PySide6.QtWidgets import QApplication

    from desktop.gui.core.tasks import GuiThread, TaskRunner
    from desktop.gui.models.place import ModelsPlace
    from desktop.gui.theme import Scheme, Theme
    from tests.fakes.model_service import FakeModelService, found_models

    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication([])
    theme = Theme(app, scheme=Scheme.LIGHT)
    tasks = TaskRunner(GuiThread(app))
    service = FakeModelService(found_models(300))
    started = time.perf_counter()
    place = ModelsPlace(theme, service, tasks)
    place.resize(1200, 760)
    place.show()
    while place.model.rowCount() < 300 and time.perf_counter() - started < 10:
        app.processEvents()
    app.processEvents()
    opened = (time.perf_counter() - started) * 1000
    steps = []
    for step in range(0, 160, 2):
        began = time.perf_counter()
        place.controls.slider.setValue(step)
        app.processEvents()
        steps.append((time.perf_counter() - began) * 1000)
    print(
        f"\n300 models: place opened and full in {opened:.0f} ms; a step of the slider with repaint "
        f"{statistics.median(steps):.1f} ms (median), {max(steps):.1f} ms (worst)"
    )
    place.wind_down()
    place.close()
    tasks.shutdown()


def fuzz(count: int) -> None:
    head = header_bytes(small_llama(), small_tensors())[0]
    whole = gguf_bytes(small_llama(), small_tensors())
    chance = random.Random(1)
    seen: Counter[str] = Counter()
    worst = 0.0
    started = time.perf_counter()
    for _ in range(count):
        mutated = mutate(whole, len(head), chance)
        began = time.perf_counter()
        try:
            model_kind(parse_gguf(io.BytesIO(mutated), len(mutated), Path("m.gguf")))
            seen["read"] += 1
        except GgufError as error:
            seen[error.code] += 1
        worst = max(worst, time.perf_counter() - began)
    taken = time.perf_counter() - started
    print(
        f"\n{count:,} mutations in {taken:.1f} s, the slowest {worst * 1000:.1f} ms: {dict(seen.most_common())}"
    )


def _best(work: Callable[[], object], times: int = 5) -> float:
    """Milliseconds."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken) * 1000


if __name__ == "__main__":
    main()
