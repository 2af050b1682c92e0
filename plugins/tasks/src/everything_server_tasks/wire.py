"""Tasks as the protocol writes them (ext-tasks tasks, Tasks; Task Polling; Task Status Notifications)."""

from datetime import UTC, datetime
from typing import Any, Literal

from everything_server import ExtensionResult
from mcp_types import InputRequest, Notification, NotificationParams, RequestParams, Result
from pydantic import BaseModel

from everything_server_tasks.states import Cancelled, Completed, Failed, InputRequired, TaskState, Working
from everything_server_tasks.store import TaskRecord

Status = Literal["working", "input_required", "completed", "cancelled", "failed"]


class _Task(BaseModel):
    task_id: str
    status: Status
    status_message: str | None = None
    created_at: str
    last_updated_at: str
    ttl_ms: int
    poll_interval_ms: int


class _DetailedTask(_Task):
    input_requests: dict[str, InputRequest] | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class CreateTaskResult(_Task, ExtensionResult):
    """The handle that answers a call instead of its result."""

    result_type: str = "task"


class GetTaskResult(_DetailedTask, Result):
    """What a task has come to."""

    result_type: Literal["complete"] = "complete"


class TaskNotificationParams(_DetailedTask, NotificationParams):
    """The same, told to a listener."""


class TaskNotification(Notification[TaskNotificationParams, Literal["notifications/tasks"]]):
    """A task has come into another state."""

    method: Literal["notifications/tasks"] = "notifications/tasks"


class TaskRequestParams(RequestParams):
    """The params of `tasks/get` and `tasks/cancel`."""

    task_id: str


class UpdateTaskRequestParams(TaskRequestParams):
    """The params of `tasks/update`."""

    input_responses: dict[str, Any]
    """Not parsed before it is known what was asked: what nobody asked for is to be ignored, whatever it is."""


def handle(record: TaskRecord, state: TaskState) -> CreateTaskResult:
    """The result that hands a task to its client."""
    return CreateTaskResult(**_fields(record, state))


def task_result(record: TaskRecord, state: TaskState) -> GetTaskResult:
    """The answer to `tasks/get`."""
    return GetTaskResult(**_fields(record, state), **_details(state))


def task_notification(record: TaskRecord, state: TaskState) -> TaskNotification:
    """What a listener is told."""
    return TaskNotification(params=TaskNotificationParams(**_fields(record, state), **_details(state)))


def _fields(record: TaskRecord, state: TaskState) -> dict[str, Any]:
    return {
        "task_id": record.task_id,
        "status": _status(state),
        "status_message": state.message,
        "created_at": _timestamp(record.created_at),
        "last_updated_at": _timestamp(record.at(state.since)),
        "ttl_ms": round(record.ttl.total_seconds() * 1000),
        "poll_interval_ms": round(record.poll_interval.total_seconds() * 1000),
    }


def _status(state: TaskState) -> Status:
    match state:
        case Working():
            return "working"
        case InputRequired():
            return "input_required"
        case Completed():
            return "completed"
        case Failed():
            return "failed"
        case Cancelled():
            return "cancelled"


def _details(state: TaskState) -> dict[str, Any]:
    match state:
        case InputRequired(requests=requests):
            return {"input_requests": dict(requests)}
        case Completed(result=result):
            dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
            return {"result": {key: value for key, value in dumped.items() if (key, value) != ("isError", False)}}
        case Failed(error=error):
            return {"error": error.model_dump(by_alias=True, mode="json", exclude_none=True)}
        case Working() | Cancelled():
            return {}


def _timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
