"""Tasks of a third party, and a raw client that knows tasks."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from everything_server import Context, Era, Form
from everything_server_tasks import (
    EXTENSION,
    Answers,
    Behavior,
    Completed,
    CreateTaskResult,
    InputRequired,
    TaskOptions,
    TaskState,
    Working,
    create_task,
)
from mcp_types import CallToolResult, TextContent

from harness.plugins import Message, Wire

DECLARED: Message = {"extensions": {EXTENSION: {}}}
WITH_FORMS: Message = {**DECLARED, "elicitation": {"form": {}}}

NAME = Form("Who?", {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})


def done(text: str, since: float, *, is_error: bool = False) -> Completed:
    return Completed(
        since=since, result=CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)
    )


@dataclass(frozen=True)
class Timer:
    """Works for some seconds, in two halves."""

    seconds: float

    def state_at(self, elapsed: float, answers: Answers) -> TaskState:
        half = self.seconds / 2
        if elapsed < half:
            return Working(since=0, until=half, message="first half")
        if elapsed < self.seconds:
            return Working(since=half, until=self.seconds, message="second half")
        return done("rang", self.seconds)


@dataclass(frozen=True)
class Questions:
    """Asks several things at once, and is done when all are answered."""

    keys: tuple[str, ...]

    def state_at(self, elapsed: float, answers: Answers) -> TaskState:
        open_keys = [key for key in self.keys if key not in answers]
        since = max((answer.at for answer in answers.values()), default=0.0)
        if open_keys:
            return InputRequired(since=since, requests={key: NAME.request() for key in open_keys})
        given = {key: answers[key].response.model_dump(mode="json", exclude_none=True) for key in self.keys}
        return done(str(given), since)


@dataclass(frozen=True)
class Raising:
    """Goes wrong after a second."""

    make: Callable[[], Exception]

    def state_at(self, elapsed: float, answers: Answers) -> TaskState:
        if elapsed < 1:
            return Working(since=0, until=1)
        raise self.make()


@dataclass
class Behaviors:
    """What a test lets the tool `start` do, by name."""

    known: dict[str, tuple[Behavior, TaskOptions | None]] = field(default_factory=dict)

    def add(self, name: str, behavior: Behavior, **options: float) -> None:
        self.known[name] = (behavior, TaskOptions(**options) if options else None)

    async def start(self, ctx: Context, name: str) -> CreateTaskResult:
        """Start a task."""
        return await create_task(ctx, *self.known[name])


class TaskClient(Wire):
    """A raw client that knows tasks."""

    async def start_task(self, name: str) -> str:
        """Start a task with one of the behaviours, and give its id."""
        handle = await self.call("start", name=name)
        assert handle["resultType"] == "task"
        return handle["taskId"]

    async def task(self, task_id: str) -> Message:
        return await self.request("tasks/get", {"taskId": task_id})

    async def update(self, task_id: str, **answers: Any) -> Message:
        return await self.request("tasks/update", {"taskId": task_id, "inputResponses": answers})

    async def cancel(self, task_id: str) -> Message:
        return await self.request("tasks/cancel", {"taskId": task_id})

    async def next_told(self) -> Message:
        """The next message, which must be a notification about a task."""
        message = await self.receive()
        assert message["method"] == "notifications/tasks", message
        return message["params"]


class ConnectTasks(Protocol):
    def __call__(
        self, capabilities: Mapping[str, Any] = ..., era: Era = ...
    ) -> AbstractAsyncContextManager[TaskClient]: ...
