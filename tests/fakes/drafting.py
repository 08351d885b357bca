"""A drafting model that does as it is asked, every text another one."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

from tests.fakes.fake_backend import Answer


def willing() -> Callable[[str, int], Answer | str]:
    """For documents whose labels are marked in them."""
    numbers = itertools.count(1)

    def answer(prompt: str, nth: int) -> Answer | str:
        if "Design one small task" in prompt:
            return json.dumps({"kind": "label", "purpose": "Sort each message to a team.", "name": "desk"})
        texts = [f"The lamp number {next(numbers)} does not shine any more today." for _ in range(4)]
        return json.dumps({"examples": [{"input": text} for text in texts]})

    return answer
