"""The event streams of a legacy session, and the HTTP responses that carry them.

2025-11-25 basic/transports, Streamable HTTP: a stream is not its connection. It may break and be resumed, and what is
sent while nobody reads is kept.
"""

import logging
from collections import deque
from typing import Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp_types import JSONRPCMessage
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from everything_server.serving.event_store import EventStore
from everything_server.serving.http import KEEP_ALIVE, EventStream, frame, until_disconnected

logger = logging.getLogger(__name__)

SESSION_HEADER: Final = "mcp-session-id"

RESUMING_VERSION: Final = "2025-11-25"
"""The first revision whose clients know how to come back for a stream that the server has closed."""

RETRY: Final = 1000
"""Milliseconds after which such a client should come back."""

UNREAD: Final = 1024
"""Events that may wait on a stream whose client does not read; then a GET's stream is ended, a POST's is waited for."""


class SessionStream:
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

    def has_after(self, number: int) -> bool:
        """Whether there is, or will be, anything for a reader that has the event with this number."""
        return not self.is_finished or bool(self._store.after(self.name, number))

    @property
    def priming(self) -> bytes:
        """An event without a message, which gives its reader an id to come back with (2025-11-25 basic/transports,
        Sending Messages to the Server)."""
        return f"id: {self.name}.0\nretry: {RETRY}\ndata: \n\n".encode()

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

    async def close(self) -> None:
        """Have its reader come back for the rest, as a handler may want."""
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


class StreamResponse(Response):
    """A stream of a session as the body of a response.

    Args:
        stream: The stream.
        session_id: The session's, for the header that names it.
        keep_alive: Seconds of silence after which there is a comment; 0 for never.
    """

    def __init__(self, stream: SessionStream, session_id: str, keep_alive: float) -> None:
        super().__init__()
        self.stream = stream
        self._session_id = session_id
        self._keep_alive = keep_alive

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        await self.pump(self.stream.attach(), send)

    async def pump(self, unread: MemoryObjectReceiveStream[bytes], send: Send, first: bytes = b"") -> None:
        """Send `first`, and then what is read from the stream, until it ends."""
        out = EventStream(send, 0, {SESSION_HEADER: self._session_id})
        await out.open()
        if first:
            await out.write(first)
        with unread:
            while True:
                data = KEEP_ALIVE  # unless something comes before the silence has lasted too long
                with anyio.move_on_after(self._keep_alive or None):
                    try:
                        data = await unread.receive()
                    except anyio.EndOfStream:
                        break
                await out.write(data)
        await out.end()


class ResumedResponse(StreamResponse):
    """The answer to a GET.

    Args:
        stream: The stream.
        session_id: The session's, for the header that names it.
        keep_alive: Seconds of silence after which there is a comment; 0 for never.
        after: The number of the last event that the client has; None for what was sent while nobody read.
    """

    def __init__(self, stream: SessionStream, session_id: str, keep_alive: float, after: int | None) -> None:
        super().__init__(stream, session_id, keep_alive)
        self._after = after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        unread = self.stream.attach(self._after)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._leave_when_gone, receive, unread, tasks.cancel_scope)
            await self.pump(unread, send)
            tasks.cancel_scope.cancel()

    async def _leave_when_gone(
        self, receive: Receive, unread: MemoryObjectReceiveStream[bytes], work: anyio.CancelScope
    ) -> None:
        await until_disconnected(receive)
        if unread.statistics().open_send_streams:  # else another connection reads the stream already
            self.stream.detach()
        work.cancel()
