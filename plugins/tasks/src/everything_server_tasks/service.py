"""Makes tasks, and tells what has become of them."""

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

import anyio
from everything_server import (
    Clock,
    Context,
    Era,
    MCPError,
    ServerContext,
    ToolError,
    answer_type,
    extension_capability,
    invalid_params,
    missing_capability,
    needed_for,
    satisfies,
)
from mcp_types import (
    INTERNAL_ERROR,
    CallToolResult,
    ClientCapabilities,
    ErrorData,
    InputRequest,
    InputResponse,
    TextContent,
)
from pydantic import ValidationError

from everything_server_tasks.states import (
    Answer,
    Behavior,
    Cancelled,
    Completed,
    Ended,
    Failed,
    InputRequired,
    TaskState,
)
from everything_server_tasks.store import InMemoryTaskStore, StoreFullError, TaskRecord, TaskStore
from everything_server_tasks.wire import CreateTaskResult, handle

logger = logging.getLogger(__name__)

EXTENSION: Final = "io.modelcontextprotocol/tasks"
_DECLARED: Final = extension_capability(EXTENSION)

LONGEST_TTL: Final = 3600.0
"""Seconds that a task can be kept at most."""
_MOMENT: Final = 0.001
"""Seconds; a clock that is asked to wake at a time may be a little early."""


@dataclass(frozen=True, kw_only=True)
class TaskOptions:
    """How long a task is kept, and how often to ask for it."""

    ttl: float = 300.0
    """Seconds from its creation, up to `LONGEST_TTL`."""
    poll_interval: float = 0.5
    """Seconds between two polls that the client is advised to keep to."""


class Tasks:
    """The tasks of a process: `context.process_state.get(Tasks)`. Another store takes the place of its own."""

    def __init__(self) -> None:
        self.store: TaskStore = InMemoryTaskStore()


def supports_tasks(ctx: Context) -> bool:
    """Whether this request may be answered with a task: its client declared the extension, and it is served."""
    return ctx.server.features.serves_extension(EXTENSION) and satisfies(ctx.client_capabilities, _DECLARED)


async def create_task(ctx: Context, behavior: Behavior, options: TaskOptions | None = None) -> CreateTaskResult:
    """Keep a task under an id that cannot be guessed, and give the result that hands it to the client of this call.

    Args:
        ctx: The call that the task is the answer to.
        behavior: How it goes on.
        options: How long it is kept.

    Raises:
        MCPError: -32021, the client did not declare the extension (ext-tasks tasks, Capability Negotiation).
        ToolError: The era has no tasks, the extension is not served, or there is no room for another task.
    """
    options = options or TaskOptions()
    if not 0 < options.ttl <= LONGEST_TTL:
        raise ValueError(f"ttl: must be more than 0 and at most {LONGEST_TTL} seconds, not {options.ttl}")
    if not ctx.server.features.serves_extension(EXTENSION):
        where = "in the legacy era" if ctx.era is Era.LEGACY else "by this server: the plugin tasks.extension is off"
        raise ToolError(f"This answers with a task, and tasks are not served {where}.")
    declared = ctx.client_capabilities or ClientCapabilities()
    if not satisfies(declared, _DECLARED):
        raise missing_capability(_DECLARED)
    now = ctx.server.clock.now()
    record = TaskRecord(
        task_id=ctx.server.randomness.uuid(),
        behavior=behavior,
        created_at=now,
        ttl=timedelta(seconds=options.ttl),
        poll_interval=timedelta(seconds=options.poll_interval),
        capabilities=declared,
        size=_size_of(ctx.request_context.params),
    )
    try:
        await ctx.server.process_state.get(Tasks).store.add(record, now)
    except StoreFullError as error:
        raise ToolError(f"No further task can be kept: {error}. Try again when some have expired.") from error
    return handle(record, _state_of(record, now))


async def task_by_id(server: ServerContext, task_id: str) -> tuple[TaskRecord, TaskState]:
    """A task and the state that it is in.

    Raises:
        MCPError: -32602, there is no such task, or no more.
    """
    return await _settle(server, task_id)


async def answer_task(server: ServerContext, task_id: str, responses: Mapping[str, Any]) -> None:
    """Take the client's answers to what a task asks; those to anything else are ignored.

    Raises:
        MCPError: -32602, there is no such task, or an answer does not have the form of one; then none was taken.
            -32603, there is no room for the answers.
    """
    now = server.clock.now()

    def take(record: TaskRecord, state: TaskState) -> TaskRecord:
        asked = state.requests if isinstance(state, InputRequired) else dict[str, InputRequest]()
        taken = {
            key: Answer(_parsed(key, asked[key], response), record.elapsed(now))
            for key, response in responses.items()
            if key in asked
        }
        if not taken:
            return record
        size = record.size + sum(_size_of(responses[key]) for key in taken)
        return replace(record, answers={**record.answers, **taken}, size=size, version=record.version + 1)

    try:
        await _settle(server, task_id, take)
    except StoreFullError as error:
        raise MCPError(INTERNAL_ERROR, f"No further answer can be kept: {error}") from error


