"""Files given beside the pack: serving config, prompts, model index, redaction policy. Format, section 3.

Each is read and checked before the first request is made.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from packs.canonical import JsonValue
from packs.documents.reading import TEXT_BYTES, UnreadableFile, decode, read_bytes, read_yaml
from packs.errors import AppError
from packs.qualification.failures import RedactionPolicy, policy_of
from packs.qualification.fingerprint import Envelope, no_weights

SERVING_KEYS = (
    "engine",
    "engine_version",
    "revision",
    "quantization",
    "tensor_parallel_size",
    "max_num_seqs",
    "enable_chunked_prefill",
    "kv_cache_dtype",
)
_HASH = re.compile(r"sha256:[0-9a-f]{64}")


def read_text(file: Path, what: str) -> str:
    """Raises AppError naming the file."""
    try:
        return decode(read_bytes(file, TEXT_BYTES))
    except FileNotFoundError:
        raise AppError(
            f"The {what} '{file}' is not there.", "Check the path.", code="side_file_missing"
        ) from None
    except UnreadableFile as error:
        raise _unusable(file, what, error) from None


def _unusable(file: Path, what: str, error: UnreadableFile) -> AppError:
    place = f", line {error.line}" if error.line else ""
    return AppError(f"The {what} '{file}'{place}: {error.message}", error.fix, code="side_file_unusable")


def _read_mapping(file: Path, what: str) -> dict[str, Any]:
    text = read_text(file, what)
    try:
        value = read_yaml(text).value
    except UnreadableFile as error:
        raise _unusable(file, what, error) from None
    if not isinstance(value, dict):
        raise AppError(
            f"The {what} '{file}' is no group of fields.",
            "Write 'name: value' lines.",
            code="side_file_unusable",
        )
    return value


def read_serving_config(file: Path) -> dict[str, JsonValue]:
    """Raises AppError also for a known key that is empty: no fingerprint could hold it (section 28, W3)."""
    config = _read_mapping(file, "serving config")
    for name in SERVING_KEYS:
        value = config.get(name, "-")
        if value is None or (isinstance(value, str) and not value.strip()):
            raise AppError(
                f"The serving config '{file}' leaves '{name}' empty.",
                f"Write its value, or remove the line '{name}'.",
                code="serving_config_empty",
            )
    for name in ("sampling", "quantization_config"):
        if name in config and not isinstance(config[name], dict):
            raise AppError(
                f"The serving config '{file}': '{name}' must be a group of fields.",
                f"Write {name} as indented 'name: value' lines, or remove it.",
                code="serving_config_shape",
            )
    return config


def read_model_index(file: Path, at: str) -> Envelope:
    """Hashes of the weight files as the operator's word; unavailable with the reason when it has none.

    at: UTC time of the run. Raises AppError only when the file cannot be read at all.
    """
    text = read_text(file, "model index")
    try:
        value: JsonValue = (
            read_yaml(text).value if file.suffix.lower() in (".yaml", ".yml") else json.loads(text)
        )
    except (UnreadableFile, ValueError, RecursionError) as error:
        return no_weights(f"the model index cannot be read: {error}")
    listed: JsonValue = None
    if isinstance(value, dict):
        listed = value.get("files", value.get("file_hashes"))
    if not isinstance(listed, dict) or not listed:
        return no_weights("the model index names no files")
    if not all(isinstance(found, str) and _HASH.fullmatch(found) for found in listed.values()):
        return no_weights("the model index holds a hash that is not 'sha256:' and 64 hex digits")
    return {
        "state": "externally_supplied",
        "source": "model_index",
        "supplied_by": "operator",
        "supplied_at": at,
        "file_hashes": dict(listed),
    }


def read_redaction_policy(file: Path) -> tuple[RedactionPolicy, dict[str, JsonValue]]:
    """The policy and the document as written. Raises AppError for unknown or mistyped fields."""
    found = _read_mapping(file, "redaction policy")
    known = {**RedactionPolicy().as_json()}
    for name, value in found.items():
        wanted = known.get(name)
        if wanted is None or type(value) is not type(wanted):
            raise AppError(
                f"The redaction policy '{file}': '{name}' is not known or has the wrong type.",
                f"Known fields: {', '.join(known)}.",
                code="redaction_policy_field",
            )
    return policy_of(found), found


def read_extra_body(text: str) -> dict[str, JsonValue]:
    """The `--extra-body` argument. Raises AppError saying what is wrong with it."""
    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise AppError(
            f"--extra-body is not JSON: {error}.", 'Write for example {"top_k": 40}.', code="extra_body"
        ) from None
    if not isinstance(value, dict):
        raise AppError("--extra-body is not an object.", 'Write for example {"top_k": 40}.', code="extra_body")
    return value


def _refuse(name: str) -> JsonValue:
    raise ValueError(f"{name} is not a number")
