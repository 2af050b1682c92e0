"""`trigger-long-running-operation`: takes its time, reports its progress, can be cancelled."""

import logging
from collections.abc import Iterator
from typing import Annotated

from everything_server import Context, ToolSpec, hookimpl
from everything_server.content.numbers import keep_integer, number_text
from mcp_types import ToolAnnotations
from pydantic import Field

logger = logging.getLogger(__name__)


async def trigger_long_running_operation(
    ctx: Context,
    duration: Annotated[float, Field(ge=0, le=3600, description="How long it takes, in seconds"), keep_integer] = 10,
    steps: Annotated[int, Field(ge=1, le=1000, description="In how many equal steps")] = 5,
) -> str:
    """Run for a while in equal steps, reporting progress after each to a client that asked for it."""
    for step in range(1, steps + 1):
        await ctx.server.clock.sleep(duration / steps)
        logger.info("request %r: step %d of %d", ctx.request_id, step, steps)
        await ctx.report_progress(step, steps, f"Step {step} of {steps}")
    return f"Long running operation completed. Duration: {number_text(duration)} seconds, Steps: {steps}."


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="trigger-long-running-operation",
        title="Trigger Long Running Operation Tool",
        fn=trigger_long_running_operation,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


@hookimpl
def everything_server_instructions() -> str:
    """Say how to follow it."""
    return "trigger-long-running-operation reports progress to calls that carry a progress token, and can be cancelled."
