"""Exact lengths of prompts before any model runs, by an engine child with a vocabulary and no weights."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from pathlib import Path

from desktop.foundation.cancel import CancelToken
from desktop.inference.backends.base import BackendFault, Clocks, FaultKind, LoadSettings
from desktop.inference.backends.embedded_model import engine_settings
from desktop.inference.backends.engine_link import EngineLink
from desktop.inference.backends.engine_process import EngineProcess
from desktop.inference.backends.http_client import make_client
from desktop.inference.backends.model_references import model_name
from desktop.inference.backends.private_folder import PrivateFolder
from desktop.inference.backends.processor import check_processor
from desktop.inference.backends.vocabulary_model import write_vocabulary_model

_CONTEXT_TOKENS = 256
"""The child answers no prompt; this is room that it takes all the same."""
_FILE = "vocabulary.gguf"


class PromptCounter:
    """Keeps the child of the model that was asked for last until `end`. May be used from several threads."""

    def __init__(self, clocks: Clocks | None = None) -> None:
        self._clocks = clocks or Clocks(load_s=60.0)
        self._one_at_a_time = threading.Lock()
        self._child: _VocabularyChild | None = None

    def count(self, model: Path, prompt: str, cancel: CancelToken) -> int:
        """Tokens the engine sends `model` for this prompt, its chat template included.

        model: a GGUF file; only its header is read. Blocks, for a second when the model is another one than
        before. Raises BackendFault, GgufError, Cancelled.
        """
        with self._one_at_a_time:
            cancel.raise_if_cancelled()
            child = self._child
            if child is None or not child.holds(model):
                self.end()
                child = self._child = _VocabularyChild(model, self._clocks)
            try:
                return child.count(prompt, cancel)
            except BaseException:
                # A child that failed once is not trusted again; the next question begins with a new one.
                self.end()
                child.end()
                raise

    def end(self) -> None:
        """Free everything; the next question begins anew. A question that is being answered fails: cancel it
        first. Takes some 10 ms."""
        child, self._child = self._child, None
        if child is not None:
            child.end()


class _VocabularyChild:
    """One child for one model file as it was when the child was started."""

    def __init__(self, model: Path, clocks: Clocks) -> None:
        check_processor()
        self._model = model
        self._stamp = _stamp(model)
        self._clocks = clocks
        self._folder = PrivateFolder()
        try:
            file = self._folder.path / _FILE
            write_vocabulary_model(model, file)
            settings = engine_settings(
                file,
                LoadSettings(_CONTEXT_TOKENS, threads=1),
                load_mode="mapped",
                check_tensors=False,
                folder=self._folder.path,
            )
            self._process = EngineProcess(model_name(model), settings)
        except BaseException as error:
            self._folder.remove()
            if isinstance(error, OSError):
                raise BackendFault(
                    FaultKind.BAD_MODEL_FILE,
                    f"The vocabulary of {model.name} cannot be kept aside.",
                    "Make room on the disk.",
                    detail=str(error),
                ) from error
            raise

    def holds(self, model: Path) -> bool:
        return model == self._model and _stamp(model) == self._stamp and self._process.usable()

    def count(self, prompt: str, cancel: CancelToken) -> int:
        cancel.on_cancel(self._process.kill)
        try:
            return asyncio.run(self._ask(prompt))
        finally:
            cancel.raise_if_cancelled()

    async def _ask(self, prompt: str) -> int:
        process = self._process
        if process.address is None:
            await process.wait_until_ready(self._clocks.load_s)
        assert process.address is not None
        headers = {"Authorization": f"Bearer {process.api_key}"}
        client = make_client(process.address, local=True, headers=headers, keep=False)
        try:
            link = EngineLink(process, client, self._clocks)
            # As `EmbeddedBackend` asks a model that is not to think.
            body = {
                "messages": [{"role": "user", "content": prompt}],
                "chat_template_kwargs": {"enable_thinking": False},
            }
            return len(await link.prompt_tokens(body))
        finally:
            await client.aclose()

    def end(self) -> None:
        self._process.end_now()
        self._folder.remove()


def _stamp(file: Path) -> tuple[int, int] | None:
    """Changes when the file does; None when it is gone."""
    with contextlib.suppress(OSError):
        status = file.stat()
        return status.st_size, status.st_mtime_ns
    return None
