"""Does an error text say that memory ran out? The rule of the task-pack format, section 14, made sharper."""

from __future__ import annotations

import re

_RULE_OF_THE_FORMAT = re.compile(
    r"out of memory|\boom\b|cuda|vram|unable to allocate|requires more (?:system )?memory|resource limitations"
    r"|failed to load|crashed mid-generation",
    re.IGNORECASE,
)
# Words of that rule in texts that speak of something else.
_NOT_MEMORY = re.compile(
    r"cuda (?:driver|initiali[sz]ation|version|capability)|no cuda"
    r"|failed to load (?:the )?(?:tokenizer|vocab|config)",
    re.IGNORECASE,
)
# Missed by that rule: seen from Metal, Vulkan, containers and llama.cpp itself.
_MORE_TEXT = re.compile(
    r"(?:not enough|insufficient) (?:\w+ ){0,2}memory|OutOf(?:Device|Host)?Memory|cannot allocate memory"
    r"|bad_alloc|failed to allocate|exit (?:status|code) 137|signal: killed",
    re.IGNORECASE,
)


def says_out_of_memory(text: str) -> bool:
    """True when the text speaks of memory that ran out.

    Better on purpose than the format's rule: a driver fault that only names CUDA and a tokenizer that does not
    load are no memory faults; "not enough memory", Metal's and Vulkan's words and a process that was killed
    (137) are. Cases: task/oom.json in the conformance files.
    """
    if _MORE_TEXT.search(text):
        return True
    return bool(_RULE_OF_THE_FORMAT.search(_NOT_MEMORY.sub("", text)))
