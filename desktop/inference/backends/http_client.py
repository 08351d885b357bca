"""One way to speak HTTP for all adapters: who may be reached, how much is read, and what an error means."""

from __future__ import annotations

import email.utils
import ipaddress
import json
import math
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime

import httpx

from desktop.inference.backends.api_keys import SERVER_VARIABLE
from desktop.inference.backends.base import BackendFault, FaultKind
from desktop.inference.backends.error_wordings import says_busy, says_input_too_long
from desktop.inference.backends.oom import says_out_of_memory
from desktop.inference.backends.retry import BUSY_STATUSES

CONNECT_S = 5.0
MAX_ANSWER_BYTES = 64 * 2**20
MAX_ERROR_BYTES = 256 * 2**10
_DETAIL_CHARACTERS = 2000
_MAX_RETRY_AFTER_S = 3600.0

Resolver = Callable[[str], list[str]]


def resolve(host: str) -> list[str]:
    """The addresses a name stands for; empty when there are none."""
    try:
        return sorted({str(entry[4][0]) for entry in socket.getaddrinfo(host, None)})
    except (OSError, UnicodeError):
        return []


def is_loopback(url: str, resolver: Resolver = resolve) -> bool:
    """Does every address of the host belong to this computer? By address, not by name; false for no address.

    But for "localhost": where a system does not know that name, it still stands for nothing else (RFC 6761).
    """
    parsed = _parsed(url)
    if parsed is None:
        return False
    try:
        return ipaddress.ip_address(parsed.host).is_loopback
    except ValueError:
        addresses = resolver(parsed.host)
    if not addresses:
        return parsed.host == "localhost"
    return all(ipaddress.ip_address(entry.split("%")[0]).is_loopback for entry in addresses)


def checked_base_url(url: str, *, remote_allowed: bool, resolver: Resolver = resolve) -> tuple[str, bool]:
    """(address without a closing slash, whether it is on this computer).

    Raises BackendFault NOT_SUPPORTED for an address that is none, carries a password, or lies elsewhere while
    that is not allowed.
    """
    parsed = _parsed(url)
    if parsed is None:
        raise BackendFault(
            FaultKind.NOT_SUPPORTED,
            f"“{url[:200]}” is not the address of a server.",
            "Write it like http://localhost:8080.",
        )
    if parsed.userinfo:
        raise BackendFault(
            FaultKind.NOT_SUPPORTED,
            "The server's address carries a name or a password.",
            "Give the address alone and the key separately.",
        )
    local = is_loopback(url, resolver)
    if not local and not remote_allowed:
        raise BackendFault(
            FaultKind.NOT_SUPPORTED,
            f"{parsed.host} is not this computer, and other computers are not allowed for this run.",
            "Allow other computers for this run (on the command line: --allow-remote), or use a server here.",
        )
    return str(parsed).rstrip("/"), local


def _parsed(url: str) -> httpx.URL | None:
    """Read by the same rules by which it is asked later; None when it is no plain address of a server."""
    url = url.strip()
    if any(char.isspace() for char in url):
        return None
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        return None
    if parsed.scheme not in ("http", "https") or not parsed.host or (parsed.port or 1) > 65_535:
        return None
    return None if parsed.query or parsed.fragment else parsed


class OnceMore(httpx.AsyncBaseTransport):
    """Servers close connections that were idle, just when the next request is on its way. It never reached them
    then, and is sent once more over a new connection."""

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return await self._transport.handle_async_request(request)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        await self._transport.aclose()


def make_client(
    base_url: str, *, local: bool, headers: Mapping[str, str] | None = None, keep: bool = True
) -> httpx.AsyncClient:
    """A client without clocks of its own (the adapters have theirs) that sends no local traffic to a proxy.

    keep: use a connection for several requests.
    """
    # Reading the certificates takes some 50 ms and a plain connection has no use for them. Redirects, which
    # could lead to an encrypted address, are not followed.
    verify = base_url.startswith("https:")
    limits = httpx.Limits(max_connections=64, max_keepalive_connections=64 if keep else 0)
    transport = None
    if local:
        plain = httpx.AsyncHTTPTransport(verify=verify, trust_env=False, limits=limits)
        transport = OnceMore(plain) if keep else plain
    return httpx.AsyncClient(
        base_url=base_url,
        # Packed answers save nothing here and could unpack to any size.
        headers={"Accept-Encoding": "identity", **(headers or {})},
        transport=transport,
        trust_env=not local,
        verify=verify,
        follow_redirects=False,
        timeout=httpx.Timeout(None, connect=CONNECT_S),
        limits=limits,
    )


