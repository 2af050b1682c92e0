"""`multi_input`, for the scenario `tasks-mrtr-input`: a task that asks two things at once."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

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

_PROPERTIES: Final = {"name": {"type": "string"}, "confirm": {"type": "boolean"}}
FORMS: Final = {
    key: Form(f"Who is the {key} one?", {"type": "object", "properties": _PROPERTIES, "required": ["name"]})
    for key in ("first", "second")
}


@dataclass(frozen=True)
class TwoQuestions:
    """It waits for both answers, in whatever order they come."""

    def state_at(self, elapsed: float, answers: Answers) -> TaskState:
        """What has not been answered yet, then the result."""
        latest = max((answer.at for answer in answers.values()), default=0.0)
        if open_questions := {key: form.request() for key, form in FORMS.items() if key not in answers}:
            return InputRequired(since=latest, requests=open_questions)
        text = ", ".join(f"{key}: {_name(answers[key].response)}" for key in FORMS)
        return Completed(since=latest, result=CallToolResult(content=[TextContent(type="text", text=text)]))


def _name(response: object) -> str:
    content = response.content if isinstance(response, ElicitResult) else None
    return str((content or {}).get("name", "nobody"))


async def multi_input(ctx: Context) -> CreateTaskResult:
    """Ask the user two questions at once, as a task; they may be answered one at a time."""
    return await create_task(ctx, TwoQuestions())


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that has tasks."""
    yield ToolSpec(
        name="multi_input",
        fn=multi_input,
        requires=all_of(FORM_ELICITATION, extension_capability(EXTENSION)),
        eras=frozenset({Era.MODERN}),
    )
