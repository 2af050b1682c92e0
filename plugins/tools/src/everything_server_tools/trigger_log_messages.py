"""`trigger-log-messages`: one log message of each level, of which the client sees those it wants to see."""

from collections.abc import Iterator
from typing import get_args

from everything_server import Context, ToolSpec, hookimpl
from mcp_types import LoggingLevel, ToolAnnotations


async def trigger_log_messages(ctx: Context) -> str:
    """Send a log message of every level, the least severe first."""
    levels: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
    for level in levels:
        await ctx.log(level, f"This is a message of level {level}", logger_name="trigger-log-messages")
    return f"Sent {len(levels)} log messages, one of each level; those below the wanted level were left out."


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="trigger-log-messages",
        title="Trigger Log Messages Tool",
        fn=trigger_log_messages,
        logs=True,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
