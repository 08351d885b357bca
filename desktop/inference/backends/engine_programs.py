"""Which programs run models themselves: told by what a process is, not by what its files are called.

A process that is not among them may only pass requests on (HAProxy, nginx, LiteLLM, Docker's own proxy), and
its memory says nothing about a model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_PROGRAMS = {
    "llama-server": "llama-server",
    "llama_server": "llama-server",
    "llamafile": "llamafile",
    "llama_cpp.server": "llama-cpp-python",
    "ollama": "Ollama",
    "ollama_llama_server": "Ollama",
    "vllm": "vLLM",
    "vllm.entrypoints": "vLLM",
    "lemonade": "Lemonade",
    "lemonade-server": "Lemonade",
    "lemonade-server-dev": "Lemonade",
    "lemonade-router": "Lemonade",
    "lemond": "Lemonade",
    "lm studio": "LM Studio",
    "lm-studio": "LM Studio",
    "lmstudio": "LM Studio",
    "llmster": "LM Studio",
    "koboldcpp": "KoboldCpp",
    "local-ai": "LocalAI",
    "mlx_lm": "MLX LM",
    "mlx_lm.server": "MLX LM",
    "mlx_vlm.server": "MLX VLM",
    "rapid-mlx": "Rapid-MLX",
    "sglang": "SGLang",
    "sglang.launch_server": "SGLang",
    "mistralrs-server": "mistral.rs",
    "mistralrs": "mistral.rs",
    "text-generation-launcher": "TGI",
    "text-generation-router": "TGI",
    "tabbyapi": "TabbyAPI",
    "jan": "Jan",
    "gpt4all": "GPT4All",
}
"""Lower case, without `.exe`, `.py` or version; the module for what Python runs with `-m`."""

_INTERPRETER = re.compile(r"(python|pypy|node)[\d.]*w?")
_ENDING = re.compile(r"(\.exe|\.py|\.appimage|\.bin)$")
_VERSION = re.compile(r"[-_ ]v?\d[\w.\-]*$")
_MAX_ARGUMENTS = 32
_TAKES_A_VALUE = frozenset({"-X", "-W", "--check-hash-based-pycs"})


def engine_of(program: str, command_line: Sequence[str] = ()) -> str | None:
    """The engine that a process is; None when it is not known to be one.

    program: the name that the system has for the process. command_line: as it was started, empty where it may
    not be read. Only the program itself, or what an interpreter was told to run, counts: an editor that has a
    file called `ollama.txt` open, or a proxy that is given the name of an engine, is none.
    """
    ran = _ran_by_interpreter(command_line)
    if ran is not None:
        return _known(ran)
    return _known(program) or (_known(command_line[0]) if command_line else None)


def _known(path: str) -> str | None:
    name = _ENDING.sub("", re.split(r"[/\\]", path.strip())[-1].lower())
    # Some give their processes titles: 'VLLM::EngineCore', 'ollama: runner'; LM Studio has helpers.
    name = re.split(r"::?", name)[0].removesuffix(" helper").strip()
    parts = name.split(".")
    tries = [name, _VERSION.sub("", name), ".".join(parts[:2]), name.split(" (")[0].removesuffix(" helper")]
    return next((engine for entry in tries if (engine := _PROGRAMS.get(entry)) is not None), None)


def _ran_by_interpreter(command_line: Sequence[str]) -> str | None:
    """The script or module that an interpreter runs; None for any other program."""
    name = re.split(r"[/\\]", command_line[0])[-1].lower() if command_line else ""
    if not _INTERPRETER.fullmatch(_ENDING.sub("", name)):
        return None
    arguments = list(command_line[1:_MAX_ARGUMENTS])
    while arguments:
        argument = arguments.pop(0)
        if argument == "-m":
            return arguments[0] if arguments else ""
        if argument == "-c":
            return ""
        if argument in _TAKES_A_VALUE:
            arguments = arguments[1:]
        elif not argument.startswith("-"):
            return argument
    return ""
