"""`slow_compute`, which most `tasks-*` scenarios call: a task for clients that know tasks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final

from everything_server import Context, Era, ToolSpec, hookimpl
from everything_server_tasks import (
    Answers,
    Completed,
    CreateTaskResult,
    TaskOptions,
    TaskState,
    Working,
    create_task,
    supports_tasks,
)
from mcp_types import CallToolResult, TextContent
from pydantic import Field

KEPT: Final = 300.0
"""Seconds that the result can be fetched."""


@dataclass(frozen=True)
class Computation:
    """It works for some seconds."""

    seconds: float
    label: str

    def state_at(self, elapsed: float, answers: Answers) -> TaskState:
        """Working, then completed."""
        if elapsed < self.seconds:
            return Working(since=0, until=self.seconds, message="Computing")
        content = TextContent(type="text", text=_result(self.seconds, self.label))
        return Completed(since=self.seconds, result=CallToolResult(content=[content]))


async def slow_compute(
    ctx: Context,
    seconds: Annotated[float, Field(ge=0, le=3000, description="How long it takes")],
    label: Annotated[str, Field(description="What to call it")] = "unnamed",
) -> str | CreateTaskResult:
    """Take some seconds: as a task where the client knows tasks."""
    if supports_tasks(ctx):
        return await create_task(ctx, Computation(seconds, label), TaskOptions(ttl=seconds + KEPT))
    await ctx.server.clock.sleep(seconds)
    return _result(seconds, label)


def _result(seconds: float, label: str) -> str:
    return f"Computed {label} in {seconds:g} seconds"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that has tasks."""
    yield ToolSpec(name="slow_compute", fn=slow_compute, eras=frozenset({Era.MODERN}))
