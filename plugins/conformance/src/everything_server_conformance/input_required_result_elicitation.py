"""`test_input_required_result_elicitation`, for `input-required-result-basic-elicitation` and five more scenarios."""

from collections.abc import Iterator
from typing import Final

from everything_server import FORM_ELICITATION, Context, Era, Form, ToolSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult

FORM: Final = Form(
    "What is your name?", {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
)


async def input_required_result_elicitation(ctx: Context) -> str | InputRequiredResult:
    """Ask the user for a name, and greet."""
    answer = form_answer(ctx, "user_name", FORM)
    if answer is None:
        return ask("user_name", FORM.request())
    name = (answer.content or {}).get("name", "stranger")
    return f"Hello, {name}!"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that asks by results."""
    yield ToolSpec(
        name="test_input_required_result_elicitation",
        fn=input_required_result_elicitation,
        requires=FORM_ELICITATION,
        eras=frozenset({Era.MODERN}),
    )
