"""Raw HTTP: requests of both eras as they stand on the wire, event streams, and one exchange over a socket.

What is built here goes to a server in another process with `Exchange`, or to an application in this one with
`harness.asgi`.
"""

import json
import socket
import urllib.parse
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from harness.wire import CLIENT_INFO, LEGACY_VERSION, META, MODERN_VERSION, Message, RequestId

GUARD: Final = 10.0
"""Seconds after which a wait for the server is given up; the machine may be busy with other things."""

CHUNK: Final = 1 << 16
"""Bytes that a body is sent in at a time."""

BOTH_TYPES: Final = "application/json, text/event-stream"
SESSION: Final = "Mcp-Session-Id"
VERSION: Final = "MCP-Protocol-Version"
SUBSCRIPTION_ID: Final = f"{META}subscriptionId"

Pairs = tuple[tuple[str, str], ...]


class Headers:
    """The header lines of an answer, in order; names in any case."""

    def __init__(self, lines: Sequence[tuple[str, str]]) -> None:
        self.lines = [(name.lower(), value) for name, value in lines]

    def __contains__(self, name: str) -> bool:
        return bool(self.all(name))

    def __getitem__(self, name: str) -> str:
        """The value of a header that is there just once."""
        (value,) = self.all(name)
        return value

    def __repr__(self) -> str:
        return repr(self.lines)

    def all(self, name: str) -> list[str]:
        """The values of a header."""
        return [value for known, value in self.lines if known == name.lower()]

    @property
    def media_type(self) -> str | None:
        """The type of the content, without parameters."""
        return self["content-type"].partition(";")[0].strip().lower() if "content-type" in self else None


@dataclass(frozen=True, kw_only=True)
class HttpRequest:
    """One request; `Host` and the length of the body are added when it is sent."""

    method: str = "POST"
    path: str = "/mcp"
    headers: Pairs = ()
    body: bytes = b""
    chunked: bool = False
    """Whether the length of the body is not told in advance."""

    def having(self, headers: Mapping[str, str | None] | None = None, /, **members: Any) -> "HttpRequest":
        """The same request with some headers (None for none) and other members replaced."""
        changed = {name.lower() for name in headers or {}}
        kept = [(name, value) for name, value in self.headers if name.lower() not in changed]
        added = [(name, value) for name, value in (headers or {}).items() if value is not None]
        return replace(self, headers=(*kept, *added), **members)

    def adding(self, *lines: tuple[str, str]) -> "HttpRequest":
        """The same request with further header lines, whether or not their names are there already."""
        return replace(self, headers=(*self.headers, *lines))

    def lines(self, host: str) -> Pairs:
        """All header lines, those that sending adds included."""
        named = {name.lower() for name, _ in self.headers}
        lines = list(self.headers)
        if "host" not in named:
            lines.insert(0, ("Host", host))
        if self.chunked:
            lines.append(("Transfer-Encoding", "chunked"))
        elif (self.body or self.method == "POST") and "content-length" not in named:
            lines.append(("Content-Length", str(len(self.body))))
        return tuple(lines)

    def pieces(self, host: str) -> Iterator[bytes]:
        """The bytes on the wire, a piece at a time."""
        head = [
            f"{self.method} {self.path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in self.lines(host)),
            "",
            "",
        ]
        yield "\r\n".join(head).encode("latin-1")
        for start in range(0, len(self.body), CHUNK):
            piece = self.body[start : start + CHUNK]
            yield b"%x\r\n%b\r\n" % (len(piece), piece) if self.chunked else piece
        if self.chunked:
            yield b"0\r\n\r\n"


def request(method: str, params: Message | None = None, request_id: RequestId = 1) -> Message:
    """A JSON-RPC request, without an envelope."""
    message: Message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else {**message, "params": params}


def notification(method: str, params: Message | None = None) -> Message:
    """A JSON-RPC notification."""
    message: Message = {"jsonrpc": "2.0", "method": method}
    return message if params is None else {**message, "params": params}


def call(
    tool: str, arguments: Message | None = None, request_id: RequestId = 1, token: str | int | None = None
) -> Message:
    """A call of a tool, with a progress token if it shall report."""
    params: Message = {"name": tool, "arguments": arguments or {}}
    return request("tools/call", params if token is None else {**params, "_meta": {"progressToken": token}}, request_id)


def initialize(
    version: str = LEGACY_VERSION, capabilities: Message | None = None, request_id: RequestId = 0
) -> Message:
    """The request that opens a legacy conversation."""
    params = {"protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": CLIENT_INFO}
    return request("initialize", params, request_id)


INITIALIZED: Final = notification("notifications/initialized")


def envelope(capabilities: Message | None = None, version: str = MODERN_VERSION) -> Message:
    """What a modern request carries in its `_meta`."""
    return {
        f"{META}protocolVersion": version,
        f"{META}clientInfo": CLIENT_INFO,
        f"{META}clientCapabilities": capabilities or {},
    }


