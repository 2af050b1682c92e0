"""How a task goes on: the states it can be in (ext-tasks tasks, Task Status), and the behaviour that knows them.

Nothing runs in the background. What state a task is in is worked out whenever someone asks, from the time that has
passed and the answers that the client has given. So nothing can leak, and a test only has to move the clock.

All times are seconds since the task was created.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from mcp_types import CallToolResult, ErrorData, InputRequest, InputResponse


@dataclass(frozen=True, kw_only=True)
class _State:
    since: float
    """When the task came into this state."""
    message: str | None = None
    """For the user or the model."""


@dataclass(frozen=True, kw_only=True)
class Working(_State):
    """It goes on by itself."""

    until: float | None = None
    """When it will be in another state; None when that is not known, which no listener is told of then."""


@dataclass(frozen=True, kw_only=True)
class InputRequired(_State):
    """It waits for answers from the client."""

    requests: Mapping[str, InputRequest]
    """All that has not been answered yet. A key means the same question for the life of the task and is never used
    again once it has been answered."""
    until: float | None = None
    """When it will go on without; None for never."""


@dataclass(frozen=True, kw_only=True)
class Completed(_State):
    """It has a result; one with `is_error` is a result as well."""

    result: CallToolResult


@dataclass(frozen=True, kw_only=True)
class Failed(_State):
    """It ended with a JSON-RPC error, and for no other reason than that."""

    error: ErrorData


@dataclass(frozen=True, kw_only=True)
class Cancelled(_State):
    """The client cancelled it before it ended; no behaviour gives this state."""


Ended = Completed | Failed | Cancelled
"""The terminal states: a task stays in one for good."""

TaskState = Working | InputRequired | Ended


@dataclass(frozen=True, slots=True)
class Answer:
    """What the client answered."""

    response: InputResponse
    at: float
    """When the answer came."""


Answers = Mapping[str, Answer]
"""By the keys of the requests."""


class Behavior(Protocol):
    """What a task does. An immutable value, such as a frozen dataclass, so that a store may copy it anywhere."""

    def state_at(self, elapsed: float, answers: Answers) -> TaskState:
        """The state after `elapsed` seconds, given all the answers so far; the same whenever it is asked.

        Raises:
            ToolError: The task is completed, with a result that is an error.
            MCPError: The task has failed with that error.
        """
        ...
