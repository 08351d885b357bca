"""Time and memory of validating a 1,000-example pack as a whole process. Run by hand:

    python tests/bench/bench_validate.py

A comparable tool takes 0.53 s and 74 MiB. Three kinds of pack: labels; fields with a schema gate; expressions.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHILD = """
import resource, sys
from pathlib import Path
from packs.task.loader import load_pack
loaded = load_pack(Path(sys.argv[1]))
assert loaded.pack is not None, loaded.problems[:3]
assert len(loaded.pack.examples) == 1000
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
GENERATION = "generation: {context: 4096, max_tokens: 200, temperature: 0, seed: 42, runs_per_example: 1}\n"
FILES = "prompt_template: ./prompt.md\nexamples_dir: ./examples\n"
KINDS = {
    "labels": ("scorer: exact-label\nscorer_params: {labels: [red, green, blue]}\n", ["red", "green", "blue"]),
    "fields and schema": (
        "scorer: field-f1\nscorer_params: {key_fields: [vendor, total]}\n"
        "gates: [{scorer: json-schema, scorer_params: {schema: ./schema.json}}]\n",
        [{"vendor": "Nordwind", "total": 12.5}, {"vendor": "Lindt", "total": 3}],
    ),
    "expressions": ("scorer: pattern\nscorer_params: {patterns: ['^a', '[0-9]{3}'], mode: regex}\n", ["", "x"]),
}


def write_pack(folder: Path, scorer: str, expected: list[object]) -> None:
    examples = folder / "examples"
    examples.mkdir(parents=True)
    (folder / "task.yaml").write_text(
        f"name: bench\ntype: bench\n{scorer}{GENERATION}{FILES}", encoding="utf-8"
    )
    (folder / "prompt.md").write_text("red, green or blue?\n\n{{input}}\n", encoding="utf-8")
    (folder / "schema.json").write_text('{"type": "object", "required": ["vendor"]}', encoding="utf-8")
    for number in range(1000):
        text = f"Message {number}: " + "please look at the parcel that came on Monday. " * 8
        value = {"input": text, "expected": expected[number % len(expected)]}
        (examples / f"{number:04}.json").write_text(json.dumps(value), encoding="utf-8")


def main() -> None:
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as temporary:
        for kind, (scorer, expected) in KINDS.items():
            folder = Path(temporary) / kind.replace(" ", "-")
            write_pack(folder, scorer, list(expected))
            times, memory = [], ""
            for _ in range(5):
                start = time.perf_counter()
                done = subprocess.run(
                    [sys.executable, "-c", CHILD, str(folder)],
                    cwd=root,
                    capture_output=True,
                    text=True,
                    check=True,
                )
                times.append(time.perf_counter() - start)
                memory = done.stdout.strip()
            best, worst = min(times), max(times)
            print(f"{kind:20} 1,000 examples: {best:.2f}–{worst:.2f} s, {float(memory):.0f} MiB")


if __name__ == "__main__":
    main()
