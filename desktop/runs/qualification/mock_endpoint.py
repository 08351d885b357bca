"""The mock endpoint of a pack: script and server joined."""

from __future__ import annotations

from collections.abc import Mapping

from desktop.runs.qualification.mock_script import MODELS, MockScript, completion
from desktop.runs.qualification.mock_server import Handler, MockReply, MockServer, echo_handler, json_reply
from packs.canonical import JsonValue
from packs.qualification.pack import QualificationPack


def script_handler(pack: QualificationPack) -> Handler:
    script = MockScript(pack)

    def handle(body: Mapping[str, JsonValue]) -> MockReply:
        scripted = script.answer(body)
        if scripted.status != 200:
            return json_reply({"error": {"message": "the mock was told to fail"}}, scripted.status)
        return json_reply(completion(str(body.get("model", "")), scripted.content))

    return handle


def mock_endpoint(
    pack: QualificationPack | None, *, models: tuple[str, ...] = MODELS, port: int = 0
) -> MockServer:
    """Plays the model ids of the format for this pack; without a pack it echoes at once."""
    return MockServer(script_handler(pack) if pack is not None else echo_handler(), models=models, port=port)
