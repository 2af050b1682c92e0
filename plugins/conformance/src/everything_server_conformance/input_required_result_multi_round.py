"""`test_input_required_result_multi_round`, for the scenario `input-required-result-multi-round`."""

from collections.abc import Iterator
from typing import Final

from everything_server import FORM_ELICITATION, Context, Era, Form, ToolSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult

NAME: Final = Form(
    "Step 1: What is your name?",
    {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
)
COLOR: Final = Form(
    "Step 2: What is your favorite color?",
    {"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]},
)

START: Final = "step1"
NAMED: Final = "step2:"
"""The state of the second round begins with this, and goes on with the name."""


async def input_required_result_multi_round(ctx: Context) -> str | InputRequiredResult:
    """Ask the user two questions, one after the other; the first answer travels in the state."""
    state = ctx.request_state or ""
    if state.startswith(NAMED):
        answer = form_answer(ctx, "step2", COLOR)
        if answer is None:
            return ask("step2", COLOR.request(), state)
        color = (answer.content or {}).get("color", "none")
        return f"{state.removeprefix(NAMED)}'s favorite color: {color}"
    answer = form_answer(ctx, "step1", NAME) if state == START else None
    if answer is None:
        return ask("step1", NAME.request(), START)
    return ask("step2", COLOR.request(), f"{NAMED}{(answer.content or {}).get('name', 'stranger')}")


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that asks by results."""
    yield ToolSpec(
        name="test_input_required_result_multi_round",
        fn=input_required_result_multi_round,
        requires=FORM_ELICITATION,
        eras=frozenset({Era.MODERN}),
    )
