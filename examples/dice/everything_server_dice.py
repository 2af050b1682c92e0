"""`roll-dice`: rolls dice."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import Context, ToolSpec, hookimpl
from mcp_types import ToolAnnotations
from pydantic import Field


async def roll_dice(
    ctx: Context,
    sides: Annotated[int, Field(ge=2, le=1000, description="How many sides each die has")] = 6,
    count: Annotated[int, Field(ge=1, le=100, description="How many dice to roll")] = 1,
) -> str:
    """Roll one or more dice."""
    chance = ctx.server.randomness.random  # not the module of that name: a server with a seed repeats itself
    rolls = [chance.randint(1, sides) for _ in range(count)]
    return f"Rolled {count}d{sides}: {', '.join(map(str, rolls))} (total {sum(rolls)})"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="roll-dice",
        title="Roll Dice Tool",
        fn=roll_dice,
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )
