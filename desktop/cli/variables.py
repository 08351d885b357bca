"""Every variable of the environment that the program reads, for the help; a test holds the list complete."""

from __future__ import annotations

from desktop.cli.keygen import PASSPHRASE_VARIABLE
from desktop.inference.backends.api_keys import ANTHROPIC_VARIABLE, SERVER_VARIABLE

VARIABLES: dict[str, str] = {
    "PACKBENCH_HOME": "a folder for everything the program keeps, instead of the system's places",
    SERVER_VARIABLE: "key of a model server, for `run` and `ingest`",
    ANTHROPIC_VARIABLE: "key of Anthropic's service, for `run`",
    "ETALON_API_KEY": "key of the endpoint, for `qualify` and `check`",
    "OPENAI_API_KEY": "the same, where `ETALON_API_KEY` is not set",
    "PACKBENCH_JUDGE_API_KEY": "key of the judge's endpoint, for `qualify`",
    "TYPESAFE_API_KEY": "key of the TypeSafe judge, for `qualify`",
    PASSPHRASE_VARIABLE: "passphrase of a locked private key, for `keygen` and `sign`",
    "OLLAMA_MODELS": "where Ollama keeps its models",
    "HF_HUB_CACHE": "where the Hugging Face cache is",
    "HF_HOME": "the folder above it, where `HF_HUB_CACHE` is not set",
    "LLAMA_CACHE": "where llama.cpp keeps downloaded models",
    "XDG_DATA_HOME": "on Linux: where other programs keep data such as models",
    "XDG_CACHE_HOME": "on Linux: where other programs keep caches such as models",
    "XDG_RUNTIME_DIR": "on Linux: where a window may listen for later starts",
    "APPDATA": "on Windows: where other programs keep data such as models",
    "LOCALAPPDATA": "on Windows: where other programs keep caches such as models",
    "NO_COLOR": "when set, nothing printed is coloured",
    "TERM": "`dumb`: a terminal without colours and moving lines",
    "WT_SESSION": "on Windows: set by terminals that know colours",
    "COLUMNS": "width of printed text",
    "QT_QPA_PLATFORM": "how Qt draws windows",
    "DISPLAY": "the screen for windows",
    "WAYLAND_DISPLAY": "the same on Wayland",
}
