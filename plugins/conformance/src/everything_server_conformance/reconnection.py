"""`test_reconnection`, for the scenario `server-sse-polling`."""

from collections.abc import Iterator
from typing import Final

from everything_server import Context, Era, ToolSpec, hookimpl

WORK: Final = 0.1
"""Seconds from closing the stream to the result."""


async def reconnection(ctx: Context) -> str:
    """Close the event stream of this call before there is a result, which then waits for the client to reconnect.

    On a transport without such streams the result simply comes.
    """
    await ctx.close_sse_stream()
    await ctx.server.clock.sleep(WORK)
    return "This result was sent after the stream of its call had been closed."


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era whose streams can be resumed."""
    yield ToolSpec(name="test_reconnection", fn=reconnection, eras=frozenset({Era.LEGACY}))
