"""`test_input_required_result_tampered_state`, for the scenario `input-required-result-tampered-state`."""

from collections.abc import Iterator
from typing import Final

from everything_server import FORM_ELICITATION, Context, Era, Form, ToolSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult

FORM: Final = Form("Please confirm", {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]})


async def input_required_result_tampered_state(ctx: Context) -> str | InputRequiredResult:
    """Ask for confirmation; the answer counts only with the state as it was sent.

    Every state is sealed by the server, so one that was changed is refused before it gets here.
    """
    answer = form_answer(ctx, "confirm", FORM)
    if answer is None or ctx.request_state is None:
        return ask("confirm", FORM.request(), "asked for confirmation")
    return f"The state is unchanged, and the user chose: {answer.action}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that asks by results."""
    yield ToolSpec(
        name="test_input_required_result_tampered_state",
        fn=input_required_result_tampered_state,
        requires=FORM_ELICITATION,
        eras=frozenset({Era.MODERN}),
    )
