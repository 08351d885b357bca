"""What starting from the kept shared beginning saves, and whether any byte depends on the order.

Run by hand: `python -m tests.bench.bench_prefix [MODEL.gguf]` (the starter model when none is named). Fifteen
examples behind a shared beginning of about 600 tokens. Wanted: at most one seventh of the time without it, and
the same bytes for every example in any order. Note the load of the machine beside the figures.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from pathlib import Path

from desktop.foundation.paths import user_paths
from desktop.inference.backends.base import Generation, GenerationProgress, GenerationRequest
from desktop.inference.backends.embedded import EmbeddedBackend
from desktop.inference.machine.probe_processor import default_threads
from desktop.inference.model_files.starter_model import FILE_NAME

CONTEXT = 2048
ANSWER_TOKENS = 24
TOPICS = (
    *(
        "a broken parcel",
        "an invoice",
        "a late delivery",
        "a password",
        "a discount",
        "a wrong size",
        "the app",
    ),
    *(
        "a missing part",
        "a bank transfer",
        "the courier",
        "a new address",
        "a voucher",
        "the colour",
        "a manual",
    ),
    *("a warranty", "opening hours", "a pickup point"),
)
RULES = "".join(
    f"{number}. If the message speaks about {topic}, label it so, unless the customer also asks for a refund; "
    f"then look at rule {number + 1}.\n"
    for number, topic in enumerate(TOPICS)
)
MESSAGES = (
    *("My parcel arrived broken and wet.", "Where is my invoice for March?", "The courier never came.", "x"),
    *("I forgot my password again!", "Do you have a discount for students?", "A screw is missing."),
    *("The shoes are too small, size 42 please.", "I paid by bank transfer on Monday, order 4711."),
    *("The courier never came back.", "The app crashes when I open it, every time, on two phones."),
    *("Can I get it in blue?", "Is there a pickup point in Graz?", "Where is my invoice for March? I need it."),
    "Guten Tag, ich möchte die Farbe ändern. Danke!",
)
PROMPTS = [
    f"You sort the messages of a small shop.\n{RULES}Name the label and why.\n\n{text}" for text in MESSAGES
]


def _unseen(progress: GenerationProgress) -> None:
    """Nothing to show."""


async def _answers(
    backend: EmbeddedBackend, prompts: list[str], *, reuse: bool
) -> tuple[dict[str, str], float]:
    """(answer by prompt, ms per example)."""
    texts: dict[str, str] = {}
    began = time.perf_counter()
    for prompt in prompts:
        request = GenerationRequest(prompt, CONTEXT, ANSWER_TOKENS, 0.0, 1, reuse_prefix=reuse)
        answer: Generation = await backend.generate(request, _unseen)
        texts[prompt] = answer.text
    return texts, (time.perf_counter() - began) * 1000 / len(prompts)


async def bench(file: Path) -> None:
    backend = EmbeddedBackend([], [file])
    try:
        await backend.load(await backend.find(str(file)), backend.default_settings(CONTEXT))
        cold, cold_ms = await _answers(backend, PROMPTS, reuse=False)
        primed = await backend.prime(PROMPTS)
        if primed is None:
            print("This model cannot start from a kept beginning.")
            return
        orders = {
            "forward": PROMPTS,
            "reversed": PROMPTS[::-1],
            "shuffled": random.Random(7).sample(PROMPTS, len(PROMPTS)),
        }
        first: dict[str, str] = {}
        for name, prompts in orders.items():
            texts, warm_ms = await _answers(backend, prompts, reuse=True)
            first = first or texts
            same = sum(texts[prompt] == first[prompt] for prompt in PROMPTS)
            print(
                f"{name:9} {warm_ms:7.0f} ms an example, {cold_ms / warm_ms:4.1f} times faster, "
                f"{same} of {len(PROMPTS)} with the same bytes"
            )
        agree = sum(cold[prompt] == first[prompt] for prompt in PROMPTS)
        print(f"cold      {cold_ms:7.0f} ms an example; {agree} of {len(PROMPTS)} worded as when kept")
        print(f"beginning {primed.tokens} tokens, read once in {primed.prompt_ms:.0f} ms")
    finally:
        await backend.unload()


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else user_paths().models / FILE_NAME
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{chosen.name}, {default_threads()} thread(s), machine load {load:.1f}")
    asyncio.run(bench(chosen))
