"""`test_input_required_result_prompt`, for the scenario `input-required-result-non-tool-request`."""

from collections.abc import Iterator
from typing import Final

from everything_server import Context, Era, Form, PromptSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult

FORM: Final = Form(
    "What context should the prompt use?",
    {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]},
)


async def input_required_result_prompt(ctx: Context) -> str | InputRequiredResult:
    """A prompt about what the user is asked for."""
    answer = form_answer(ctx, "user_context", FORM)
    if answer is None:
        return ask("user_context", FORM.request())
    return f"Prompt with context: {(answer.content or {}).get('context', 'none')}"


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt, for the era that asks by results."""
    yield PromptSpec(
        name="test_input_required_result_prompt", fn=input_required_result_prompt, eras=frozenset({Era.MODERN})
    )
