"""The stdio transport of the product: standard streams, signals, exit."""

import logging
import os
import sys
from typing import Final

import anyio

from everything_server.eras import Era
from everything_server.serving.factory import Factory
from everything_server.serving.lines import LineReader, LineWriter
from everything_server.serving.received import Observe
from everything_server.serving.stdio import serve_lines
from everything_server.signals import ending_signals
from everything_server.standard_streams import WireDescriptors
from everything_server.transports.watchdog import end_at_the_latest_in

logger = logging.getLogger(__name__)

LATEST_END: Final = 6.0
"""Seconds after the end of input, or a signal, when the process ends whatever still runs."""


def run_stdio(factory: Factory, wire: WireDescriptors, eras: frozenset[Era], observe: Observe | None = None) -> None:
    """Serve the client on claimed descriptors until its input ends, or a signal asks for it; a second one forces.

    Args:
        factory: Makes the servers.
        wire: Where the messages come from and go to.
        eras: What is served.
        observe: Told of each message before it is served.
    """
    if os.isatty(wire.stdin):
        sys.stderr.write("everything-server: serving MCP on stdin and stdout, a JSON message a line; Ctrl+D ends\n")
    anyio.run(_serve, factory, wire, eras, observe)


async def _serve(factory: Factory, wire: WireDescriptors, eras: frozenset[Era], observe: Observe | None) -> None:
    stop = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_watch_signals, stop)
        await serve_lines(
            LineReader(wire.stdin, on_end=lambda: end_at_the_latest_in(LATEST_END)),
            LineWriter(wire.stdout),
            factory,
            legacy="serve" if Era.LEGACY in eras else "reject",
            modern="serve" if Era.MODERN in eras else "ignore",
            stop=stop,
            observe=observe,
        )
        tasks.cancel_scope.cancel()


async def _watch_signals(stop: anyio.Event) -> None:
    with anyio.open_signal_receiver(*ending_signals()) as signals:
        async for number in signals:
            if stop.is_set():
                os._exit(128 + number)
            logger.info("stopping on signal %d", number)
            stop.set()
            end_at_the_latest_in(LATEST_END)
