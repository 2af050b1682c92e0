"""Tasks, for any plugin: say how a task goes on with a `Behavior`, and hand it out with `create_task`.

@dataclass(frozen=True)
class Brew:
    cups: int

    def state_at(self, elapsed: float, answers: Answers) -> TaskState:
        done = 2.0 * self.cups
        if elapsed < done:
            return Working(since=0, until=done, message="Brewing")
        return Completed(since=done, result=CallToolResult(content=[...]))

async def brew(ctx: Context, cups: int) -> str | CreateTaskResult:
    if supports_tasks(ctx):
        return await create_task(ctx, Brew(cups))
    return "There is coffee."
"""

from everything_server_tasks.service import EXTENSION, TaskOptions, Tasks, create_task, supports_tasks
from everything_server_tasks.states import (
    Answer,
    Answers,
    Behavior,
    Cancelled,
    Completed,
    Failed,
    InputRequired,
    TaskState,
    Working,
)
from everything_server_tasks.store import InMemoryTaskStore, StoreFullError, TaskRecord, TaskStore
from everything_server_tasks.wire import CreateTaskResult

__all__ = [
    "EXTENSION",
    "Answer",
    "Answers",
    "Behavior",
    "Cancelled",
    "Completed",
    "CreateTaskResult",
    "Failed",
    "InMemoryTaskStore",
    "InputRequired",
    "StoreFullError",
    "TaskOptions",
    "TaskRecord",
    "TaskState",
    "TaskStore",
    "Tasks",
    "Working",
    "create_task",
    "supports_tasks",
]
