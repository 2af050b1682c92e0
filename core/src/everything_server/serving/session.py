"""One legacy session over HTTP: its server, its client, and which of its streams a message travels on.

2025-11-25 basic/transports, Streamable HTTP: each message travels on exactly one stream. What belongs to a request
travels on the stream that answers its POST, everything else on the stream that a GET has opened.
"""

from collections import OrderedDict
from typing import Any, Final

import anyio
from anyio.abc import TaskStatus
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from everything_server.clock import Clock
from everything_server.serving.event_store import EventStore
from everything_server.serving.http import accepts, error_response, refusal
from everything_server.serving.messages import Batch, Unreadable
from everything_server.serving.peer import Answer
from everything_server.serving.session_streams import (
    RESUMING_VERSION,
    ResumedResponse,
    SessionStream,
    StreamResponse,
)
from everything_server.serving.units import BATCHING_VERSION, LegacyPeer, legacy_unit

LAST_EVENT_HEADER: Final = "last-event-id"

RESUMABLE: Final = 64
"""Answered POSTs of one session whose streams can still be resumed."""

Key = tuple[type, RequestId]


class Session:
    """One legacy session: its server, its client, its streams."""

    def __init__(self, session_id: str, store: EventStore, clock: Clock, keep_alive: float) -> None:
        self.id = session_id
        self._keep_alive = keep_alive
        self.ended = anyio.Event()
        self._store = store
        self._clock = clock
        self._last_use = clock.monotonic()
        self._peer: LegacyPeer | None = None
        self._streams: dict[Key, SessionStream] = {}
        self._resumable: OrderedDict[str, SessionStream] = OrderedDict()
        self._opened = 0
        self._standalone = self._new_stream(awaited=-1)

    @property
    def is_initialized(self) -> bool:
        """Whether the handshake has succeeded."""
        return self._peer is not None and self._peer.protocol_version is not None

    @property
    def can_resume(self) -> bool:
        """Whether the client knows how to come back for a stream that the server has closed."""
        return self._peer is not None and (self._peer.protocol_version or "") >= RESUMING_VERSION

    def idle_for(self) -> float:
        """Seconds since it was last used; 0 while anything of it is being served or read."""
        busy = self._standalone.is_read or (self._peer is not None and self._peer.is_busy)
        if busy:
            self._last_use = self._clock.monotonic()
        return self._clock.monotonic() - self._last_use

    async def run(self, server: Server[Any], *, task_status: TaskStatus[None]) -> None:
        """Serve until `ended` is set; then all that the session started stops."""
        try:
            async with legacy_unit(server, self.send, session_id=self.id, refuse_modern=True) as peer:
                self._peer = peer
                task_status.started()
                await self.ended.wait()
        finally:
            self.ended.set()
            for stream in [self._standalone, *self._streams.values(), *self._resumable.values()]:
                stream.detach()
                self._store.forget(stream.name)

    async def send(self, message: SessionMessage) -> None:
        """Send a message to the client on the one stream where it belongs."""
        metadata, body = message.metadata, message.message
        related = metadata.related_request_id if isinstance(metadata, ServerMessageMetadata) else None
        if isinstance(body, JSONRPCResponse | JSONRPCError):
            related = body.id
        stream = self._streams.get(_key(related), self._standalone)
        if not isinstance(body, JSONRPCResponse | JSONRPCError):
            await stream.put(body)
            return
        self._streams.pop(_key(related), None)  # its id is free, even while the answer waits for a slow reader
        await stream.put(body)
        if not stream.is_standalone:
            stream.expect_one_less()

    async def initialize(self, request: JSONRPCRequest, http_request: Request) -> Answer:
        """The answer to the handshake that opens this session."""
        assert self._peer is not None
        return await self._peer.answer(request, ServerMessageMetadata(request_context=http_request))

    async def answered_with(self, answer: Answer) -> Response:
        """A response whose stream has just this one message."""
        stream = self._new_stream(awaited=1)
        await stream.put(answer)
        stream.expect_one_less()
        return StreamResponse(stream, self.id, self._keep_alive)

    async def post(self, posted: JSONRPCMessage | Batch, request: Request) -> Response:
        """The response to a POST in this session."""
        assert self._peer is not None
        self._last_use = self._clock.monotonic()
        messages = posted.elements if isinstance(posted, Batch) else (posted,)
        if isinstance(posted, Batch) and self._peer.protocol_version != BATCHING_VERSION:
            return refusal(400, f"Invalid request: batches exist only in a session of revision {BATCHING_VERSION}")
        requests = [message for message in messages if isinstance(message, JSONRPCRequest)]
        if refused := self._refuse(requests):
            return refused
        unreadable = [message for message in messages if isinstance(message, Unreadable)]
        if not requests and not unreadable:
            for message in messages:
                assert not isinstance(message, Unreadable)
                await self._peer.receive(message, ServerMessageMetadata(request_context=request))
            return Response(status_code=202)
        stream = self._new_stream(awaited=len(requests) + len(unreadable))
        for message in requests:
            self._streams[_key(message.id)] = stream
        return _PostedResponse(self, stream, messages, request, self._keep_alive)

    async def dispatch(self, message: JSONRPCMessage | Unreadable, stream: SessionStream, request: Request) -> None:
        """Have one posted message served; its answer goes to `stream`."""
        assert self._peer is not None
        if isinstance(message, Unreadable):
            await stream.put(message.answer)
            stream.expect_one_less()
            return
        metadata = ServerMessageMetadata(request_context=request)
        if isinstance(message, JSONRPCRequest):

            async def unanswered() -> None:
                self._settle(message.id)

            metadata.on_request_unanswered = unanswered
            if self.can_resume:
                metadata.close_sse_stream = stream.close
                metadata.close_standalone_sse_stream = self._standalone.close
        await self._peer.receive(message, metadata)

    def get(self, request: Request) -> Response:
        """The response to a GET in this session: what belongs to no request, or the rest of a broken stream."""
        self._last_use = self._clock.monotonic()
        if not accepts(request)[1]:
            return refusal(406, "Not acceptable: Accept must admit text/event-stream")
        name, _, number = request.headers.get(LAST_EVENT_HEADER, "").rpartition(".")
        broken = self._resumable.get(name)
        if broken is None and name == self._standalone.name:
            broken = self._standalone
        if broken is not None and number.isascii() and number.isdecimal() and len(number) < 20:
            if not broken.has_after(int(number)):
                # The one refusal that a GET may get (2025-11-25 basic/transports, Listening for Messages); to an empty
                # stream the client of a call that was cancelled would come back for ever.
                return refusal(405, "Method not allowed: nothing is left of that stream", {"allow": "POST, DELETE"})
            return ResumedResponse(broken, self.id, self._keep_alive, int(number))
        if self._standalone.is_read:
            return refusal(409, "Conflict: this session has an open stream already")
        return ResumedResponse(self._standalone, self.id, self._keep_alive, None)

    def _refuse(self, requests: list[JSONRPCRequest]) -> Response | None:
        assert self._peer is not None
        ids = [_key(request.id) for request in requests]
        for request in requests:
            if self._peer.is_in_flight(request.id) or ids.count(_key(request.id)) > 1:
                problem = f"Invalid request: id {request.id!r} belongs to a request that is still being served"
                return error_response(400, ErrorData(code=INVALID_REQUEST, message=problem), request.id)
            if request.method == "initialize" and self.is_initialized:
                problem = "Invalid request: this session is initialized; open another one with a POST without its id"
                return error_response(400, ErrorData(code=INVALID_REQUEST, message=problem), request.id)
        return None

    def _new_stream(self, *, awaited: int) -> SessionStream:
        self._opened += 1
        stream = SessionStream(f"{self.id[:12]}-{self._opened}", self._store, awaited=awaited)
        if not stream.is_standalone:
            self._resumable[stream.name] = stream
            finished = [name for name, resumable in self._resumable.items() if resumable.is_finished]
            for name in finished[: max(0, len(finished) - RESUMABLE)]:
                del self._resumable[name]
                self._store.forget(name)
        return stream

    def _settle(self, request_id: RequestId | None) -> None:
        stream = self._streams.pop(_key(request_id), None)
        if stream is not None:
            stream.expect_one_less()


class _PostedResponse(StreamResponse):
    """The answer to a POST with requests. A client that drops it has not cancelled them, and may resume it."""

    def __init__(
        self,
        session: Session,
        stream: SessionStream,
        messages: tuple[JSONRPCMessage | Unreadable, ...],
        request: Request,
        keep_alive: float,
    ) -> None:
        super().__init__(stream, session.id, keep_alive)
        self._session = session
        self._messages = messages
        self._request = request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        unread = self.stream.attach()
        for message in self._messages:
            await self._session.dispatch(message, self.stream, self._request)
        await self.pump(unread, send, self.stream.priming if self._session.can_resume else b"")


def _key(request_id: RequestId | None) -> Key:
    return (type(None), "") if request_id is None else (type(request_id), request_id)