def post(body: Any, session: str | None = None, path: str = "/mcp") -> HttpRequest:
    """A POST of the legacy era, of a JSON value or of bytes as they are."""
    headers = [("Content-Type", "application/json"), ("Accept", BOTH_TYPES)]
    if session is not None:
        headers += [(SESSION, session), (VERSION, LEGACY_VERSION)]
    return HttpRequest(
        path=path, headers=tuple(headers), body=body if isinstance(body, bytes) else json.dumps(body).encode()
    )


def get(session: str | None = None, last_event: str | None = None) -> HttpRequest:
    """A GET for the stream of a session, or for the rest of a stream that broke."""
    headers = [("Accept", "text/event-stream")]
    if session is not None:
        headers.append((SESSION, session))
    if last_event is not None:
        headers.append(("Last-Event-ID", last_event))
    return HttpRequest(method="GET", headers=tuple(headers))


def delete(session: str | None = None) -> HttpRequest:
    """A DELETE, which ends a session."""
    return HttpRequest(method="DELETE", headers=() if session is None else ((SESSION, session),))


def modern(
    method: str,
    params: Message | None = None,
    *,
    request_id: RequestId = 1,
    capabilities: Message | None = None,
    version: str = MODERN_VERSION,
) -> HttpRequest:
    """A POST of the modern era, whose headers say what its body says. Members of `_meta` in `params` are kept."""
    params = dict(params or {})
    params["_meta"] = {**envelope(capabilities, version), **params.get("_meta", {})}
    name = params.get({"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}.get(method, ""))
    headers = {VERSION: version, "Mcp-Method": method, "Mcp-Name": name}
    return post(request(method, params, request_id)).having(headers)


def modern_call(
    tool: str,
    arguments: Message | None = None,
    request_id: RequestId = 1,
    *,
    token: str | int | None = None,
    capabilities: Message | None = None,
) -> HttpRequest:
    """A call of a tool in the modern era."""
    message = call(tool, arguments, request_id, token)
    return modern("tools/call", message["params"], request_id=request_id, capabilities=capabilities)


def listen(request_id: RequestId = 1, **notifications: Any) -> HttpRequest:
    """A POST that subscribes to changes."""
    return modern("subscriptions/listen", {"notifications": notifications}, request_id=request_id)


@dataclass(frozen=True)
class Event:
    """One block of an event stream: an event with data, or a comment."""

    name: str | None = None
    id: str | None = None
    data: str | None = None
    comment: str | None = None
    retry: str | None = None

    @property
    def is_priming(self) -> bool:
        """Whether it only gives an id to resume from (2025-11-25 basic/transports, Sending Messages to the Server)."""
        return self.data == ""

    @property
    def message(self) -> Message:
        """The JSON-RPC message that it carries."""
        assert self.data is not None, self
        message: Message = json.loads(self.data)
        assert message.get("jsonrpc") == "2.0", message
        return message


class EventParser:
    """Takes the bytes of an event stream as they come, and gives its events."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Event]:
        """The events that are complete with these bytes."""
        *blocks, self._rest = (self._rest + data).replace(b"\r\n", b"\n").split(b"\n\n")
        return [self._event(block.decode()) for block in blocks if block]

    def _event(self, block: str) -> Event:
        fields: dict[str, list[str]] = {}
        for line in block.split("\n"):
            field, _, value = line.partition(":")
            fields.setdefault(field or "comment", []).append(value.removeprefix(" "))
        assert set(fields) <= {"event", "id", "data", "comment", "retry"}, block
        joined = {name: "\n".join(values) for name, values in fields.items()}
        name = joined.pop("event", None)
        return Event(name, **joined)


class TornError(AssertionError):
    """A connection ended in the middle of an answer."""


class Exchange:
    """One request over a connection of its own, and the answer to it as it arrives.

    Args:
        url: Where the server listens; the path of the request counts, not that of the URL.
        sent: The request.
        whole: Whether all of it is sent; otherwise only its head, so that the server waits for a body.
        reads_little: Whether the system takes only a few kilobytes of the answer that nobody has asked for yet.
    """

    def __init__(self, url: str, sent: HttpRequest, *, whole: bool = True, reads_little: bool = False) -> None:
        parts = urllib.parse.urlsplit(url)
        assert parts.hostname is not None
        family = socket.AF_INET6 if ":" in parts.hostname else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.settimeout(GUARD)
        if reads_little:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.connect((parts.hostname, parts.port or 80))
        self._input = self._socket.makefile("rb")
        self._parser = EventParser()
        self._events: deque[Event] = deque()
        self._head: tuple[int, Headers] | None = None
        self._left: int | None = 0
        self._chunked = False
        self._finished = False
        pieces = sent.pieces(parts.netloc)
        self.send(next(pieces))
        if whole:
            for piece in pieces:
                self.send(piece)
        self._method = sent.method

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def send(self, data: bytes) -> None:
        """Write bytes; a server that has answered early may read no more of them."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self._socket.sendall(data)

    @property
    def status(self) -> int:
        """The status, once it is there."""
        return self._read_head()[0]

    @property
    def headers(self) -> Headers:
        """The headers, once they are there."""
        return self._read_head()[1]

    def event(self) -> Event | None:
        """The next event, but for those that only prime; None when the body has ended as it should."""
        while (event := self.any_event()) is not None and event.is_priming:
            pass
        return event

    def any_event(self) -> Event | None:
        """The next event; None when the body has ended as it should."""
        self._read_head()
        while not self._events:
            data = self._read_some()
            if not data:
                return None
            self._events.extend(self._parser.feed(data))
        return self._events.popleft()

    def message(self) -> Message:
        """The next message on an event stream; comments are skipped."""
        while (event := self.event()) is not None:
            if event.comment is None:
                return event.message
        raise AssertionError("the stream ended without a further message")

    def messages(self) -> list[Message]:
        """All messages up to the end of the answer, whether it is JSON or an event stream."""
        if self.headers.media_type != "text/event-stream":
            body = self.body()
            return [json.loads(body)] if body else []
        events = list(iter(self.event, None))
        return [event.message for event in events if event.comment is None]

    def answer(self) -> Message:
        """The last message of the answer."""
        return self.messages()[-1]

    def body(self) -> bytes:
        """The rest of the body."""
        self._read_head()
        return b"".join(iter(self._read_some, b""))

    def close(self) -> None:
        """Cut the connection."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._input.close()
        self._socket.close()

    def _read_head(self) -> tuple[int, Headers]:
        if self._head is None:
            status = int(self._line().split(" ")[1])
            lines: list[tuple[str, str]] = []
            while line := self._line():
                name, _, value = line.partition(":")
                lines.append((name, value.strip()))
            headers = Headers(lines)
            self._head = status, headers
            self._chunked = headers.all("transfer-encoding") == ["chunked"]
            if self._method == "HEAD" or status in (204, 304):
                self._finished = True
            elif not self._chunked:
                self._left = int(headers["content-length"]) if "content-length" in headers else None
        return self._head

    def _read_some(self) -> bytes:
        """The next bytes of the body; none when it has ended as it should."""
        if self._finished:
            return b""
        if self._chunked:
            return self._read_chunk()
        data = self._input.read1(CHUNK if self._left is None else min(self._left, CHUNK)) if self._left != 0 else b""
        if self._left is not None:
            if not data and self._left:
                raise TornError(f"{self._left} bytes of the body are missing")
            self._left -= len(data)
        self._finished = not data
        return data

    def _read_chunk(self) -> bytes:
        size = int(self._line(), 16)
        data = self._input.read(size)
        if len(data) < size:
            raise TornError("the connection ended inside a chunk")
        self._line()
        self._finished = size == 0
        return data

    def _line(self) -> str:
        line = self._input.readline()
        if not line.endswith(b"\r\n"):
            raise TornError(f"the connection ended after {line!r}")
        return line[:-2].decode("latin-1")


def exchange(url: str, sent: HttpRequest) -> Exchange:
    """An exchange whose answer has begun."""
    exchanged = Exchange(url, sent)
    assert exchanged.status
    return exchanged


@dataclass(frozen=True)
class OpenSession:
    """A legacy session on a server that listens."""

    url: str
    id: str

    def post(self, body: Any) -> Exchange:
        """Post a message in the session."""
        return Exchange(self.url, post(body, self.id))

    def get(self, last_event: str | None = None) -> Exchange:
        """Open the session's stream, or the rest of one that broke."""
        return exchange(self.url, get(self.id, last_event))

    def delete(self) -> Exchange:
        """End the session."""
        return exchange(self.url, delete(self.id))


def open_session(url: str, version: str = LEGACY_VERSION, capabilities: Message | None = None) -> OpenSession:
    """Shake hands with a server that listens."""
    with Exchange(url, post(initialize(version, capabilities))) as opened:
        assert opened.status == 200, opened.body()
        session = OpenSession(url, opened.headers[SESSION])
        assert opened.answer()["result"]["protocolVersion"] == version
    with session.post(INITIALIZED) as initialized:
        assert initialized.status == 202
    return session


def open_sse(url: str, *, reads_little: bool = False) -> tuple[Exchange, Callable[[Any], Exchange]]:
    """The stream of an HTTP+SSE server, and what posts to it; the handshake is not made."""
    sent = HttpRequest(method="GET", path="/sse", headers=(("Accept", "text/event-stream"),))
    stream = Exchange(url, sent, reads_little=reads_little)
    first = stream.event()
    assert first is not None
    assert first.name == "endpoint"
    assert first.data is not None
    path = first.data
    return stream, lambda body: exchange(url, post(body, path=path))
