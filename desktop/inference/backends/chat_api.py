"""How a qualification's request travels to a server; evidence keeps requests and replies in the format's own
form either way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from packs.canonical import JsonValue
from packs.qualification.requests import chat_url


class ChatApi(Protocol):
    """sets_context: the server gives the context that a request asks for. note: for the evidence; may be ''."""

    sets_context: bool
    note: str

    def url(self, endpoint: str, interface_path: str) -> str: ...
    def request(self, body: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]: ...
    def reply(self, body: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]: ...


class OpenAiChatApi:
    """Requests and replies as the format has them."""

    sets_context = False
    note = ""

    def url(self, endpoint: str, interface_path: str) -> str:
        return chat_url(endpoint, interface_path)

    def request(self, body: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        return body

    def reply(self, body: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        return body
