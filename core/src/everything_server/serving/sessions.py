"""Legacy sessions over HTTP: a server for each, from the `initialize` POST until it is deleted, idle, or shut down.

2025-11-25 basic/transports, Streamable HTTP: each message travels on exactly one stream. What belongs to a request
travels on the stream that answers its POST, everything else on the stream that a GET has opened.
"""

import logging
import secrets
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup, TaskStatus
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
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
from everything_server.context import Publish
from everything_server.eras import Era
from everything_server.serving.event_store import EventStore
from everything_server.serving.factory import Factory, ServingContext, make_server
from everything_server.serving.http import (
    KEEP_ALIVE,
    EventStream,
    accepts,
    error_response,
    frame,
    method_not_allowed,
    refusal,
    until_disconnected,
)
from everything_server.serving.legacy import Posted, check_version_header
from everything_server.serving.messages import Batch, Unreadable
from everything_server.serving.peer import Answer
from everything_server.serving.routing import RoutingHeaders
from everything_server.serving.units import BATCHING_VERSION, LegacyPeer, legacy_unit

logger = logging.getLogger(__name__)

SESSION_HEADER: Final = "mcp-session-id"
LAST_EVENT_HEADER: Final = "last-event-id"

UNREAD: Final = 1024
"""Events that may wait on a stream whose client does not read; then a GET's stream is ended, a POST's is waited for."""

RESUMABLE: Final = 64
"""Answered POSTs of one session whose streams can still be resumed."""

POLLING_VERSION: Final = "2025-11-25"
"""The first revision whose clients expect streams that are primed and paused; older ones choke on an empty event."""

RETRY_AFTER: Final = 500
"""Milliseconds after which a client comes back to a stream that was paused."""

_PAUSE: Final = f"retry: {RETRY_AFTER}\n\n".encode()

Key = tuple[type, RequestId]