async def read_all(response: httpx.Response, limit: int = MAX_ANSWER_BYTES) -> bytes:
    """The body. Raises BackendFault when it is longer than `limit` bytes."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > limit:
            raise too_long(limit)
    return bytes(body)


async def read_some(response: httpx.Response, limit: int = MAX_ERROR_BYTES) -> bytes:
    """The body's first `limit` bytes, the rest left unread; what came until then when it breaks off."""
    body = bytearray()
    try:
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) >= limit:
                break
    except httpx.HTTPError:
        pass
    return bytes(body[:limit])


async def line_batches(
    response: httpx.Response, *, max_line: int = 2**20, max_total: int = MAX_ANSWER_BYTES
) -> AsyncIterator[list[str]]:
    """The lines that each arriving piece completes, without their ends; a last one without an end counts.

    Raises BackendFault when a line or the whole is longer than allowed (bytes). Bad UTF-8 is replaced.
    """
    rest = b""
    total = 0
    async for piece in response.aiter_bytes():
        total += len(piece)
        if total > max_total:
            raise too_long(max_total)
        *whole, rest = (rest + piece).split(b"\n")
        if whole:
            yield [_line(line) for line in whole]
        if len(rest) > max_line:
            raise too_long(max_line)
    if rest:
        yield [_line(rest)]


def _line(raw: bytes) -> str:
    return raw.removesuffix(b"\r").decode("utf-8", "replace")


def too_long(limit: int) -> BackendFault:
    return BackendFault(
        FaultKind.SERVER_ERROR,
        f"The server sent more than {limit:,} bytes for one answer; reading was stopped.",
        "Check that this address is a model server.",
    )


def parse_json(text: str | bytes) -> object:
    """Strict: NaN and Infinity are refused. Raises ValueError (RecursionError counts as one)."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a number")


def answer_json(body: bytes, server: str) -> object:
    """The body as JSON. Raises BackendFault SERVER_ERROR in words when it is none."""
    try:
        return parse_json(body)
    except ValueError as error:
        raise not_an_answer(body.decode("utf-8", "replace"), server, str(error)) from error


def not_an_answer(text: str, server: str, reason: str = "") -> BackendFault:
    """Something came that is no answer of a model server: a web page, cut JSON, or another thing."""
    if text.lstrip()[:1] == "<":
        return BackendFault(
            FaultKind.SERVER_ERROR,
            f"{server}: a web page came instead of an answer. A proxy, a log-in page or a web server stands "
            "between.",
            "Check the address. If a proxy is set for this computer, exclude this server from it.",
            detail=text[:_DETAIL_CHARACTERS],
        )
    return BackendFault(
        FaultKind.SERVER_ERROR,
        f"{server}: what came is not the answer of a model server.",
        "Check the address and the server's version.",
        detail="\n".join(part for part in (reason, text[:_DETAIL_CHARACTERS]) if part),
    )


def fault_from_transport(error: httpx.HTTPError, server: str, *, in_answer: bool) -> BackendFault:
    """A connection that failed. in_answer: an answer had begun to come."""
    detail = f"{type(error).__name__}: {error}"[:_DETAIL_CHARACTERS]
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return BackendFault(
            FaultKind.NOT_REACHABLE, f"{server} does not answer at this address.", "Start it, then try again.",
            detail=detail,
        )  # fmt: skip
    if isinstance(error, httpx.DecodingError):
        return BackendFault(
            FaultKind.SERVER_ERROR,
            f"{server}: the answer was packed in a way that cannot be read.",
            "Check the server's version.",
            detail=detail,
        )
    if in_answer:
        return BackendFault(
            FaultKind.CRASHED,
            f"{server}: the connection broke off in the middle of an answer. The server may have crashed.",
            "See the server's own log. It may lack memory for this model.",
            detail=detail,
        )
    return BackendFault(
        FaultKind.NOT_REACHABLE,
        f"{server}: the connection broke off before an answer came.",
        "Check that the server still runs, then try again.",
        detail=detail,
    )


def error_text(body: bytes | str) -> str:
    """The server's own words out of an error body: a text under `error`, or its `message`, else all of it."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    try:
        data = parse_json(text)
    except ValueError:
        return text.strip()[:_DETAIL_CHARACTERS]
    error = data.get("error") if isinstance(data, dict) else None
    if isinstance(error, str) and error.strip():
        return error[:_DETAIL_CHARACTERS]
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return str(error["message"])[:_DETAIL_CHARACTERS]
    return text.strip()[:_DETAIL_CHARACTERS]


