"""`test_logging_tool`, for the scenario `server-stateless`."""

from collections.abc import Iterator

from everything_server import Context, Era, ToolSpec, hookimpl


async def logging_tool(ctx: Context) -> str:
    """Log a message, which a client sees only whose request names a log level."""
    await ctx.log("info", "This was asked for by the log level of the request")
    return "Logged a message, if the request wanted any."


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era in which requests name their log levels."""
    yield ToolSpec(name="test_logging_tool", fn=logging_tool, logs=True, eras=frozenset({Era.MODERN}))