class _Stream:
    """What one POST is answered with, or what a GET receives; it outlives the connection that reads it."""

    def __init__(self, name: str, store: EventStore, *, awaited: int) -> None:
        self.name = name
        self._store = store
        self._awaited = awaited
        self._number = 0
        self._reader: MemoryObjectSendStream[bytes] | None = None
        self._waiting: set[anyio.CancelScope] = set()
        self._unread: deque[bytes] = deque(maxlen=UNREAD)

    @property
    def is_standalone(self) -> bool:
        """Whether it answers nothing and therefore never ends by itself."""
        return self._awaited < 0

    @property
    def is_finished(self) -> bool:
        """Whether all has been sent."""
        return self._awaited == 0

    @property
    def is_read(self) -> bool:
        """Whether a connection is reading it."""
        return self._reader is not None

    def attach(self, after: int | None = None) -> MemoryObjectReceiveStream[bytes]:
        """Read it from now on, instead of whoever read it before.

        Args:
            after: The number of the last event that the reader has; what came later is read again. None reads what
                was sent while nobody did.
        """
        self.detach()
        missed = [event.data for event in self._store.after(self.name, after)] if after is not None else [*self._unread]
        self._unread.clear()
        send, receive = anyio.create_memory_object_stream[bytes](len(missed) + UNREAD)
        for data in missed:
            send.send_nowait(data)
        self._reader = send
        if self.is_finished:
            self.detach()
        return receive

    def detach(self) -> None:
        """End what the reader reads. What still waits for it can be fetched by resuming."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        for waiting in self._waiting:
            waiting.cancel()

    @property
    def priming(self) -> bytes:
        """An event without a message, whose id lets a client resume the stream from its beginning."""
        return f"id: {self.name}.0\ndata: \n\n".encode()

    async def pause(self) -> None:
        """End what the reader reads, with the advice to come back: the stream goes on without it."""
        if self._reader is not None:
            with suppress(anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
                self._reader.send_nowait(_PAUSE)
            self.detach()

    def expect_one_less(self) -> None:
        """A request it answers has got its answer, or will get none."""
        self._awaited -= 1
        if self.is_finished:
            self.detach()

    async def put(self, message: JSONRPCMessage) -> None:
        """Send a message on it."""
        self._number += 1
        data = frame(message, f"{self.name}.{self._number}")
        self._store.append(self.name, self._number, data)
        reader = self._reader
        if reader is None:
            self._unread.append(data)
            return
        try:
            if self.is_standalone:
                reader.send_nowait(data)
            else:
                await self._wait_for(reader, data)
        except anyio.WouldBlock:
            logger.info("a client does not read its stream; ended, it can resume it")
            self.detach()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            if self._reader is reader:  # the connection broke; the event can be fetched by resuming
                self._reader = None

    async def _wait_for(self, reader: MemoryObjectSendStream[bytes], data: bytes) -> None:
        """Wait while a slow reader has enough to read, until it is replaced."""
        with anyio.CancelScope() as waiting:
            self._waiting.add(waiting)
            try:
                await reader.send(data)
            finally:
                self._waiting.discard(waiting)


class Session:
    """One legacy session: its server, its client, its streams."""

    def __init__(self, store: EventStore, clock: Clock, keep_alive: float) -> None:
        self.id = secrets.token_urlsafe(24)
        self.keep_alive = keep_alive
        self.ended = anyio.Event()
        self._store = store
        self._clock = clock
        self._last_use = clock.monotonic()
        self._peer: LegacyPeer | None = None
        self._streams: dict[Key, _Stream] = {}
        self._resumable: OrderedDict[str, _Stream] = OrderedDict()
        self._opened = 0
        self._standalone = self._new_stream(awaited=-1)

    @property
    def is_initialized(self) -> bool:
        """Whether the handshake has succeeded."""
        return self._peer is not None and self._peer.protocol_version is not None

    @property
    def polls(self) -> bool:
        """Whether its client knows that a stream may be interrupted before all has been sent.

        2025-11-25 basic/transports, Sending Messages to the Server: then a stream begins with an event id and empty
        data, and before the server closes the connection it sends `retry`.
        """
        version = None if self._peer is None else self._peer.protocol_version
        return version is not None and version >= POLLING_VERSION

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
        return _Reading(self, stream)

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
        return _Posted(self, stream, messages, request)

    async def dispatch(self, message: JSONRPCMessage | Unreadable, stream: _Stream, request: Request) -> None:
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
            if self.polls:
                metadata.close_sse_stream = stream.pause
                metadata.close_standalone_sse_stream = self._standalone.pause
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
            return _Attached(self, broken, int(number))
        if self._standalone.is_read:
            return refusal(409, "Conflict: this session has an open stream already")
        return _Attached(self, self._standalone, None)

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

    def _new_stream(self, *, awaited: int) -> _Stream:
        self._opened += 1
        stream = _Stream(f"{self.id[:12]}-{self._opened}", self._store, awaited=awaited)
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


class _Reading(Response):
    """A stream of a session as the body of a response."""

    def __init__(self, session: Session, stream: _Stream) -> None:
        super().__init__()
        self._session = session
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._pump(self._stream.attach(), send)

    async def _pump(self, unread: MemoryObjectReceiveStream[bytes], send: Send, first: bytes = b"") -> None:
        out = EventStream(send, 0, {SESSION_HEADER: self._session.id})
        await out.open()
        if first:
            await out.write(first)
        with unread:
            while True:
                data = KEEP_ALIVE  # unless something comes before the silence has lasted too long
                with anyio.move_on_after(self._session.keep_alive or None):
                    try:
                        data = await unread.receive()
                    except anyio.EndOfStream:
                        break
                await out.write(data)
        await out.end()


class _Posted(_Reading):
    """The answer to a POST with requests. A client that drops it has not cancelled them, and may resume it."""

    def __init__(
        self, session: Session, stream: _Stream, messages: tuple[JSONRPCMessage | Unreadable, ...], request: Request
    ) -> None:
        super().__init__(session, stream)
        self._messages = messages
        self._request = request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        unread = self._stream.attach()
        for message in self._messages:
            await self._session.dispatch(message, self._stream, self._request)
        await self._pump(unread, send, self._stream.priming if self._session.polls else b"")


class _Attached(_Reading):
    """The answer to a GET."""

    def __init__(self, session: Session, stream: _Stream, after: int | None) -> None:
        super().__init__(session, stream)
        self._after = after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        unread = self._stream.attach(self._after)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._leave_when_gone, receive, unread, tasks.cancel_scope)
            await self._pump(unread, send)
            tasks.cancel_scope.cancel()

    async def _leave_when_gone(
        self, receive: Receive, unread: MemoryObjectReceiveStream[bytes], work: anyio.CancelScope
    ) -> None:
        await until_disconnected(receive)
        if unread.statistics().open_send_streams:  # else another connection reads the stream already
            self._stream.detach()
        work.cancel()


class SessionServing:
    """The legacy leg of the product's HTTP endpoint: all its sessions.

    Args:
        factory: Makes a server for each session.
        publish: Where changes go that are not one session's own.
        clock: Measures idleness.
        eras: What the process serves, named to a client with an unsupported version.
        idle_limit: Seconds after which an unused session ends.
        max_sessions: How many there may be; a further one is refused with 503.
        keep_alive: Seconds of silence after which an open event stream gets a comment; 0 for never.
    """

    def __init__(
        self,
        factory: Factory,
        publish: Publish,
        clock: Clock,
        *,
        eras: Collection[Era],
        idle_limit: float,
        max_sessions: int,
        keep_alive: float,
        store: EventStore | None = None,
    ) -> None:
        self._factory = factory
        self._publish = publish
        self._clock = clock
        self._eras = eras
        self._idle_limit = idle_limit
        self._max_sessions = max_sessions
        self._keep_alive = keep_alive
        self._store = store or EventStore()
        self._sessions: dict[str, Session] = {}
        self._tasks: TaskGroup | None = None
        self._closed = False

    def __len__(self) -> int:
        """How many sessions are open."""
        return len(self._sessions)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Serve sessions while entered; leaving ends them all and waits for their cleanup."""
        async with anyio.create_task_group() as reaper:
            reaper.start_soon(self._end_idle_sessions)
            async with anyio.create_task_group() as self._tasks:
                try:
                    yield
                finally:
                    self._tasks = None
                    self.close()
            reaper.cancel_scope.cancel()

    def close(self) -> None:
        """End every session, and open none any more; their streams end, their servers clean up."""
        self._closed = True
        for session in self._sessions.values():
            session.ended.set()

    async def respond(
        self, posted: Posted | None, headers: RoutingHeaders, request: Request, auth_info: object | None
    ) -> Response:
        """The response to a legacy request.

        Args:
            posted: What was posted; None when the request is not a POST.
            headers: The routing headers.
            request: The request.
            auth_info: Handed to the factory of a new session.
        """
        session_id = request.headers.get(SESSION_HEADER)
        if posted is not None:
            return await self._respond_to_post(posted, session_id, headers, request, auth_info)
        if request.method not in ("GET", "DELETE"):
            return method_not_allowed("GET, POST, DELETE")
        if refused := check_version_header(headers, self._eras):
            return refused
        if session_id is None:
            return refusal(400, f"Bad request: a {request.method} needs the Mcp-Session-Id header")
        session = self._find(session_id)
        if session is None:
            return _unknown_session()
        if request.method == "GET":
            return session.get(request)
        session.ended.set()
        del self._sessions[session.id]
        return Response(status_code=200)

    async def _respond_to_post(
        self,
        posted: Posted,
        session_id: str | None,
        headers: RoutingHeaders,
        request: Request,
        auth_info: object | None,
    ) -> Response:
        if not all(accepts(request)):
            return refusal(406, "Not acceptable: Accept must admit both application/json and text/event-stream")
        if isinstance(posted, Unreadable):
            return error_response(400, posted.error, posted.request_id)
        request_id = posted.id if isinstance(posted, JSONRPCRequest) else None
        if refused := check_version_header(headers, self._eras, request_id):
            return refused
        if session_id is None:
            if isinstance(posted, JSONRPCRequest) and posted.method == "initialize":
                return await self._open(posted, request, auth_info)
            problem = "Bad request: without the Mcp-Session-Id header only initialize is served"
            return error_response(400, ErrorData(code=INVALID_REQUEST, message=problem), request_id)
        session = self._find(session_id)
        return _unknown_session(request_id) if session is None else await session.post(posted, request)

    def _find(self, session_id: str) -> Session | None:
        session = self._sessions.get(session_id)
        if session is None or session.ended.is_set():
            return None
        if session.idle_for() > self._idle_limit:
            session.ended.set()
            return None
        return session

    async def _open(self, initialize: JSONRPCRequest, request: Request, auth_info: object | None) -> Response:
        if self._closed or self._tasks is None or len(self._sessions) >= self._max_sessions:
            problem = "This server has as many sessions as it may have; try again later"
            error = ErrorData(code=INTERNAL_ERROR, message=problem)
            return error_response(503, error, initialize.id, {"retry-after": "10"})
        context = ServingContext(era=Era.LEGACY, publish=self._publish, auth_info=auth_info, request=request)
        try:
            server = await make_server(self._factory, context)
        except Exception:
            logger.exception("the server factory raised")
            error = ErrorData(code=INTERNAL_ERROR, message="Internal error: the server could not be made")
            return error_response(500, error, initialize.id)
        session = Session(self._store, self._clock, self._keep_alive)
        self._sessions[session.id] = session
        await self._tasks.start(self._run, session, server)
        answer = await session.initialize(initialize, request)
        if isinstance(answer, JSONRPCError):
            session.ended.set()
            return error_response(400, answer.error, answer.id)
        return await session.answered_with(answer)

    async def _run(self, session: Session, server: Server[Any], *, task_status: TaskStatus[None]) -> None:
        try:
            await session.run(server, task_status=task_status)
        except Exception:
            logger.exception("a session ended with an error")
        finally:
            self._sessions.pop(session.id, None)

    async def _end_idle_sessions(self) -> None:
        while True:
            await self._clock.sleep(min(self._idle_limit / 2, 30))
            for session in list(self._sessions.values()):
                if session.idle_for() > self._idle_limit:
                    logger.info("ending a session that was idle for %.0f seconds", session.idle_for())
                    session.ended.set()


def _unknown_session(request_id: RequestId | None = None) -> Response:
    """404, which tells a client to initialize anew (2025-11-25 basic/transports, Session Management)."""
    problem = "Not found: there is no such session, or it has ended; start one with initialize"
    return error_response(404, ErrorData(code=INVALID_REQUEST, message=problem), request_id)


def _key(request_id: RequestId | None) -> Key:
    return (type(None), "") if request_id is None else (type(request_id), request_id)
