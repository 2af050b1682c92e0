"""What a legacy connection simulates from one call of a tool until the next: at once, and then every so often."""

from collections.abc import Awaitable, Callable
from typing import Final

import anyio

from everything_server.context import ServerContext

INTERVAL: Final = 5.0
"""Seconds between two rounds."""

Round = Callable[[ServerContext, int], Awaitable[None]]
"""What one round does, told its number from 0 on."""


class _Running:
    """The switches that are on, on one connection."""

    def __init__(self) -> None:
        self.scopes: dict[Round, anyio.CancelScope] = {}


def toggle_rounds(server: ServerContext, play: Round) -> bool:
    """Start rounds, one now and another every `INTERVAL` seconds, or stop them where they run.

    Each connection has a switch of its own for each `play`, and is off again when a round raises.

    Args:
        server: The connection.
        play: Plays a round; the same function switches off what it has switched on.

    Returns:
        Whether rounds are being played now.

    Raises:
        RuntimeError: The instance is modern: none of its work may outlive the request.
    """
    scopes = server.state.get(_Running).scopes
    running = scopes.pop(play, None)
    if running is not None:
        running.cancel()
        return False
    scope = anyio.CancelScope()
    server.start(_play_rounds, server, play, scope)
    scopes[play] = scope
    return True


async def _play_rounds(server: ServerContext, play: Round, scope: anyio.CancelScope) -> None:
    scopes = server.state.get(_Running).scopes
    number = 0
    with scope:
        try:
            while True:
                await play(server, number)
                number += 1
                await server.clock.sleep(INTERVAL)
        finally:
            if scopes.get(play) is scope:
                del scopes[play]
