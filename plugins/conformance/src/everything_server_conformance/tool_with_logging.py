"""`test_tool_with_logging`, for the scenario `tools-call-with-logging`."""

from collections.abc import Iterator
from typing import Final

from everything_server import Context, ToolSpec, hookimpl

STEP: Final = 0.05
"""Seconds between two messages."""


async def tool_with_logging(ctx: Context) -> str:
    """Log three messages at level info while working."""
    await ctx.log("info", "Tool execution started")
    await ctx.server.clock.sleep(STEP)
    await ctx.log("info", "Tool processing data")
    await ctx.server.clock.sleep(STEP)
    await ctx.log("info", "Tool execution completed")
    return "Logged three messages, as far as the client wants to see them."


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="test_tool_with_logging", fn=tool_with_logging, logs=True)
