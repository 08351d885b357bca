"""An OpenAI-compatible server that answers at once; `python -m tests.bench.instant_server` says where it is."""

from __future__ import annotations

import asyncio
import json

EVENTS = (
    {"choices": [{"index": 0, "delta": {"content": "delivery"}, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"prompt_tokens": 90, "completion_tokens": 1}},
)
STREAM = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in EVENTS) + b"data: [DONE]\n\n"
MODELS = json.dumps({"data": [{"id": "instant"}]}).encode()
WHOLE = json.dumps(
    {
        "choices": [{"index": 0, "message": {"content": "delivery"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 1},
    }
).encode()


def reply(kind: str, body: bytes, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def answer(request: str, body: bytes) -> bytes:
    if request.startswith("GET /v1/models"):
        return reply("application/json", MODELS)
    if request.startswith("POST /v1/chat/completions"):
        if json.loads(body).get("stream"):
            return reply("text/event-stream", STREAM)
        return reply("application/json", WHOLE)
    return reply("application/json", b"{}", "404 Not Found")


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = 0
            for line in head.split("\r\n"):
                name, _, value = line.partition(":")
                if name.lower() == "content-length":
                    length = int(value)
            body = await reader.readexactly(length) if length else b""
            writer.write(answer(head, body))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
