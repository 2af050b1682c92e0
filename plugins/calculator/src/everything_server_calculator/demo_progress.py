"""`demo_progress`: reports progress."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import Context, ToolSpec, hookimpl
from everything_server.content.numbers import number_text
from mcp_types import ToolAnnotations
from pydantic import Field


async def demo_progress(
    ctx: Context,
    steps: Annotated[int, Field(ge=1, le=100, description="How many steps there are")] = 5,
    seconds: Annotated[float, Field(ge=0, le=60, description="How long they take together")] = 1,
) -> str:
    """Add up the numbers from one to `steps`, one at a time, and report progress to a client that asked for it."""
    total = 0
    for step in range(1, steps + 1):
        await ctx.server.clock.sleep(seconds / steps)
        total += step
        await ctx.report_progress(step, steps, f"Step {step} of {steps}: the sum is {total}")
    return f"Done: the sum of the numbers from 1 to {steps} is {total}, found in {number_text(seconds)} seconds."


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="demo_progress",
        title="Demo Progress",
        fn=demo_progress,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
