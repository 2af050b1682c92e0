"""`test_tool_with_task`, for the scenario `tasks-mrtr-composition`: it asks first, and then makes a task."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from everything_server import (
    FORM_ELICITATION,
    Context,
    Era,
    Form,
    ToolSpec,
    all_of,
    ask,
    extension_capability,
    form_answer,
    hookimpl,
)
from everything_server_tasks import EXTENSION, Answers, Completed, CreateTaskResult, TaskState, Working, create_task
from mcp_types import CallToolResult, InputRequiredResult, TextContent

FORM: Final = Form(
    "What is your name?", {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
)
DURATION: Final = 1.0


@dataclass(frozen=True)
class Greeting:
    """It works for a second on a greeting for whom the user named before there was a task."""

    name: str

    def state_at(self, elapsed: float, answers: Answers) -> TaskState:
        """Working, then completed."""
        if elapsed < DURATION:
            return Working(since=0, until=DURATION)
        content = TextContent(type="text", text=f"Hello, {self.name}!")
        return Completed(since=DURATION, result=CallToolResult(content=[content]))


async def tool_with_task(ctx: Context) -> InputRequiredResult | CreateTaskResult:
    """Ask the user for a name, then work on a greeting as a task."""
    answer = form_answer(ctx, "user_name", FORM)
    if answer is None:
        return ask("user_name", FORM.request())
    return await create_task(ctx, Greeting(str((answer.content or {}).get("name", "stranger"))))


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that has tasks."""
    yield ToolSpec(
        name="test_tool_with_task",
        fn=tool_with_task,
        requires=all_of(FORM_ELICITATION, extension_capability(EXTENSION)),
        eras=frozenset({Era.MODERN}),
    )
