"""The process that hosts the engine: started by the program itself, ends with it.

It is told its settings as one line on standard input and keeps reading there: the end of that input means that
the program is gone, however it went. A copy of standard output carries one JSON line per event; standard output
itself points to standard error, since native code prints. Nothing heavy is imported before the settings are in.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

from desktop.inference.backends.engine_settings import EngineSettings

HIDDEN_VERB = "--engine-child"
PARENT_GONE = 3
LOAD_FAILED = 4
BAD_SETTINGS = 5

MAX_SETTINGS_BYTES = 1_000_000
FIRST_TO_GO = 800
"""Of 1,000."""

_PR_SET_PDEATHSIG = 1


def run_engine_child() -> int:
    """Serve until standard input ends. Returns only when the model could not be loaded."""
    channel = _take_over_standard_output()
    _end_with_parent()
    # Ctrl-C in a terminal goes to every process of the group; the program decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        settings = EngineSettings.from_line(_first_line())
    except (ValueError, TypeError):
        _notify(channel, event="failed", message="settings not understood")
        return BAD_SETTINGS
    threading.Thread(target=_leave_at_end_of_input, args=(settings.slot_folder,), daemon=True).start()
    # Read by the OpenMP library when it is loaded.
    os.environ["OMP_WAIT_POLICY"] = settings.wait_policy.upper()
    _lower_priority(settings.niceness)
    try:
        import xllamacpp
    except (ImportError, OSError) as error:
        # OSError: the one-file program unpacks the engine now, and there may be no room for it.
        _notify(channel, event="failed", message=f"engine library missing: {error}")
        return LOAD_FAILED
    _notify(channel, event="engine", version=xllamacpp.__version__, system=xllamacpp.get_system_info().strip())
    started = time.perf_counter()
    try:
        server = xllamacpp.Server(_parameters(xllamacpp, settings))
    except Exception as error:
        # Always the same words; the reason is on standard error.
        _notify(channel, event="failed", message=str(error))
        return LOAD_FAILED
    load_ms = (time.perf_counter() - started) * 1000
    # From here on the end of standard input is seen at once, and what was kept can be removed first.
    _end_with_parent(at_once=False)
    _notify(channel, event="ready", address=server.listening_address, load_ms=load_ms)
    threading.Event().wait()
    return 0


def _parameters(xllamacpp: Any, settings: EngineSettings) -> Any:
    params = xllamacpp.CommonParams()
    params.model.path = settings.model_path
    params.model_alias = {"model"}
    params.n_ctx = settings.context_tokens
    params.n_batch = settings.batch_tokens
    params.n_ubatch = settings.batch_tokens
    params.n_parallel = settings.slots
    params.cpuparams.n_threads = settings.threads
    params.cpuparams_batch.n_threads = settings.threads
    cache_type = getattr(xllamacpp.ggml_type, f"GGML_TYPE_{settings.kv_cache_type.upper()}")
    params.cache_type_k = cache_type
    params.cache_type_v = cache_type
    modes = xllamacpp.llama_load_mode
    mapped = settings.load_mode == "mapped"
    params.load_mode = modes.LLAMA_LOAD_MODE_MMAP if mapped else modes.LLAMA_LOAD_MODE_NONE
    params.cache_ram_mib = settings.prompt_store_mib
    params.cache_idle_slots = False
    params.n_ctx_checkpoints = settings.context_checkpoints
    params.swa_full = settings.full_sliding_window
    params.fit_params = settings.fit_by_engine
    params.check_tensors = settings.check_tensors
    params.enable_reasoning = 1 if settings.thinking else 0
    params.verbosity = settings.verbosity
    params.n_threads_http = settings.http_threads
    params.slot_save_path = settings.slot_folder
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [settings.api_key]
    params.ui = False
    params.endpoint_props = True
    params.offline = True
    return params


def _take_over_standard_output() -> BinaryIO:
    channel = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return channel


def _notify(channel: BinaryIO, **event: object) -> None:
    try:
        channel.write(json.dumps(event).encode() + b"\n")
    except OSError:
        os._exit(PARENT_GONE)


def _first_line() -> bytes:
    """Read with plain calls: a buffered reader's lock would stop the interpreter from ending in good order."""
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(0, 65536)
        if not piece or len(line) > MAX_SETTINGS_BYTES:
            raise ValueError("no settings")
        line += piece
    return line


def _leave_at_end_of_input(folder: str) -> None:
    while os.read(0, 4096):
        pass
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    # Not sys.exit: taking the engine down in good order can hang for ever.
    os._exit(PARENT_GONE)


def _end_with_parent(*, at_once: bool = True) -> None:
    """Linux: killed when the thread that started us ends; `at_once=False` takes that back. The end of standard
    input is not seen while a model is being loaded, since the engine holds the interpreter then."""
    if sys.platform != "linux":
        return
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL if at_once else 0)
    if os.getppid() != parent and at_once:
        os._exit(PARENT_GONE)


def _lower_priority(niceness: int) -> None:
    """So that the window never waits for the engine. On Windows the program starts us with a lower class.

    When memory runs out, Linux shall end the engine and not the program, which tells what happened.
    """
    if sys.platform != "win32" and niceness:
        os.nice(niceness)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(str(FIRST_TO_GO), encoding="ascii")
