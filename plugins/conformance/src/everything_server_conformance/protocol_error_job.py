"""`protocol_error_job`, for the scenario `tasks-lifecycle`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from everything_server import Context, Era, ToolSpec, extension_capability, hookimpl
from everything_server_tasks import EXTENSION, Answers, CreateTaskResult, Failed, TaskState, Working, create_task
from mcp_types import INTERNAL_ERROR, ErrorData

DURATION: Final = 1.0


@dataclass(frozen=True)
class ProtocolErrorJob:
    """It works for a second, and ends with a JSON-RPC error."""

    def state_at(self, elapsed: float, answers: Answers) -> TaskState:
        """Working, then failed."""
        if elapsed < DURATION:
            return Working(since=0, until=DURATION)
        return Failed(since=DURATION, error=ErrorData(code=INTERNAL_ERROR, message="This job always breaks"))


async def protocol_error_job(ctx: Context) -> CreateTaskResult:
    """Work on something that ends with an error of the protocol, as a task."""
    return await create_task(ctx, ProtocolErrorJob())


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that has tasks."""
    yield ToolSpec(
        name="protocol_error_job",
        fn=protocol_error_job,
        requires=extension_capability(EXTENSION),
        eras=frozenset({Era.MODERN}),
    )
