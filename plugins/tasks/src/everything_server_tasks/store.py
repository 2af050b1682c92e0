"""Where tasks are kept. A store that several processes share implements `TaskStore` over a database."""

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Protocol

import anyio
from mcp_types import ClientCapabilities

from everything_server_tasks.states import Answer, Behavior, Ended

MOST_TASKS: Final = 10_000
"""How many tasks are kept at a time."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""How many bytes of arguments and answers are kept for all of them."""


class StoreFullError(Exception):
    """There is no room: nothing that was promised to be kept longer is thrown away for something new."""


@dataclass(frozen=True, kw_only=True)
class TaskRecord:
    """All that is kept of a task: plain data, and a behaviour that is a value."""

    task_id: str
    behavior: Behavior
    created_at: datetime
    ttl: timedelta
    poll_interval: timedelta
    capabilities: ClientCapabilities
    """What the client that made it had declared; it is asked for nothing else."""
    size: int
    """Bytes of what the client has sent for it."""
    answers: Mapping[str, Answer] = field(default_factory=dict[str, Answer])
    outcome: Ended | None = None
    """The terminal state, from when it is known."""
    version: int = 0
    """Counts the changes."""

    @property
    def expires_at(self) -> datetime:
        """When it may be forgotten."""
        return self.created_at + self.ttl

    def elapsed(self, now: datetime) -> float:
        """Seconds since it was created; not less than none, should a clock have been set back."""
        return max((now - self.created_at).total_seconds(), 0.0)

    def at(self, elapsed: float) -> datetime:
        """The time at which that many seconds had passed."""
        return self.created_at + timedelta(seconds=elapsed)


Change = Callable[[TaskRecord], TaskRecord]


class TaskStore(Protocol):
    """Keeps tasks until they expire; `now` is the time by the server's clock."""

    async def add(self, record: TaskRecord, now: datetime) -> None:
        """Keep a new task; once this returns, `get` finds it everywhere.

        Raises:
            StoreFullError: There is no room for it.
        """
        ...

    async def get(self, task_id: str, now: datetime) -> TaskRecord | None:
        """A task; None when there is none of that id, or no more."""
        ...

    async def change(self, task_id: str, now: datetime, change: Change) -> TaskRecord | None:
        """Replace a task by what `change` makes of it, with no other change in between; gives the new one.

        Raises:
            StoreFullError: It has grown more than there is room for, and has not been changed.
        """
        ...

    async def wait_for_change(self, task_id: str, version: int) -> None:
        """Until the task has another version than that, or is gone."""
        ...


class InMemoryTaskStore:
    """Keeps tasks in this process. What has expired is dropped when the store is next touched."""

    def __init__(self, most_tasks: int = MOST_TASKS, most_bytes: int = MOST_BYTES) -> None:
        self._most_tasks = most_tasks
        self._most_bytes = most_bytes
        self._records: dict[str, TaskRecord] = {}
        self._expiries: list[tuple[datetime, str]] = []
        self._size = 0
        self._waiters: dict[str, anyio.Event] = {}

    def __len__(self) -> int:
        """How many tasks are kept, the expired ones included that nothing has dropped yet."""
        return len(self._records)

    @property
    def size(self) -> int:
        """How many bytes of arguments and answers are kept with them."""
        return self._size

    async def add(self, record: TaskRecord, now: datetime) -> None:
        """Keep a new task."""
        self._expire(now)
        if len(self._records) >= self._most_tasks:
            raise StoreFullError(f"{self._most_tasks} tasks are kept already")
        self._make_room(record.size)
        self._records[record.task_id] = record
        heapq.heappush(self._expiries, (record.expires_at, record.task_id))

    async def get(self, task_id: str, now: datetime) -> TaskRecord | None:
        """A task, if it has not expired."""
        self._expire(now)
        return self._records.get(task_id)

    async def change(self, task_id: str, now: datetime, change: Change) -> TaskRecord | None:
        """Replace a task, if it has not expired."""
        self._expire(now)
        record = self._records.get(task_id)
        if record is None:
            return None
        changed = change(record)
        if changed is not record:
            self._make_room(changed.size - record.size)
            self._records[task_id] = changed
            self._wake(task_id)
        return changed

    async def wait_for_change(self, task_id: str, version: int) -> None:
        """Until the task has another version, or is gone."""
        record = self._records.get(task_id)
        if record is not None and record.version == version:
            await self._waiters.setdefault(task_id, anyio.Event()).wait()

    def _make_room(self, size: int) -> None:
        if self._size + size > self._most_bytes:
            raise StoreFullError(f"{self._most_bytes} bytes are kept already")
        self._size += size

    def _expire(self, now: datetime) -> None:
        while self._expiries and self._expiries[0][0] <= now:
            _, task_id = heapq.heappop(self._expiries)
            self._size -= self._records.pop(task_id).size
            self._wake(task_id)

    def _wake(self, task_id: str) -> None:
        if waiter := self._waiters.pop(task_id, None):
            waiter.set()
