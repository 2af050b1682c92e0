"""`demo://resource/elicited/greeting/{language}`: a resource template that asks the user before it can be read."""

from collections.abc import Iterator, Mapping
from typing import Final

from everything_server import Context, Form, ResourceNotFoundError, ResourceTemplateSpec, ask, form_answer, hookimpl
from mcp_types import InputRequiredResult

URI_TEMPLATE: Final = "demo://resource/elicited/greeting/{language}"
GREETINGS: Final = {"english": "Hello", "french": "Bonjour", "german": "Hallo", "spanish": "Hola"}

FORM: Final = Form(
    "Whom may I greet?",
    {
        "type": "object",
        "properties": {"name": {"type": "string", "title": "Name", "description": "Your name", "minLength": 1}},
        "required": ["name"],
    },
)


async def read_greeting(language: str, ctx: Context) -> str | InputRequiredResult:
    """A greeting for the user, who is asked for a name; in english, french, german or spanish."""
    greeting = GREETINGS.get(language)
    if greeting is None or URI_TEMPLATE.replace("{language}", language) != ctx.uri:
        raise ResourceNotFoundError(ctx.uri)
    answer = form_answer(ctx, "name", FORM)
    if answer is None:
        return ask("name", FORM.request())
    match answer.action:
        case "accept":
            return f"{greeting}, {(answer.content or {})['name']}!"
        case "decline":
            return f"{greeting}! (The user declined to give a name.)"
        case "cancel":
            return f"{greeting}! (The user cancelled the question for a name.)"


def complete_language(value: str, settled: Mapping[str, str]) -> list[str]:
    """The languages that begin with what was typed."""
    return [language for language in GREETINGS if language.startswith(value)]


@hookimpl
def everything_server_resources() -> Iterator[ResourceTemplateSpec]:
    """Declare the template."""
    yield ResourceTemplateSpec(
        uri_template=URI_TEMPLATE,
        name="Elicited Greeting",
        fn=read_greeting,
        completions={"language": complete_language},
    )
