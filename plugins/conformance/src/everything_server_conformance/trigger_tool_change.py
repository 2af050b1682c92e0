"""`test_trigger_tool_change`, for the scenario `server-stateless`."""

from collections.abc import Iterator

from everything_server import Context, Era, ToolSpec, hookimpl


async def added_tool() -> str:
    """A tool that comes and goes."""
    return "This tool was added by test_trigger_tool_change."


ADDED = ToolSpec(name="test_added_tool", fn=added_tool)


async def trigger_tool_change(ctx: Context) -> str:
    """Add a tool, or take it away again if it is there, and announce the change."""
    if not ctx.server.features.remove(ADDED):
        ctx.server.features.add(ADDED)
    await ctx.notify_tools_changed()
    return "The list of tools has changed."


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era whose clients listen for changes."""
    yield ToolSpec(name="test_trigger_tool_change", fn=trigger_tool_change, eras=frozenset({Era.MODERN}))
