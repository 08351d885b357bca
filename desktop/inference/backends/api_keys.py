"""Keys for servers that want one: from the environment, else from the system's keyring where that is installed.

A key is held in memory and sent as a header. It is never written: not into a journal, log, report, bundle or
crash file, and it is part of no message.
"""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Mapping

log = logging.getLogger(__name__)

ANTHROPIC_VARIABLE = "ANTHROPIC_API_KEY"
SERVER_VARIABLE = "PACKBENCH_API_KEY"
"""The key for an OpenAI-compatible server that wants one. A name of its own, so that a key meant for somebody
else's service is never sent to a server that was named here."""
ETALON_VARIABLE = "ETALON_API_KEY"
OPENAI_VARIABLE = "OPENAI_API_KEY"
MODEL_VARIABLES = (ETALON_VARIABLE, OPENAI_VARIABLE)
"""For the endpoint of a qualification, as the format names them; the first that is set counts."""
JUDGE_VARIABLE = "PACKBENCH_JUDGE_API_KEY"
TYPESAFE_VARIABLE = "TYPESAFE_API_KEY"
KEY_VARIABLES = (SERVER_VARIABLE, ANTHROPIC_VARIABLE, *MODEL_VARIABLES, JUDGE_VARIABLE, TYPESAFE_VARIABLE)
KEYRING_SERVICE = "Packbench"
_MAX_CHARACTERS = 4096


def model_key(environment: Mapping[str, str]) -> str | None:
    """For the endpoint of a qualification; None when none is set."""
    return next((value for name in MODEL_VARIABLES if (value := environment.get(name))), None)


def find_key(variable: str, environment: Mapping[str, str] | None = None) -> str | None:
    """The key in the environment variable `variable`, else in the keyring under that name. None: there is none,
    or it holds characters that cannot be sent."""
    value = (os.environ if environment is None else environment).get(variable) or _from_keyring(variable)
    value = (value or "").strip()
    if not value or len(value) > _MAX_CHARACTERS or not value.isascii() or not value.isprintable():
        return None
    return value


def _from_keyring(name: str) -> str | None:
    """The `keyring` library is optional, and a keyring that is locked or absent is no fault."""
    try:
        keyring = importlib.import_module("keyring")
        found = keyring.get_password(KEYRING_SERVICE, name)
    except Exception:
        log.debug("no keyring on this computer", exc_info=True)
        return None
    return found if isinstance(found, str) else None
