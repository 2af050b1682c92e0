"""`args-prompt`: a required and an optional argument."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import PromptSpec, hookimpl
from pydantic import Field


async def args_prompt(
    city: Annotated[str, Field(description="Name of the city")],
    state: Annotated[str, Field(description="Name of the state")] = "",
) -> str:
    """A prompt with two arguments, of which one may be left out."""
    place = f"{city}, {state}" if state else city
    return f"What's weather in {place}?"


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(name="args-prompt", title="Arguments Prompt", fn=args_prompt)
