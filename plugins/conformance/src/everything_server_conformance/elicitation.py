"""`test_elicitation`, for the scenario `tools-call-elicitation`."""

import json
from collections.abc import Iterator
from typing import Annotated, Final

from everything_server import FORM_ELICITATION, Context, Form, ToolSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult
from pydantic import Field

SCHEMA: Final = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}


async def elicitation(
    ctx: Context, message: Annotated[str, Field(description="The message to show the user")]
) -> str | InputRequiredResult:
    """Ask the user for a name and an address."""
    form = Form(message, SCHEMA)
    answer = form_answer(ctx, "user", form)
    if answer is None:
        return ask("user", form.request())
    return f"User response: action={answer.action}, content={json.dumps(answer.content or {})}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="test_elicitation", fn=elicitation, requires=FORM_ELICITATION)
