"""`test_elicitation_sep1034_defaults`, for the scenario `elicitation-sep1034-defaults`."""

import json
from collections.abc import Iterator
from typing import Final

from everything_server import FORM_ELICITATION, Context, Form, ToolSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult

FORM: Final = Form(
    "Please review and update the form fields with defaults",
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "User name", "default": "John Doe"},
            "age": {"type": "integer", "description": "User age", "default": 30},
            "score": {"type": "number", "description": "User score", "default": 95.5},
            "status": {
                "type": "string",
                "description": "User status",
                "enum": ["active", "inactive", "pending"],
                "default": "active",
            },
            "verified": {"type": "boolean", "description": "Verification status", "default": True},
        },
    },
)


async def elicitation_sep1034_defaults(ctx: Context) -> str | InputRequiredResult:
    """Show the user a form with a default for every primitive type (SEP-1034)."""
    answer = form_answer(ctx, "form", FORM)
    if answer is None:
        return ask("form", FORM.request())
    return f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content or {})}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="test_elicitation_sep1034_defaults", fn=elicitation_sep1034_defaults, requires=FORM_ELICITATION)