def retry_after_s(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds from a `Retry-After` header (a number or a date), 0 to 3600; None when absent or unreadable."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(value)
        except (ValueError, TypeError):
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        seconds = (when - (now or datetime.now(UTC))).total_seconds()
    if not math.isfinite(seconds):
        return None
    return min(max(seconds, 0.0), _MAX_RETRY_AFTER_S)


def fault_from_status(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    server: str,
    model: str,
    own_text: Callable[[str], str] = error_text,
    key_variable: str = SERVER_VARIABLE,
) -> BackendFault:
    """What an HTTP error status means, with the server's own words in `detail`.

    key_variable: the environment variable that the server's key is taken from.
    """
    text = body.decode("utf-8", "replace")
    is_page = text.lstrip()[:1] == "<"
    message = "" if is_page else own_text(text)
    detail = f"HTTP {status}: {message}" if message else f"HTTP {status}"
    fault = None if status == 429 or is_page else fault_of_known_text(text, message, server, model, detail)
    if fault is not None and fault.kind is not FaultKind.BUSY:
        return fault
    # Before the form of the body: a proxy's page with 503 is no log-in page.
    if status in BUSY_STATUSES or (fault is not None and status >= 500):
        return server_is_busy(server, detail, retry_after_s(headers.get("retry-after")))
    if is_page:
        fault = not_an_answer(text, server)
        return BackendFault(fault.kind, fault.message, fault.fix, detail=f"HTTP {status}\n{fault.detail}")
    if status in (401, 403):
        return BackendFault(
            FaultKind.SERVER_ERROR,
            f"{server} refuses the key, or wants one.",
            f"Set the environment variable {key_variable} to its key before starting Packbench.",
            detail=detail,
        )
    if status == 404 and "model" in message.lower():
        return BackendFault(
            FaultKind.NO_SUCH_MODEL,
            f"{server} does not have the model {model}.",
            "Choose one of the models that it lists.",
            detail=detail,
        )
    return BackendFault(
        FaultKind.SERVER_ERROR,
        f"{server} answered with an error (HTTP {status}).",
        "Its own words may tell what to change.",
        detail=detail,
    )


def fault_from_text(text: str, server: str, model: str = "") -> BackendFault:
    """What an error means that came where an answer was due: an event in a stream, a line of JSON, a whole
    body. text: as it came."""
    message = error_text(text)
    known = fault_of_known_text(text, message, server, model, message)
    return known or BackendFault(
        FaultKind.SERVER_ERROR,
        f"{server} stopped the answer with an error.",
        "Its own words may tell what to change.",
        detail=message,
    )


def tells_error(data: object) -> bool:
    """Is it the object by which a server tells of an error? vLLM before 0.11 has no field `error`."""
    return isinstance(data, dict) and (bool(data.get("error")) or data.get("object") == "error")


def fault_of_odd_line(line: str, server: str) -> BackendFault:
    """A line that is no part of an answer's stream. An error may come without the stream's frame."""
    try:
        error = line.startswith("{") and tells_error(parse_json(line))
    except ValueError:
        error = False
    return fault_from_text(line, server) if error else not_an_answer(line, server)


def fault_of_known_text(text: str, message: str, server: str, model: str, detail: str) -> BackendFault | None:
    """Memory, length, or busy; None for anything else. text: all that came; message: the words out of it."""
    if says_out_of_memory(message):
        return BackendFault(
            FaultKind.OUT_OF_MEMORY,
            f"{server}: there is not enough memory for {model or 'this model'}.",
            "Choose a smaller model or context, or close other programs.",
            detail=detail,
        )
    if says_input_too_long(text):
        return input_too_long(server, detail)
    return server_is_busy(server, detail) if says_busy(text) else None


def server_is_busy(server: str, detail: str, after_s: float | None = None) -> BackendFault:
    return BackendFault(
        FaultKind.BUSY,
        f"{server} is busy and asks to be tried again later.",
        "Wait a little, or use fewer requests at once.",
        detail=detail,
        retry_after_s=after_s,
    )


def input_too_long(server: str, detail: str) -> BackendFault:
    return BackendFault(
        FaultKind.INPUT_TOO_LONG,
        f"{server}: the prompt is longer than the context.",
        "Set a larger context in the pack, or shorten the prompt.",
        detail=detail,
    )
