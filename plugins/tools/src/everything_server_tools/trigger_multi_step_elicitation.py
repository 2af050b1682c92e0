"""`trigger-multi-step-elicitation`: three questions, each built from the answers before it."""

from collections.abc import Iterator
from typing import Any, Final

from everything_server import FORM_ELICITATION, Context, Form, ToolSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult, ToolAnnotations
from pydantic import TypeAdapter

ACTIVITIES: Final = {"hike": ["forest", "mountain", "coast"], "concert": ["jazz", "rock", "classical"]}
"""What can be planned, and what there is to choose for each."""

ROUNDS: Final = ("activity", "kind", "people")

_ANSWERS: Final = TypeAdapter(dict[str, Any])


async def trigger_multi_step_elicitation(ctx: Context) -> str | InputRequiredResult:
    """Plan an outing with the user in three forms; what was answered travels in the sealed state between them."""
    answers = _ANSWERS.validate_json(ctx.request_state) if ctx.request_state else dict[str, Any]()
    while len(answers) < len(ROUNDS):
        number, field = len(answers) + 1, ROUNDS[len(answers)]
        form = _form(field, answers)
        # Without state the answers belong to nothing that was asked: start over.
        answer = form_answer(ctx, f"step{number}", form) if ctx.request_state is not None else None
        if answer is None:
            return ask(f"step{number}", form.request(), _ANSWERS.dump_json(answers).decode())
        if answer.action != "accept":
            what = "declined" if answer.action == "decline" else "cancelled"
            return f"The user {what} in round {number} of {len(ROUNDS)}."
        answers[field] = (answer.content or {})[field]
    return "The outing is planned: " + ", ".join(f"{field}: {answers[field]}" for field in ROUNDS)


def _form(field: str, answers: dict[str, Any]) -> Form:
    """The question about a field, which mentions or depends on what was answered before."""
    if field == "activity":
        message, schema = "What do you want to do?", {"type": "string", "enum": list(ACTIVITIES)}
    elif field == "kind":
        activity: str = answers["activity"]
        message, schema = f"Which kind of {activity}?", {"type": "string", "enum": ACTIVITIES[activity]}
    else:
        message = f"How many people come along to the {answers['kind']} {answers['activity']}?"
        schema = {"type": "integer", "minimum": 1, "maximum": 20}
    titled = {"title": field.capitalize(), **schema}
    return Form(message, {"type": "object", "properties": {field: titled}, "required": [field]})


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="trigger-multi-step-elicitation",
        title="Trigger Multi-Step Elicitation Tool",
        fn=trigger_multi_step_elicitation,
        requires=FORM_ELICITATION,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
    )
