"""`test_streaming_elicitation`, for the scenario `server-stateless`."""

from collections.abc import Iterator
from typing import Final

from everything_server import FORM_ELICITATION, Context, Era, Form, ToolSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult

FORM: Final = Form(
    "What is your name?", {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
)


async def streaming_elicitation(ctx: Context) -> str | InputRequiredResult:
    """Report progress, then ask: on the stream of a call there is no place for requests to the client."""
    await ctx.report_progress(0, 1)
    answer = form_answer(ctx, "name", FORM)
    if answer is None:
        return ask("name", FORM.request())
    await ctx.report_progress(1, 1)
    return f"The user chose: {answer.action}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that asks by results."""
    yield ToolSpec(
        name="test_streaming_elicitation",
        fn=streaming_elicitation,
        requires=FORM_ELICITATION,
        eras=frozenset({Era.MODERN}),
    )
