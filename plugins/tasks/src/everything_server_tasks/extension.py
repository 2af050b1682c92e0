"""The tasks extension, `io.modelcontextprotocol/tasks`: serves what `create_task` has handed out.

ext-tasks, specification/draft/tasks.
"""

from collections.abc import Iterator
from typing import Any, cast

import anyio
from everything_server import ExtensionSpec, MethodBinding, SendNotification, SubscriptionSpec, hookimpl, invalid_params
from mcp.server.context import ServerRequestContext
from mcp_types import EmptyResult

from everything_server_tasks.service import (
    EXTENSION,
    answer_task,
    cancel_task,
    follow_task,
    known_tasks,
    task_by_id,
)
from everything_server_tasks.wire import (
    GetTaskResult,
    TaskRequestParams,
    UpdateTaskRequestParams,
    task_notification,
    task_result,
)

RequestContext = ServerRequestContext[Any, Any]


async def get_task(ctx: RequestContext, params: TaskRequestParams) -> GetTaskResult:
    """Serve `tasks/get`."""
    return task_result(*await task_by_id(ctx.lifespan_context, params.task_id))


async def update_task(ctx: RequestContext, params: UpdateTaskRequestParams) -> EmptyResult:
    """Serve `tasks/update`."""
    await answer_task(ctx.lifespan_context, params.task_id, params.input_responses)
    return EmptyResult()


async def cancel(ctx: RequestContext, params: TaskRequestParams) -> EmptyResult:
    """Serve `tasks/cancel`."""
    await cancel_task(ctx.lifespan_context, params.task_id)
    return EmptyResult()


async def accept_task_ids(ctx: RequestContext, wanted: object) -> list[str] | None:
    """Agree to tell of the tasks that there are."""
    if not isinstance(wanted, list) or not all(isinstance(task_id, str) for task_id in cast("list[object]", wanted)):
        raise invalid_params(
            "Invalid params for subscriptions/listen: notifications.taskIds: must be a list of strings"
        )
    return await known_tasks(ctx.lifespan_context, cast("list[str]", wanted)) or None


async def tell_of_tasks(ctx: RequestContext, task_ids: list[str], send: SendNotification) -> None:
    """Send the state of each task, and again whenever it comes into another one."""

    async def tell_of(task_id: str) -> None:
        async for record, state in follow_task(ctx.lifespan_context, task_id):
            await send(task_notification(record, state))

    async with anyio.create_task_group() as tasks:
        for task_id in task_ids:
            tasks.start_soon(tell_of, task_id)


@hookimpl
def everything_server_extensions() -> Iterator[ExtensionSpec]:
    """Declare the extension."""
    methods = (
        MethodBinding("tasks/get", TaskRequestParams, get_task),
        MethodBinding("tasks/update", UpdateTaskRequestParams, update_task),
        MethodBinding("tasks/cancel", TaskRequestParams, cancel),
    )
    yield ExtensionSpec(
        identifier=EXTENSION,
        methods=methods,
        name_headers={binding.method: "taskId" for binding in methods},
        subscriptions=(SubscriptionSpec(key="taskIds", accept=accept_task_ids, deliver=tell_of_tasks),),
    )
