"""`toggle-simulated-logging`: log messages that come by themselves, at one level after the other."""

from collections.abc import Iterator
from itertools import cycle
from typing import Final, get_args

import anyio
from everything_server import Context, Era, ServerContext, ToolSpec, hookimpl
from mcp_types import LoggingLevel, ToolAnnotations

INTERVAL: Final = 5.0
"""Seconds between two messages."""


class _Logging:
    """Whether messages are being sent on a connection."""

    def __init__(self) -> None:
        self.running: anyio.CancelScope | None = None


async def toggle_simulated_logging(ctx: Context) -> str:
    """Start or stop log messages that come at once and then every five seconds, of one level after the other."""
    logging = ctx.server.state.get(_Logging)
    if logging.running is not None:
        logging.running.cancel()
        logging.running = None
        return "Stopped simulated logging."
    logging.running = anyio.CancelScope()
    ctx.server.start(_send_messages, ctx.server, logging.running)
    return "Started simulated logging: one message now and another every 5 seconds."


async def _send_messages(server: ServerContext, running: anyio.CancelScope) -> None:
    levels: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
    with running:
        for level in cycle(levels):
            await server.log(level, f"A simulated message of level {level}", "toggle-simulated-logging")
            await server.clock.sleep(INTERVAL)


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool; the modern era has no messages that belong to no request."""
    yield ToolSpec(
        name="toggle-simulated-logging",
        title="Toggle Simulated Logging",
        fn=toggle_simulated_logging,
        eras=frozenset({Era.LEGACY}),
        logs=True,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
    )


@hookimpl
def everything_server_instructions(era: Era) -> str | None:
    """Say how to stop the messages."""
    return (
        "toggle-simulated-logging sends log messages until it is called again; logging/setLevel chooses which arrive."
        if era is Era.LEGACY
        else None
    )
