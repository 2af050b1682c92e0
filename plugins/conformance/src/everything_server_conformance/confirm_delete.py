"""`confirm_delete`, for the scenarios `tasks-mrtr-input` and `tasks-dispatch-and-envelope`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final

from everything_server import FORM_ELICITATION, Context, Era, Form, ToolSpec, all_of, extension_capability, hookimpl
from everything_server_tasks import (
    EXTENSION,
    Answers,
    Completed,
    CreateTaskResult,
    InputRequired,
    TaskState,
    create_task,
)
from mcp_types import CallToolResult, ElicitResult, TextContent
from pydantic import Field

KEY: Final = "confirmation"


@dataclass(frozen=True)
class Deletion:
    """It waits for the user's word."""

    filename: str

    def state_at(self, elapsed: float, answers: Answers) -> TaskState:
        """The question, then the result."""
        answer = answers.get(KEY)
        if answer is None:
            return InputRequired(since=0, requests={KEY: _form(self.filename).request()})
        outcome = f"{self.filename} was {'deleted' if _confirms(answer.response) else 'kept'}; there is no such file."
        return Completed(since=answer.at, result=CallToolResult(content=[TextContent(type="text", text=outcome)]))


def _form(filename: str) -> Form:
    properties = {"confirm": {"type": "boolean", "title": "Delete it"}}
    return Form(f"Delete {filename}?", {"type": "object", "properties": properties, "required": ["confirm"]})


def _confirms(response: object) -> bool:
    return isinstance(response, ElicitResult) and (response.content or {}).get("confirm") is True


async def confirm_delete(
    ctx: Context, filename: Annotated[str, Field(description="What to delete")]
) -> CreateTaskResult:
    """Pretend to delete a file once the user has confirmed it, as a task."""
    return await create_task(ctx, Deletion(filename))


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that has tasks."""
    yield ToolSpec(
        name="confirm_delete",
        fn=confirm_delete,
        requires=all_of(FORM_ELICITATION, extension_capability(EXTENSION)),
        eras=frozenset({Era.MODERN}),
    )
