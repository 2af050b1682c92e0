"""Binds a port, serves an ASGI application on it, and stops in order."""

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

import anyio
import uvicorn
from starlette.types import ASGIApp

from everything_server.signals import ending_signals
from everything_server.transports.watchdog import end_at_the_latest_in

GRACE: Final = 1.5
"""Seconds that connections have to end after they were told to; then they are cut."""

LIMIT: Final = 4.0
"""Seconds after which the process ends even if something cannot be stopped: a call that shields itself, a thread."""

TICK: Final = 0.1
"""Seconds between two times that uvicorn looks after itself; it counts on them."""

Close = Callable[[], Coroutine[Any, Any, None]]


class ListenError(Exception):
    """The address cannot be listened on; the message is for the person who started the server."""


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens on the address; port 0 lets the system choose one.

    Raises:
        ListenError: The port is in use, or the address is not one of this machine.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise ListenError(f"cannot listen on {host}: {error.strerror or error}") from None
    try:
        if sys.platform != "win32":  # where it would let two servers share a port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(2048)
    except OSError as error:
        listening.close()
        raise ListenError(f"cannot listen on {host} port {port}: {error.strerror}") from None
    return listening


def address_of(listening: socket.socket) -> str:
    """Host and port as they stand in a URL."""
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def serve(
    app: ASGIApp,
    listening: socket.socket,
    announcement: str,
    close: Close,
    *,
    ready: Callable[[], None] | None = None,
    date_header: bool = True,
) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP; a second one forces the end.

    Args:
        app: The application.
        listening: A bound socket.
        announcement: Printed on stderr once connections are accepted.
        close: Tells the application's open streams and sessions to end; awaited before connections are closed.
        ready: Called then, before anything is printed.
        date_header: Whether answers carry the time.
    """

    def announce() -> None:
        if ready is not None:
            ready()
        sys.stderr.write(f"{announcement}\n")
        sys.stderr.flush()

    config = _config(app, date_header=date_header)
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        server = _Server(config, announce)
        runner.run(_serve(server, listening, partial(_stop_on_signal, server, close)))


def serve_until_stopped(
    app: ASGIApp,
    listening: socket.socket,
    close: Close,
    started: Callable[[Callable[[], None]], None],
    *,
    date_header: bool = True,
) -> None:
    """Serve in this thread, whichever it is, until another one says that it is enough; no signal is looked at.

    Args:
        app: The application.
        listening: A bound socket.
        close: As for `serve`.
        started: Called once connections are accepted, with what ends the serving; that may be called from any thread.
        date_header: Whether answers carry the time.
    """
    config = _config(app, date_header=date_header)

    async def run() -> None:
        loop, stop = asyncio.get_running_loop(), anyio.Event()

        def enough() -> None:
            with suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(stop.set)

        server = _Server(config, lambda: started(enough))
        await _serve(server, listening, partial(_stop_when, stop, server, close))

    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(run())


def _config(app: ASGIApp, *, date_header: bool) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=date_header,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=None,  # it would cancel requests, and log each with a traceback
    )


class _Server(uvicorn.Server):
    """uvicorn's server, which leaves the signals to us and says when it accepts connections."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce
        self._told = anyio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._announce()

    def stop(self) -> None:
        """Accept nothing more, and end when what is open has ended."""
        self.should_exit = True
        self._told.set()

    async def main_loop(self) -> None:
        """Until it is told to stop, at once and not at the next tick."""
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            with anyio.move_on_after(TICK):
                await self._told.wait()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def _serve(
    server: _Server, listening: socket.socket, wait_for_the_end: Callable[[], Coroutine[Any, Any, None]]
) -> None:
    """Serve, and beside it wait for whatever stops the server."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait_for_the_end)
        await server.serve(sockets=[listening])
        tasks.cancel_scope.cancel()


async def _stop_on_signal(server: _Server, close: Close) -> None:
    with anyio.open_signal_receiver(*ending_signals()) as signals:
        async with anyio.create_task_group() as tasks:
            async for number in signals:
                if server.should_exit:
                    os._exit(128 + number)
                server.stop()
                end_at_the_latest_in(LIMIT)
                tasks.start_soon(_end_connections, server, close)


async def _stop_when(stop: anyio.Event, server: _Server, close: Close) -> None:
    await stop.wait()
    server.stop()
    await _end_connections(server, close)


async def _end_connections(server: _Server, close: Close) -> None:
    """Tell all that is open to end, and cut what has not."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(close)
        tasks.start_soon(_cut_connections, server)


async def _cut_connections(server: _Server) -> None:
    """A client that does not read holds up what is written to it; to the application it is gone then."""
    await anyio.sleep(GRACE)
    for connection in list(server.server_state.connections):
        connection.transport.abort()
