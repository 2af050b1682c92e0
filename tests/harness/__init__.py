"""What the tests of this repository share: a client in this process, raw JSON-RPC clients for other processes."""

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from functools import cache
from typing import Any, Protocol

import anyio
from everything_server import Era, PluginManager, Registries, ServerFactory, Settings
from everything_server.serving.lines import LineReader, LineWriter
from everything_server.serving.messages import read_message, write_message
from everything_server.serving.stdio import serve_lines
from mcp.client import Client
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage


class Connect(Protocol):
    """Starts a server with some plugins and connects the official client to it, in the era of the test."""

    def __call__(
        self, plugins: str | None = None, *, disable: str = "", settings: Settings | None = None, **client: Any
    ) -> AbstractAsyncContextManager[Client]: ...


@cache
def registries_with(plugins: str | None, disable: str = "") -> Registries:
    """The registries of some installed plugins: immutable, so all tests that want the same ones share them."""
    manager = PluginManager(None if plugins is None else [plugins], [disable], strict=True)
    manager.load()
    return Registries(manager)


def connector(era: Era) -> Connect:
    """Connects clients of one era."""

    @asynccontextmanager
    async def connected(
        plugins: str | None = None, *, disable: str = "", settings: Settings | None = None, **client: Any
    ) -> AsyncGenerator[Client]:
        factory = ServerFactory(registries_with(plugins, disable), settings or Settings())
        mode = "legacy" if era is Era.LEGACY else "auto"
        async with Client(PipeTransport(factory), mode=mode, **client) as session:
            yield session

    return connected


class PipeTransport:
    """A transport of the official client to a server of `factory` in this process, over a pair of pipes."""

    def __init__(self, factory: Callable[..., Any]) -> None:
        self._factory = factory
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Any:
        await self._stack.__aenter__()
        return await self._stack.enter_async_context(self._connected())

    async def __aexit__(self, *failure: Any) -> None:
        await self._stack.__aexit__(*failure)

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[Any]:
        server_in, client_out = os.pipe()
        client_in, server_out = os.pipe()
        incoming_send, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](100)
        outgoing, outgoing_receive = anyio.create_memory_object_stream[SessionMessage](0)

        async def read() -> None:
            reader = LineReader(client_in)
            while (line := await reader.receive()) is not None:
                assert isinstance(line, bytes)
                message: JSONRPCMessage = read_message(line)  # type: ignore[assignment]
                with suppress(anyio.BrokenResourceError):  # the client has closed its end, the server goes on
                    await incoming_send.send(SessionMessage(message))

        async def write() -> None:
            writer = LineWriter(client_out)
            async for message in outgoing_receive:
                await writer.send(write_message(message.message))
            await writer.flush(5)
            os.close(client_out)

        async def serve() -> None:
            await serve_lines(LineReader(server_in), LineWriter(server_out), self._factory)
            os.close(server_out)

        async with incoming_send, incoming, outgoing, outgoing_receive, anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            tasks.start_soon(write)
            tasks.start_soon(serve)
            yield incoming, outgoing
            # Input ends, so the server ends, so its output ends: nothing has to be cancelled.
            await outgoing.aclose()
            tasks.cancel_scope.deadline = anyio.current_time() + 10
        os.close(client_in)
        os.close(server_in)
