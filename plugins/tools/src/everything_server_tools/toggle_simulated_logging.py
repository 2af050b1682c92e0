"""`toggle-simulated-logging`: log messages that come by themselves, at one level after the other."""

from collections.abc import Iterator
from typing import Final, get_args

from everything_server import Context, Era, ServerContext, ToolSpec, hookimpl
from everything_server.content.repeating import INTERVAL, toggle_rounds
from mcp_types import LoggingLevel, ToolAnnotations

LEVELS: Final[tuple[LoggingLevel, ...]] = get_args(LoggingLevel)


async def toggle_simulated_logging(ctx: Context) -> str:
    """Start or stop log messages that come at once and then every five seconds, of one level after the other."""
    if toggle_rounds(ctx.server, _send_message):
        return f"Started simulated logging: one message now and another every {INTERVAL:g} seconds."
    return "Stopped simulated logging."


async def _send_message(server: ServerContext, number: int) -> None:
    level = LEVELS[number % len(LEVELS)]
    await server.log(level, f"A simulated message of level {level}", "toggle-simulated-logging")


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
