"""Why the engine could not load or went away, from its own words and its exit: the engine says it nowhere else.

The patterns were taken from llama.cpp's messages as seen when such files and limits were tried.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

from desktop.inference.backends.base import BackendFault, FaultKind

_NOISE = re.compile(
    r"failed to load model|exiting due to model loading error|please consider disabling jinja"
    r"|for example: --no-jinja"
)
_STAMP = re.compile(r"^\d+(?:\.\d+){2,3} [A-Z] ")
_DETAIL_CHARACTERS = 2000
# By number: Windows has no such signals.
_KILLED = (-9, 137)
_ILLEGAL_INSTRUCTION = (-4, 0xC000001D)


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    kind: FaultKind
    message: str
    fix: str


def _rule(pattern: str, kind: FaultKind, message: str, fix: str) -> _Rule:
    return _Rule(re.compile(pattern, re.IGNORECASE), kind, message, fix)


_LESS_MEMORY = "Close other programs, choose a smaller context, a smaller quantization or a smaller model."
_AGAIN = "Get the file again from where it came from."

_LOAD_RULES = (
    # Before the model's own: a missing library is told with the same "no such file or directory".
    _rule(
        r"cannot open shared object file|error while loading shared libraries|dll load failed",
        FaultKind.NOT_SUPPORTED,
        "The engine needs a system library that is not on this computer.",
        "Install the library that the details name (on Debian and Ubuntu: libgomp1), then try again.",
    ),
    # The one-file program unpacks the engine when the first model is loaded.
    _rule(
        r"engine library missing: .*no such file or directory",
        FaultKind.NOT_SUPPORTED,
        "Parts of Packbench are gone: something has tidied up the folder for temporary files.",
        "Save your work, close Packbench and start it again.",
    ),
    _rule(
        r"no space left on device|disk quota exceeded|file too large",
        FaultKind.SERVER_ERROR,
        "There is no room to unpack the engine: the disk for temporary files is full.",
        "Free some space there (30 MB are enough), then try again.",
    ),
    # Before what the engine says of opening: it may tell the system's last error after a value that it refuses.
    _rule(
        r"only supports up to version|unsupported (?:gguf )?version|byte order|bad gguf version"
        r"|ggufv1 is no longer supported|gguf file version \d+ is extremely large",
        FaultKind.BAD_MODEL_FILE,
        "The model file has a GGUF version that this engine cannot read.",
        "Get the model in GGUF version 3, or use a newer Packbench.",
    ),
    _rule(
        r"has wrong (?:array )?type|must be of type|but must be in \[|is not a power of 2|invalid n_rot"
        r"|invalid (?:gguf|ggml) type|invalid number of (?:dimensions|elements)|duplicate (?:key|tensor)"
        r"|not a multiple of block size|has wrong shape|unknown tokenizer|key not found"
        r"|error loading model hyperparameters",
        FaultKind.BAD_MODEL_FILE,
        "The model file holds values that the engine refuses.",
        "The details name the first. Get the file again from where it came from, or choose another model.",
    ),
    _rule(
        r"no such file or directory",
        FaultKind.BAD_MODEL_FILE,
        "The model file is not there any more.",
        "Put it back, or choose another model.",
    ),
    _rule(
        r"permission denied",
        FaultKind.BAD_MODEL_FILE,
        "The model file may not be read.",
        "Change its access rights, or choose another model.",
    ),
    _rule(
        r"not within the file bounds|corrupted or incomplete",
        FaultKind.BAD_MODEL_FILE,
        "The model file is cut short: its weights end too early.",
        _AGAIN,
    ),
    _rule(
        r"invalid data",
        FaultKind.BAD_MODEL_FILE,
        "The model file is damaged: some of its weights are no numbers.",
        _AGAIN,
    ),
    _rule(
        r"invalid magic characters|failed to read magic",
        FaultKind.BAD_MODEL_FILE,
        "This is no GGUF model file.",
        "Choose a file in GGUF format. A very small file may only stand for the model.",
    ),
    _rule(
        r"unknown (?:model|projector|pre-tokenizer)|unsupported model architecture|unknown .*architecture",
        FaultKind.BAD_MODEL_FILE,
        "The engine does not know this kind of model.",
        "It may be newer than the engine in this Packbench. Choose another model.",
    ),
    _rule(
        r"failed to allocate|insufficient memory|cannot allocate memory|unable to allocate"
        r"|out of memory|bad_alloc|resource temporarily unavailable|outofdevicememory",
        FaultKind.OUT_OF_MEMORY,
        "There is not enough memory for this model at this context.",
        _LESS_MEMORY,
    ),
    _rule(
        r"chat template|jinja",
        FaultKind.BAD_MODEL_FILE,
        "The model file's chat template is faulty, so the engine does not know how to ask the model.",
        "Get the model from another source.",
    ),
    _rule(
        r"failed to read (?:key-value|header|tensor)|gguf_init_from_reader|wrong number of tensors"
        r"|missing tensor|error loading model",
        FaultKind.BAD_MODEL_FILE,
        "The model file cannot be read: its contents are incomplete or damaged.",
        _AGAIN,
    ),
    _rule(
        r"couldn't bind|address already in use",
        FaultKind.NOT_REACHABLE,
        "The engine found no free port on this computer.",
        "Try once more.",
    ),
)

_MEMORY_TEXT = next(rule for rule in _LOAD_RULES if rule.kind is FaultKind.OUT_OF_MEMORY).pattern


def load_fault(
    model: str, message: str, exit_code: int | None, *, memory_was_short: bool = False
) -> BackendFault:
    """The fault of a load that failed.

    words: the engine's standard error. exit_code: as `subprocess` gives it (negative: a
    signal); None: none yet.
    memory_was_short: the computer or its limits had run out of memory when it happened.
    """
    for rule in _LOAD_RULES:
        if rule.pattern.search(message):
            return BackendFault(rule.kind, f"{model}: {rule.message}", rule.fix, detail=own_text(message))
    if exit_code is not None and exit_code != 4:
        return exit_fault(model, message, exit_code, memory_was_short=memory_was_short)
    return BackendFault(
        FaultKind.SERVER_ERROR,
        f"{model}: the engine could not load this model and did not say why.",
        "The log may say more. Try another model.",
        detail=own_text(message),
    )


def exit_fault(model: str, message: str, exit_code: int, *, memory_was_short: bool = False) -> BackendFault:
    """The fault of an engine that went away by itself: in a load or in the middle of an answer."""
    ended = ended_by(exit_code)
    detail = "\n".join(part for part in (ended, own_text(message)) if part)
    if _MEMORY_TEXT.search(message) or (memory_was_short and exit_code in _KILLED):
        return BackendFault(
            FaultKind.OUT_OF_MEMORY,
            f"{model}: the engine was ended because memory ran out.",
            _LESS_MEMORY,
            detail=detail,
        )
    if exit_code in _ILLEGAL_INSTRUCTION:
        return BackendFault(
            FaultKind.NOT_SUPPORTED,
            "The engine uses instructions that this processor does not have.",
            "Use a local server that is made for this computer, such as Ollama.",
            detail=detail,
        )
    return BackendFault(
        FaultKind.CRASHED,
        f"{model}: the engine ended in the middle of its work ({ended}).",
        "Packbench goes on without it. If this happens again, choose another model.",
        detail=detail,
    )


def ended_by(exit_code: int) -> str:
    """'ended by signal SIGKILL', 'exit code 3'."""
    if exit_code < 0:
        try:
            return f"ended by signal {signal.Signals(-exit_code).name}"
        except ValueError:
            return f"ended by signal {-exit_code}"
    return f"exit code {exit_code if exit_code < 0x80000000 else hex(exit_code)}"


def own_text(message: str) -> str:
    """The engine's lines without time stamps and without those that tell nothing, each once."""
    lines: list[str] = []
    for line in message.splitlines():
        plain = _STAMP.sub("", line).strip()
        if plain and not _NOISE.search(plain) and plain not in lines:
            lines.append(plain)
    return "\n".join(lines)[:_DETAIL_CHARACTERS]
