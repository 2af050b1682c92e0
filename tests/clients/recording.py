"""What the official Python client and a server say to each other, as it stands on the wire, recorded on its way.

Over stdio `tee` stands on both sides of the server; over HTTP the client's connections are listened to.
"""

import json
import shlex
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2
from harness.raw_http import EventParser
from harness.wire import Message, is_answer, is_notification, is_request
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import PROTOCOL_VERSION_META_KEY
from wire.protocol import ProtocolError, Sender, check_message


@dataclass(frozen=True)
class Said:
    """One message."""

    sender: Sender
    message: Message
    stream: int = 0
    """Over HTTP, which exchange it was part of."""


@dataclass
class Recording:
    """A conversation; over stdio each side's part of it comes by itself."""

    said: list[Said] = field(default_factory=list[Said])

    def by(self, sender: Sender) -> list[Message]:
        """The messages of one side, in their order."""
        return [said.message for said in self.said if said.sender == sender]

    def check(self, version: str, given_up: Collection[str] = ()) -> None:
        """Check every message, and that requests and answers belong together.

        Args:
            version: The revision that the two have agreed on.
            given_up: Tools whose calls need no answer: the client gives them up, over HTTP without a message.

        Raises:
            ProtocolError: Something is not as the revision wants it.
        """
        for sender, other in _OTHER.items():
            asked = {_typed(message["id"]): message for message in self.by(sender) if is_request(message)}
            answered = [_typed(message["id"]) for message in self.by(other) if is_answer(message)]
            self._check_messages(sender, version)
            _need(len(asked) == sum(map(is_request, self.by(sender))), f"the {sender} has used an id twice")
            _need(len(set(answered)) == len(answered), f"the {other} has answered twice")
            _need(not set(answered) - set(asked), f"the {other} has answered what nobody asked")
            left = [message for identity, message in asked.items() if identity not in answered]
            for message in left:
                ends_by_itself = message["method"] != "subscriptions/listen"
                needed = ends_by_itself and message.get("params", {}).get("name") not in given_up
                _need(not needed, f"the {other} has not answered {message}")
        _need(self._progress() <= self._tokens(), "progress for a token that no request had")

    def _check_messages(self, sender: Sender, version: str) -> None:
        requests = {message["id"]: message for message in self.by(_OTHER[sender]) if is_request(message)}
        methods = {identity: message["method"] for identity, message in requests.items()}
        for message in self.by(sender):
            named_by = requests.get(message.get("id"), {}) if is_answer(message) else message
            check_message(message, methods, _named_version(named_by) or version, sender)

    def _tokens(self) -> set[Any]:
        params = (message.get("params", {}) for message in self.by("client") if is_request(message))
        return {_typed(each["_meta"]["progressToken"]) for each in params if "progressToken" in each.get("_meta", {})}

    def _progress(self) -> set[Any]:
        told = (message for message in self.by("server") if is_notification(message))
        return {_typed(m["params"]["progressToken"]) for m in told if m["method"] == "notifications/progress"}


_OTHER: Final[Mapping[Sender, Sender]] = {"server": "client", "client": "server"}


def _named_version(request: Message) -> str | None:
    """The version that a modern request names; one that probes a legacy server names it as well."""
    return request.get("params", {}).get("_meta", {}).get(PROTOCOL_VERSION_META_KEY)


def _typed(value: Any) -> Any:
    """`1` and `"1"` are different ids."""
    return (type(value).__name__, value)


def _need(condition: bool, problem: str) -> None:
    if not condition:
        raise ProtocolError(problem)


def over_stdio(
    command: Sequence[str], env: Mapping[str, str], folder: Path, complaints: Any
) -> AbstractAsyncContextManager[Any]:
    """The official client's transport to a server that it starts; both directions are copied to files in `folder`."""
    client, server = (shlex.quote(str(folder / name)) for name in _FILES.values())
    pipeline = f"tee {client} | {shlex.join(command)} | tee {server}"
    return stdio_client(StdioServerParameters(command="sh", args=["-c", pipeline], env=dict(env)), errlog=complaints)


def read_copies(folder: Path) -> Recording:
    """What `over_stdio` has copied."""
    return Recording(
        [
            Said(sender, json.loads(line))
            for sender, name in _FILES.items()
            for line in (folder / name).read_bytes().splitlines()
        ]
    )


_FILES: Final[Mapping[Sender, str]] = {"client": "from-client", "server": "from-server"}


@asynccontextmanager
async def over_streamable_http(url: str, recording: Recording) -> AsyncGenerator[Any]:
    """The official client's transport to an endpoint of Streamable HTTP."""
    async with _client(recording) as client, streamable_http_client(url, http_client=client) as streams:
        yield streams


def over_sse(url: str, recording: Recording) -> AbstractAsyncContextManager[Any]:
    """The official client's transport to an endpoint of HTTP+SSE."""

    def make(headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx2.AsyncClient:
        return _client(recording)

    return sse_client(url, httpx_client_factory=make)


def _client(recording: Recording) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=_Listening(recording), timeout=httpx2.Timeout(30, read=120))


class _Listening(httpx2.AsyncBaseTransport):
    """Records the messages in the bodies of requests and responses."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._connections = httpx2.AsyncHTTPTransport()
        self._exchanges = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._exchanges += 1
        number = self._exchanges
        if body := await request.aread():
            self._recording.said.append(Said("client", json.loads(body), number))
        response = await self._connections.handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        kind = response.headers.get("content-type", "").partition(";")[0]
        response.stream = _Copied(response.stream, self._recording, number, kind)
        return response

    async def aclose(self) -> None:
        await self._connections.aclose()


class _Copied(httpx2.AsyncByteStream):
    """The body of a response, whose messages are recorded as they come."""

    def __init__(self, stream: httpx2.AsyncByteStream, recording: Recording, number: int, kind: str) -> None:
        self._stream = stream
        self._recording = recording
        self._number = number
        self._kind = kind

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parser, body = EventParser(), b""
        async for chunk in self._stream:
            if self._kind == "text/event-stream":
                for event in parser.feed(chunk):
                    if event.data and event.name in (None, "message"):
                        self._add(event.data)
            else:
                body += chunk
            yield chunk
        if self._kind == "application/json" and body:
            self._add(body)

    async def aclose(self) -> None:
        await self._stream.aclose()

    def _add(self, data: str | bytes) -> None:
        self._recording.said.append(Said("server", json.loads(data), self._number))
