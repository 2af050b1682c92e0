"""`calculator_assistant`: asks the user what to calculate, and calculates it."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, cast

from everything_server import FORM_ELICITATION, Context, Form, ToolSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult, ToolAnnotations
from pydantic import Field

from everything_server_calculator.common.answers import ask_model, can_sample
from everything_server_calculator.common.histories import HistoryHandle, check_handle, remember
from everything_server_calculator.common.numbers import DEFAULT_PLACES, MOST_PLACES
from everything_server_calculator.common.operations import SIGNS, OperationName, calculated

TASK: Final = "You help people to calculate. Ask for what is missing; give the result and how it is reached."

UNABLE: Final = (
    "This client can ask neither its user nor a model, so there is nobody to assist. "
    "Call calculate with an operation and its numbers."
)

SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "op": {"type": "string", "title": "Operation", "enum": list(SIGNS)},
        "a": {"type": "number", "title": "First number"},
        "b": {"type": "number", "title": "Second number", "description": "A square root does without"},
        "precision": {
            "type": "integer",
            "title": "Decimal places",
            "minimum": 0,
            "maximum": MOST_PLACES,
            "default": DEFAULT_PLACES,
        },
    },
    "required": ["op", "a"],
}


async def calculator_assistant(
    ctx: Context,
    request: Annotated[str, Field(max_length=2000, description="What help is wanted with")] = "",
    historyHandle: HistoryHandle = None,
) -> str | InputRequiredResult:
    """Help with a calculation: have the user fill in a form and work it out; where there is none, ask the model."""
    check_handle(ctx, historyHandle)
    if ctx.client_can(FORM_ELICITATION):
        return _by_form(ctx, request, historyHandle)
    if can_sample(ctx):
        return ask_model(ctx, TASK, request or "I want to calculate something.")
    return UNABLE


def _by_form(ctx: Context, request: str, handle: str | None) -> str | InputRequiredResult:
    form = Form(f"What shall be calculated?{request and f' ({request})'}", SCHEMA)
    answer = form_answer(ctx, "calculation", form)
    if answer is None:
        return ask("calculation", form.request())
    if answer.action != "accept":
        return "The user wants nothing calculated."
    content: dict[str, Any] = dict(answer.content or {})
    b, precision = content.get("b"), int(content.get("precision", DEFAULT_PLACES))
    operation = cast("OperationName", content["op"])  # the form allows no other
    outcome = calculated(operation, float(content["a"]), None if b is None else float(b), precision)
    _, handle = remember(ctx, [outcome], handle)
    return outcome.text if handle is None else f"{outcome.text}\n(historyHandle: {handle})"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for all clients: what a client lacks it is told in words."""
    yield ToolSpec(
        name="calculator_assistant",
        title="Calculator Assistant",
        fn=calculator_assistant,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
        ),
    )
