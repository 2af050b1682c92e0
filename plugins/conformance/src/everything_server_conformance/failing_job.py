"""`failing_job`, for the scenarios `tasks-required-task-error`, `tasks-lifecycle` and `tasks-dispatch-and-envelope`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from everything_server import Context, Era, ToolSpec, extension_capability, hookimpl
from everything_server_tasks import EXTENSION, Answers, Completed, CreateTaskResult, TaskState, Working, create_task
from mcp_types import CallToolResult, TextContent

DURATION: Final = 1.0


@dataclass(frozen=True)
class FailingJob:
    """It works for a second, and completes with a result that is an error."""

    def state_at(self, elapsed: float, answers: Answers) -> TaskState:
        """Working, then completed."""
        if elapsed < DURATION:
            return Working(since=0, until=DURATION)
        content = TextContent(type="text", text="This job always fails")
        return Completed(since=DURATION, result=CallToolResult(content=[content], is_error=True))


async def failing_job(ctx: Context) -> CreateTaskResult:
    """Work on something that fails, as a task and in no other way."""
    return await create_task(ctx, FailingJob())


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that has tasks."""
    yield ToolSpec(
        name="failing_job", fn=failing_job, requires=extension_capability(EXTENSION), eras=frozenset({Era.MODERN})
    )
