"""`test_elicitation_sep1330_enums`, for the scenario `elicitation-sep1330-enums`."""

import json
from collections.abc import Iterator
from typing import Any, Final

from everything_server import FORM_ELICITATION, Context, Form, ToolSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult

UNTITLED: Final = ["option1", "option2", "option3"]


def _titled(noun: str) -> list[dict[str, str]]:
    ordinals = enumerate(("First", "Second", "Third"), 1)
    return [{"const": f"value{number}", "title": f"{ordinal} {noun}"} for number, ordinal in ordinals]


PROPERTIES: Final[dict[str, dict[str, Any]]] = {
    "untitledSingle": {"type": "string", "enum": UNTITLED},
    "titledSingle": {"type": "string", "oneOf": _titled("Option")},
    # What revisions before 2025-11-25 had for titles.
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": UNTITLED}},
    "titledMulti": {"type": "array", "items": {"anyOf": _titled("Choice")}},
}

FORM: Final = Form("Please select options from the enum fields", {"type": "object", "properties": PROPERTIES})


async def elicitation_sep1330_enums(ctx: Context) -> str | InputRequiredResult:
    """Show the user a form with all five kinds of enumeration (SEP-1330)."""
    answer = form_answer(ctx, "form", FORM)
    if answer is None:
        return ask("form", FORM.request())
    return f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content or {})}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="test_elicitation_sep1330_enums", fn=elicitation_sep1330_enums, requires=FORM_ELICITATION)
