"""A connection in memory: what travels over stdio, without processes and pipes."""

import math
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.shared.message import SessionMessage

from everything_server.eras import Era
from everything_server.serving.factory import Factory
from everything_server.serving.messages import Batch, Unreadable, read_message, write_message
from everything_server.serving.received import Observe, Received
from everything_server.serving.stdio import serve_lines


class _Incoming:
    """Gives a server the lines of a stream."""

    def __init__(self, lines: ObjectReceiveStream[bytes]) -> None:
        self.ended = False
        self.drained = anyio.Event()
        """Set when the last line has been taken."""
        self._lines = lines

    async def receive(self) -> bytes | None:
        try:
            return await self._lines.receive()
        except anyio.EndOfStream:
            self.ended = True
            self.drained.set()
            return None


class _Outgoing:
    """Takes the lines of a server."""

    def __init__(self, lines: ObjectSendStream[bytes]) -> None:
        self._lines = lines
        self.broken = anyio.Event()
        self.is_full = False

    async def send(self, line: bytes) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client has gone
            await self._lines.send(line)

    async def room(self) -> None:
        pass

    async def flush(self, limit: float) -> None:
        pass


@asynccontextmanager
async def memory_transport(factory: Factory, eras: frozenset[Era], observe: Observe) -> AsyncGenerator[tuple[Any, Any]]:
    """A transport of the SDK's client, to a server that ends with it.

    Args:
        factory: Makes the server.
        eras: What is served.
        observe: Told of each message before it is served.
    """
    to_server, server_in = anyio.create_memory_object_stream[bytes](math.inf)
    server_out, from_server = anyio.create_memory_object_stream[bytes](math.inf)
    incoming_send, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
    outgoing, outgoing_receive = anyio.create_memory_object_stream[SessionMessage](0)
    reader = _Incoming(server_in)

    def tell(received: Received) -> None:
        observe(replace(received, transport="memory"))

    async def serve() -> None:
        await serve_lines(
            reader,
            _Outgoing(server_out),
            factory,
            legacy="serve" if Era.LEGACY in eras else "reject",
            modern="serve" if Era.MODERN in eras else "ignore",
            observe=tell,
        )

    async def to_client() -> None:
        async for line in from_server:
            message = read_message(line)
            assert not isinstance(message, Batch | Unreadable)
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client has gone
                await incoming_send.send(SessionMessage(message))

    async def from_client() -> None:
        async for message in outgoing_receive:
            await to_server.send(write_message(message.message))
        await to_server.aclose()

    async with AsyncExitStack() as stack:
        for stream in (to_server, server_in, server_out, from_server, incoming_send, outgoing_receive):
            stack.push_async_callback(stream.aclose)
        tasks = await stack.enter_async_context(anyio.create_task_group())
        for work in (serve, to_client, from_client):
            tasks.start_soon(work)
        try:
            yield incoming, outgoing
        finally:
            with anyio.CancelScope(shield=True):
                await outgoing.aclose()
                await incoming.aclose()
                with anyio.move_on_after(5):
                    await reader.drained.wait()  # all that the client has sent has arrived
            tasks.cancel_scope.cancel()
