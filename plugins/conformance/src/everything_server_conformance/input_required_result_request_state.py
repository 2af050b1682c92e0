"""`test_input_required_result_request_state`, for the scenario `input-required-result-request-state`."""

from collections.abc import Iterator
from typing import Final

from everything_server import FORM_ELICITATION, Context, Era, Form, ToolSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult

FORM: Final = Form("Please confirm", {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]})
STATE: Final = "asked for confirmation"
"""What is remembered from the first round to the second; sealed on its way."""


async def input_required_result_request_state(ctx: Context) -> str | InputRequiredResult:
    """Ask for confirmation, and say whether the state of the first round came back with the answer."""
    answer = form_answer(ctx, "confirm", FORM)
    if answer is None or ctx.request_state != STATE:
        return ask("confirm", FORM.request(), STATE)
    return f"state-ok, and the user chose: {answer.action}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that asks by results."""
    yield ToolSpec(
        name="test_input_required_result_request_state",
        fn=input_required_result_request_state,
        requires=FORM_ELICITATION,
        eras=frozenset({Era.MODERN}),
    )
