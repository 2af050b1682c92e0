"""A server that listens, in a thread of its own."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final

from everything_server.transports.listen import address_of, bind, serve_until_stopped

LIMIT: Final = 10.0
"""Seconds that starting or stopping may take; only a guard."""


@contextmanager
def listening(app: Any, *, date_header: bool = True) -> Generator[str]:
    """Serve an application of a transport on a free port of the loopback interface, until the block is left.

    Args:
        app: The application; its `close` ends what is open.
        date_header: Whether answers carry the time.

    Returns:
        Where it listens: `http://127.0.0.1:54321`.
    """
    socket = bind("127.0.0.1", 0)
    ready = threading.Event()
    stops: list[Callable[[], None]] = []
    failures: list[BaseException] = []

    def started(stop: Callable[[], None]) -> None:
        stops.append(stop)
        ready.set()

    def serve() -> None:
        try:
            serve_until_stopped(app, socket, app.close, started, date_header=date_header)
        except BaseException as error:
            failures.append(error)
        finally:
            socket.close()
            ready.set()

    thread = threading.Thread(target=serve, name="everything-server", daemon=True)
    thread.start()
    if not ready.wait(LIMIT) or not stops:
        raise RuntimeError("the server did not start") from next(iter(failures), None)
    try:
        yield f"http://{address_of(socket)}"
    finally:
        stops[0]()
        thread.join(LIMIT)
    if thread.is_alive():
        raise RuntimeError(f"the server did not stop within {LIMIT} seconds")
    if failures:
        raise RuntimeError("the server ended with an error") from failures[0]
