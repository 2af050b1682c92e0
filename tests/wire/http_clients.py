"""Raw JSON-RPC clients of the transports over HTTP: `Http` for Streamable HTTP, `Sse` for HTTP+SSE (legacy only)."""

import base64
import http.client
import json
import socket
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any, Self

from everything_server import Era
from harness.wire import END_GUARD, GUARD, Client, Message, RequestId, WireTimeout, is_request


class Http(Client):
    """A client of Streamable HTTP. In the legacy era it opens the session's GET stream after the handshake."""

    def __init__(self, url: str, era: Era, **options: Any) -> None:
        super().__init__(era, **options)
        parts = urllib.parse.urlsplit(url)
        assert parts.hostname is not None
        self._host, self._port, self._path = parts.hostname, parts.port or 80, parts.path or "/"
        self.session_id: str | None = None
        self.statuses: dict[RequestId, int] = {}
        """The HTTP status of each request that was answered."""
        self._sockets: dict[RequestId, socket.socket] = {}
        self._readers: list[threading.Thread] = []

    def headers(self, message: Message) -> dict[str, str]:
        """The headers that a message needs."""
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.era is Era.LEGACY:
            if self.session_id is not None:
                headers["Mcp-Session-Id"] = self.session_id
            if self.handshake is not None:
                headers["MCP-Protocol-Version"] = self.handshake["protocolVersion"]
            return headers
        headers["MCP-Protocol-Version"] = self.version
        method = message.get("method")
        if method is not None:
            headers["Mcp-Method"] = method
            name = message.get("params", {}).get(_named_by(method))
            if isinstance(name, str):
                headers["Mcp-Name"] = header_value(name)
        return headers

    def close_stream(self, request_id: RequestId) -> None:
        """Drop the exchange of one request."""
        with suppress(OSError):
            self._sockets[request_id].shutdown(socket.SHUT_RDWR)

    def cancel(self, request_id: RequestId) -> None:
        if self.era is Era.LEGACY:
            super().cancel(request_id)
        else:
            self.close_stream(request_id)

    def close(self) -> None:
        if self.session_id is not None:
            with suppress(OSError):
                connection = self._connect(3)
                connection.request("DELETE", self._path, headers={"Mcp-Session-Id": self.session_id})
                connection.getresponse().read()
                connection.close()
        for request_id in self._sockets:
            self.close_stream(request_id)
        for reader in self._readers:
            reader.join(END_GUARD)

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout)

    def _transmit(self, message: Message) -> None:
        connection = self._connect(120)
        connection.request("POST", self._path, body=json.dumps(message).encode(), headers=self.headers(message))
        if is_request(message):
            self._sockets[message["id"]] = connection.sock
        try:
            response = connection.getresponse()
        except OSError:
            connection.close()
            return  # closed by this client
        if is_request(message):
            self.statuses[message["id"]] = response.status
        if message.get("method") == "initialize":
            self.session_id = response.getheader("mcp-session-id")
        if (response.getheader("content-type") or "").startswith("text/event-stream"):
            self._read_aside(connection, response)
            return
        body = response.read()
        connection.close()
        if is_request(message):
            self._deliver(_answer_in(body, response.status, message["id"]))

    def _read_aside(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        """Read a stream to its end, in a thread."""
        self._readers = [reader for reader in self._readers if reader.is_alive()]
        self._readers.append(threading.Thread(target=self._stream, args=(connection, response), daemon=True))
        self._readers[-1].start()

    def _stream(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        closed = (OSError, ValueError, http.client.HTTPException, AttributeError)  # by either side
        with closing(connection), response, suppress(*closed):
            for _, data in sse_events(response):
                if data:
                    self._deliver(json.loads(data))

    def start(self) -> Self:
        super().start()
        if self.era is Era.LEGACY:
            self._open_stream()
        return self

    def _open_stream(self) -> None:
        """Open the stream for what belongs to no request."""
        assert self.handshake is not None
        headers = {"Accept": "text/event-stream", "MCP-Protocol-Version": self.handshake["protocolVersion"]}
        if self.session_id is not None:
            headers["Mcp-Session-Id"] = self.session_id
        connection = self._connect(600)
        connection.request("GET", self._path, headers=headers)
        self._sockets["GET"] = connection.sock
        response = connection.getresponse()
        if response.status == 200:
            self._read_aside(connection, response)
        else:
            connection.close()


class Sse(Client):
    """A client of HTTP+SSE: a GET gives the stream, whose first event names the address to post to."""

    def __init__(self, url: str, era: Era = Era.LEGACY, **options: Any) -> None:
        super().__init__(era, **options)
        assert era is Era.LEGACY
        parts = urllib.parse.urlsplit(url)
        assert parts.hostname is not None
        self._url, self._host, self._port = url, parts.hostname, parts.port or 80
        self._endpoint = ""
        self._ready = threading.Event()
        connection = http.client.HTTPConnection(self._host, self._port, timeout=600)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        connection.request("GET", path, headers={"Accept": "text/event-stream"})
        self._socket = connection.sock
        self._response = connection.getresponse()
        self._connection = connection
        self._reader = threading.Thread(target=self._stream, daemon=True)
        self._reader.start()
        if not self._ready.wait(GUARD):
            raise WireTimeout("no endpoint event")

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.join(END_GUARD)
        self._response.close()
        self._connection.close()

    def _stream(self) -> None:
        with suppress(OSError, ValueError, http.client.HTTPException, AttributeError):  # closed by either side
            for event, data in sse_events(self._response):
                if event == "endpoint":
                    parts = urllib.parse.urlsplit(urllib.parse.urljoin(self._url, data))
                    self._endpoint = f"{parts.path}?{parts.query}" if parts.query else parts.path
                    self._ready.set()
                elif data:
                    self._deliver(json.loads(data))

    def _transmit(self, message: Message) -> None:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=GUARD)
        headers = {"Content-Type": "application/json"}
        connection.request("POST", self._endpoint, body=json.dumps(message).encode(), headers=headers)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        if response.status >= 400 and is_request(message):
            self._deliver(_answer_in(body, response.status, message["id"]))


def sse_events(stream: http.client.HTTPResponse) -> Iterator[tuple[str | None, str]]:
    """The events of a stream, as name and data."""
    event: str | None = None
    data: list[str] = []
    for raw in stream:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        field, _, value = line.partition(":")
        if not line:
            if event or data:
                yield event, "\n".join(data)
            event, data = None, []
        elif field == "event":
            event = value.removeprefix(" ")
        elif field == "data":
            data.append(value.removeprefix(" "))


def header_value(text: str) -> str:
    """A header value as 2026-07-28 wants it: as it is where that is safe, else base64 between marks."""
    marked = text.startswith("=?base64?") and text.endswith("?=")
    if text and text.isascii() and text.isprintable() and text == text.strip() and not marked:
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def _named_by(method: str) -> str:
    """The member of params that the header `Mcp-Name` repeats."""
    if method.startswith("tasks/"):
        return "taskId"
    return {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}.get(method, "")


def _answer_in(body: bytes, status: int, request_id: RequestId) -> Message:
    """The answer in a body; an error in place of one that holds none, or whose error names no request."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        answer = {"error": {"code": 0, "message": f"HTTP status {status}: {body.decode('utf-8', 'replace')[:500]}"}}
    return {**answer, "id": request_id} if answer.get("id") is None else answer
