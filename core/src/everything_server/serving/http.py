"""What the HTTP serving entries have in common: bodies, negotiation, error answers, event streams."""

from collections.abc import Mapping
from typing import Final

import anyio
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCMessage, RequestId
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Send

from everything_server.serving.messages import error_answer, write_message

MAX_BODY: Final = 4 << 20
"""Bytes of a posted body that are read by default (the TypeScript and Python SDKs' limit too)."""

BODY_SCOPE_KEY: Final = "everything_server.body"
"""Where a body that was read to classify a request waits in the ASGI scope for whoever serves it."""

_TOO_LARGE_SCOPE_KEY: Final = "everything_server.body_too_large"

EVENT_STREAM_HEADERS: Final = {
    "cache-control": "no-cache, no-transform",
    "content-type": "text/event-stream",
    "x-accel-buffering": "no",
}
KEEP_ALIVE: Final = b": keepalive\n\n"


class BodyTooLargeError(Exception):
    """A body is over the limit; it was not read to its end."""


async def read_body(request: Request, limit: int) -> bytes:
    """The body of a request, which stays readable for whoever else serves its scope.

    Raises:
        BodyTooLargeError: It is over the limit, by its declared or by its real length.
        ClientDisconnect: The client went away while sending it.
    """
    known: bytes | None = request.scope.get(BODY_SCOPE_KEY)
    if known is not None:
        return known
    declared = request.headers.get("content-length", "")
    if request.scope.get(_TOO_LARGE_SCOPE_KEY) or (declared.isdecimal() and int(declared) > limit):
        raise BodyTooLargeError
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            request.scope[_TOO_LARGE_SCOPE_KEY] = True  # whoever is asked next cannot read it from its beginning
            raise BodyTooLargeError
    request.scope[BODY_SCOPE_KEY] = bytes(body)
    return bytes(body)


def is_json(request: Request) -> bool:
    """Whether the body's media type is JSON, whatever the case and parameters of the header."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def accepts(request: Request) -> tuple[bool, bool]:
    """Whether the client takes JSON, and whether it takes an event stream (RFC 9110, section 12.5.1).

    A type with `q=0` is not taken. No header at all takes nothing here: MCP requires it.
    """
    ranges: dict[str, bool] = {}
    for part in ",".join(request.headers.getlist("accept")).split(","):
        media, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = next((value[2:] for value in parameters if value.startswith("q=")), "1")
        ranges[media] = quality.strip("0.") != ""
    return _accepts(ranges, "application/json"), _accepts(ranges, "text/event-stream")


def error_response(
    status: int,
    error: ErrorData,
    request_id: RequestId | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A JSON-RPC error as the whole answer; without an id where none could be read."""
    return Response(write_message(error_answer(error, request_id)), status, headers, media_type="application/json")


def refusal(status: int, problem: str, headers: Mapping[str, str] | None = None) -> Response:
    """An answer to a request that was wrong as HTTP, before any message in it counted."""
    return error_response(status, ErrorData(code=INVALID_REQUEST, message=problem), None, headers)


def method_not_allowed(allowed: str) -> Response:
    """405 for a method that this resource does not have."""
    return refusal(405, f"Method not allowed; this resource has {allowed}", {"allow": allowed})


def unsupported_media_type() -> Response:
    """415 for a body that is not JSON."""
    return refusal(415, "Unsupported media type: Content-Type must be application/json")


def too_large(limit: int) -> Response:
    """413 for a body over the limit. The rest of it is not read, so the connection cannot be used again."""
    return refusal(413, f"The body is larger than {limit} bytes", {"connection": "close"})


def frame(message: JSONRPCMessage, event_id: str | None = None) -> bytes:
    """A message as a server-sent event."""
    identified = b"" if event_id is None else b"id: " + event_id.encode() + b"\n"
    return b"event: message\n" + identified + b"data: " + write_message(message) + b"\n\n"


class EventStream:
    """The event stream that answers one HTTP request, written straight to the ASGI server.

    Args:
        send: The ASGI server's.
        keep_alive: Seconds of silence after which a comment goes out; 0 for never.
        headers: Besides those of every event stream.
    """

    def __init__(self, send: Send, keep_alive: float, headers: Mapping[str, str] | None = None) -> None:
        self._send = send
        self._keep_alive = keep_alive
        self._headers = {**EVENT_STREAM_HEADERS, **(headers or {})}
        self._lock: anyio.Lock | None = None
        self._wrote = 0
        self.is_open = False

    async def open(self) -> None:
        """Send the status and the headers, once."""
        if not self.is_open:
            self.is_open = True
            headers: list[tuple[bytes, bytes]] = [
                (name.encode(), value.encode()) for name, value in self._headers.items()
            ]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    async def write(self, data: bytes) -> None:
        """Send a piece of the stream, opening it if need be; waits for a slow reader."""
        self._lock = self._lock or anyio.Lock()
        await self._lock.acquire()
        try:
            await self.open()
            self._wrote += 1
            await self._send({"type": "http.response.body", "body": data, "more_body": True})
        finally:
            self._lock.release()

    async def end(self) -> None:
        """End the body."""
        await self.open()
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def keep_open(self) -> None:
        """Write a comment whenever the open stream has been silent; runs until cancelled."""
        if not self._keep_alive:
            return
        while True:
            wrote = self._wrote
            await anyio.sleep(self._keep_alive)
            if self.is_open and wrote == self._wrote:
                await self.write(KEEP_ALIVE)


async def until_disconnected(receive: Receive) -> None:
    """Wait until the client has gone; its request must have been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _accepts(ranges: Mapping[str, bool], media: str) -> bool:
    for candidate in (media, media.partition("/")[0] + "/*", "*/*"):
        if candidate in ranges:
            return ranges[candidate]
    return False
