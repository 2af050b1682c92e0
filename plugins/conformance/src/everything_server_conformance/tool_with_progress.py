"""`test_tool_with_progress`, for the scenario `tools-call-with-progress`."""

from collections.abc import Iterator
from typing import Final

from everything_server import Context, ToolSpec, hookimpl

STEP: Final = 0.05
"""Seconds between two reports."""


async def tool_with_progress(ctx: Context) -> str:
    """Report progress three times to a client that asked for it."""
    await ctx.report_progress(0, 100)
    await ctx.server.clock.sleep(STEP)
    await ctx.report_progress(50, 100)
    await ctx.server.clock.sleep(STEP)
    await ctx.report_progress(100, 100)
    return "Reported progress at 0, 50 and 100 of 100."


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="test_tool_with_progress", fn=tool_with_progress)
