"""`trigger-elicitation-request`: a form with every kind of field that elicitation knows."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from everything_server import FORM_ELICITATION, Context, Form, ToolSpec, ask, form_answer, hookimpl
from everything_server.content.numbers import number_text
from mcp_types import ContentBlock, InputRequiredResult, TextContent, ToolAnnotations

HEROES: Final = {"hero-1": "Superman", "hero-2": "Green Lantern", "hero-3": "Wonder Woman"}
FISH: Final = {"fish-1": "Tuna", "fish-2": "Salmon", "fish-3": "Trout"}
PETS: Final = {"pet-1": "Cats", "pet-2": "Dogs", "pet-3": "Birds", "pet-4": "Fish", "pet-5": "Reptiles"}


def _titled(choices: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"const": value, "title": title} for value, title in choices.items()]


FORM: Final = Form(
    "Please fill in this form; only the name is required.",
    {
        "type": "object",
        "properties": {
            "name": {"title": "String", "type": "string", "description": "Your name"},
            "check": {"title": "Boolean", "type": "boolean", "description": "Agree to the terms"},
            "firstLine": {
                "title": "String with default",
                "type": "string",
                "description": "The first line of a story",
                "default": "It was a dark and stormy night.",
            },
            "email": {
                "title": "String with email format",
                "type": "string",
                "format": "email",
                "description": "Your e-mail address; it is not used and not kept",
            },
            "homepage": {
                "title": "String with uri format",
                "type": "string",
                "format": "uri",
                "description": "The address of your home page",
            },
            "birthdate": {
                "title": "String with date format",
                "type": "string",
                "format": "date",
                "description": "Your date of birth",
            },
            "integer": {
                "title": "Integer",
                "type": "integer",
                "description": "Your favourite integer, from 1 to 100",
                "minimum": 1,
                "maximum": 100,
                "default": 42,
            },
            "number": {
                "title": "Number in range 1-1000",
                "type": "number",
                "description": "Your favourite number, up to 1000",
                "minimum": 0,
                "maximum": 1000,
                "default": 3.14,
            },
            "untitledSingleSelectEnum": {
                "type": "string",
                "title": "Untitled Single Select Enum",
                "description": "Choose your favourite friend",
                "enum": ["Monica", "Rachel", "Joey", "Chandler", "Ross", "Phoebe"],
                "default": "Monica",
            },
            "untitledMultipleSelectEnum": {
                "type": "array",
                "title": "Untitled Multiple Select Enum",
                "description": "Choose up to three instruments",
                "minItems": 1,
                "maxItems": 3,
                "items": {"type": "string", "enum": ["Guitar", "Piano", "Violin", "Drums", "Bass"]},
                "default": ["Guitar"],
            },
            "titledSingleSelectEnum": {
                "type": "string",
                "title": "Titled Single Select Enum",
                "description": "Choose your favourite hero",
                "oneOf": _titled(HEROES),
                "default": "hero-1",
            },
            "titledMultipleSelectEnum": {
                "type": "array",
                "title": "Titled Multiple Select Enum",
                "description": "Choose up to three kinds of fish",
                "minItems": 1,
                "maxItems": 3,
                "items": {"anyOf": _titled(FISH)},
                "default": ["fish-1"],
            },
            "legacyTitledEnum": {
                "type": "string",
                "title": "Legacy Titled Single Select Enum",
                "description": "Choose your favourite kind of pet",
                "enum": list(PETS),
                "enumNames": list(PETS.values()),
                "default": "pet-1",
            },
        },
        "required": ["name"],
    },
)

_LABELS: Final[dict[str, tuple[str, Callable[[Any], str]]]] = {
    "name": ("Name", str),
    "check": ("Agreed to terms", lambda value: "true" if value else "false"),
    "firstLine": ("First line", str),
    "email": ("Email", str),
    "homepage": ("Homepage", str),
    "birthdate": ("Birthdate", str),
    "integer": ("Favorite Integer", number_text),
    "number": ("Favorite Number", number_text),
    "untitledSingleSelectEnum": ("Friend", str),
    "untitledMultipleSelectEnum": ("Instruments", ", ".join),
    "titledSingleSelectEnum": ("Hero", lambda value: HEROES[value]),
    "titledMultipleSelectEnum": ("Fish", lambda value: ", ".join(FISH[fish] for fish in value)),
    "legacyTitledEnum": ("Pet", lambda value: PETS[value]),
}


async def trigger_elicitation_request(ctx: Context) -> list[ContentBlock] | InputRequiredResult:
    """Ask the user to fill in a form with every kind of field, and show what was filled in."""
    answer = form_answer(ctx, "profile", FORM)
    if answer is None:
        return ask("profile", FORM.request())
    raw = _text(f"Raw answer: {answer.model_dump_json(by_alias=True, exclude_none=True, indent=2)}")
    if answer.action == "decline":
        return [_text("The user declined to fill in the form."), raw]
    if answer.action == "cancel":
        return [_text("The user cancelled the form."), raw]
    content = answer.content or {}
    lines = [f"- {label}: {show(content[field])}" for field, (label, show) in _LABELS.items() if field in content]
    return [_text("The user filled in the form."), _text("The answers:\n" + "\n".join(lines)), raw]


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="trigger-elicitation-request",
        title="Trigger Elicitation Request Tool",
        fn=trigger_elicitation_request,
        requires=FORM_ELICITATION,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
    )