async def cancel_task(server: ServerContext, task_id: str) -> None:
    """End a task, unless it has ended already.

    Raises:
        MCPError: -32602, there is no such task, or no more.
    """
    now = server.clock.now()

    def cancel(record: TaskRecord, state: TaskState) -> TaskRecord:
        if isinstance(state, Ended):
            return record
        cancelled = Cancelled(since=record.elapsed(now), message="Cancelled by the client")
        return replace(record, outcome=cancelled, version=record.version + 1)

    await _settle(server, task_id, cancel)


async def known_tasks(server: ServerContext, task_ids: list[str]) -> list[str]:
    """Those of the ids that there is a task of, each once."""
    store, now = server.process_state.get(Tasks).store, server.clock.now()
    return [task_id for task_id in dict.fromkeys(task_ids) if await store.get(task_id, now)]


async def follow_task(server: ServerContext, task_id: str) -> AsyncIterator[tuple[TaskRecord, TaskState]]:
    """The state that a task is in, and each that it comes into, until it has ended or is gone."""
    shown: TaskState | None = None
    while True:
        try:
            record, state = await _settle(server, task_id)
        except MCPError:
            return
        if state != shown:
            yield record, state
            shown = state
        if isinstance(state, Ended):
            return
        lifetime = record.ttl.total_seconds()
        due = lifetime if state.until is None else min(state.until, lifetime)
        waiting = max(due - record.elapsed(server.clock.now()), _MOMENT)
        await _change_or_alarm(server.process_state.get(Tasks).store, record, server.clock, waiting)


async def _settle(
    server: ServerContext,
    task_id: str,
    change: Callable[[TaskRecord, TaskState], TaskRecord] | None = None,
) -> tuple[TaskRecord, TaskState]:
    """Change a task if need be, and keep its outcome for good once it has one."""
    now = server.clock.now()
    state: TaskState | None = None

    def settle(record: TaskRecord) -> TaskRecord:
        nonlocal state
        state = _state_of(record, now)
        changed = record if change is None else change(record, state)
        if changed is not record:
            state = _state_of(changed, now)
        if isinstance(state, Ended) and changed.outcome is None:
            changed = replace(changed, outcome=state, version=changed.version + 1)
        return changed

    record = await server.process_state.get(Tasks).store.change(task_id, now, settle)
    if record is None or state is None:
        raise invalid_params("Task not found: there is no task of this id, or it has expired")
    return record, state


def _state_of(record: TaskRecord, now: datetime) -> TaskState:
    if record.outcome is not None:
        return record.outcome
    elapsed = record.elapsed(now)
    try:
        state = record.behavior.state_at(elapsed, record.answers)
        if isinstance(state, InputRequired):
            _check(record, state)
    except ToolError as error:
        text = TextContent(type="text", text=str(error))
        return Completed(since=elapsed, result=CallToolResult(content=[text], is_error=True))
    except MCPError as error:
        return Failed(since=elapsed, error=error.error, message=error.error.message)
    except Exception:  # code of others; what it raised stays on the log
        logger.exception("the behaviour of a task raised: %s", type(record.behavior).__qualname__)
        error = ErrorData(code=INTERNAL_ERROR, message="Internal error")
        return Failed(since=elapsed, error=error, message="The task came to an unexpected end")
    return state


def _check(record: TaskRecord, state: InputRequired) -> None:
    """Ask only for what the client can answer, and nothing twice (ext-tasks tasks, Task Update Requests)."""
    for key, request in state.requests.items():
        if key in record.answers:
            raise RuntimeError(f"the key {key!r} has been answered and must not be used again")
        needed = needed_for(request)
        if not satisfies(record.capabilities, needed):
            raise missing_capability(needed)


def _parsed(key: str, request: InputRequest, response: Any) -> InputResponse:
    try:
        return answer_type(request).model_validate(response, by_name=False)
    except ValidationError:
        raise invalid_params(
            f"Invalid params for tasks/update: inputResponses.{key}: is no answer to {request.method}"
        ) from None


async def _change_or_alarm(store: TaskStore, record: TaskRecord, clock: Clock, seconds: float) -> None:
    """Until the task changes, but no longer than `seconds`."""
    async with anyio.create_task_group() as tasks:

        async def alarm() -> None:
            await clock.sleep(seconds)
            tasks.cancel_scope.cancel()

        tasks.start_soon(alarm)
        await store.wait_for_change(record.task_id, record.version)
        tasks.cancel_scope.cancel()


def _size_of(sent: Any) -> int:
    """Roughly how many bytes something takes that came as JSON."""
    return len(repr(sent))
