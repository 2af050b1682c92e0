"""`elicitation-prompt`: a prompt that asks the user before it can be rendered."""

from collections.abc import Iterator
from typing import Final

from everything_server import Context, Form, PromptSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult

FORM: Final = Form(
    "What do you want to have explained?",
    {
        "type": "object",
        "properties": {
            "subject": {"type": "string", "title": "Subject", "description": "A thing or a word", "minLength": 1}
        },
        "required": ["subject"],
    },
)


async def elicitation_prompt(ctx: Context) -> str | InputRequiredResult:
    """A prompt about a subject that the user is asked for."""
    answer = form_answer(ctx, "subject", FORM)
    if answer is None:
        return ask("subject", FORM.request())
    match answer.action:
        case "accept":
            return f"Please explain in one sentence: {(answer.content or {})['subject']}"
        case "decline":
            return "The user declined to name a subject. Please explain one of your choice in one sentence."
        case "cancel":
            return "The user cancelled the question for a subject. Please ask what you can do instead."


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(name="elicitation-prompt", title="Elicitation Prompt", fn=elicitation_prompt)
