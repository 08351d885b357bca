"""Files that are not GGUF although they are named so: what they are instead, and what to do."""

from __future__ import annotations

import re

from desktop.inference.model_files.gguf_cursor import GgufError

_OLD_MAGICS = (b"lmgg", b"fmgg", b"tjgg", b"algg", b"ggml", b"ggmf", b"ggjt", b"ggla")
_ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x28\xb5\x2f\xfd")


def foreign_file(name: str, start: bytes, size: int) -> GgufError | None:
    """The fault to raise for a file of `size` bytes that begins with `start`; None for a GGUF file."""
    if size == 0:
        return GgufError(f"{name} is empty.", "The download did not begin: fetch the file again.", code="empty")
    if start[:4] == b"GGUF":
        return None
    if start[:4] == b"FUGG":
        return GgufError(
            f"{name} was written for big-endian computers.",
            "Fetch the usual (little-endian) file of the same model.",
            code="big_endian",
        )
    if start.startswith(b"version https://git-lfs.github.com/spec/"):
        match = re.search(rb"\nsize (\d{1,15})\b", start)
        real = f" of {int(match[1]) / 2**20:,.0f} MiB" if match else ""
        return GgufError(
            f"{name} is only a placeholder that Git leaves behind; the model itself{real} was not fetched.",
            "Run 'git lfs pull' in that folder, or download the file itself.",
            code="lfs_pointer",
        )
    head = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<!doctype", b"<html", b"<head", b"<?xml")):
        return GgufError(
            f"{name} is a web page, not a model.",
            "The server answered the download with a page, perhaps to sign in: open the address in a browser.",
            code="web_page",
        )
    if start[:4] in _OLD_MAGICS:
        return GgufError(
            f"{name} is in a format from before GGUF that engines no longer read.",
            "Fetch a GGUF file of the model.",
            code="old_format",
        )
    if any(start.startswith(magic) for magic in _ARCHIVES):
        return GgufError(
            f"{name} is a compressed archive, not a model.",
            "Unpack it, or fetch a GGUF file of the model.",
            code="archive",
        )
    if len(start) > 8 and start[8:9] == b"{" and int.from_bytes(start[:8], "little") < min(size, 1 << 32):
        return GgufError(
            f"{name} is in the safetensors format, which the engine does not read.",
            "Fetch a GGUF file of the model.",
            code="safetensors",
        )
    if _is_text(start):
        message = " ".join(start.decode("utf-8", "replace").split())[:60]
        return GgufError(
            f"{name} is a text of {size:,} bytes, not a model. It begins: '{message}'.",
            "The server may have answered the download with a message: fetch the file again.",
            code="text_file",
        )
    return GgufError(
        f"{name} is not a GGUF model: it does not begin with the letters GGUF.",
        "Choose a file that ends in .gguf, or fetch it again.",
        code="not_gguf",
    )


def _is_text(start: bytes) -> bool:
    if b"\0" in start:
        return False
    try:
        # The last bytes may be half a character.
        text = start[:-4].decode("utf-8") if len(start) > 400 else start.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return all(char.isprintable() or char in "\r\n\t" for char in text)
