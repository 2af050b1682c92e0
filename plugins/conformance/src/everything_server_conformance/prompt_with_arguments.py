"""`test_prompt_with_arguments`, for the scenarios `prompts-get-with-args` and `completion-complete`."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final

from everything_server import PromptSpec, hookimpl
from pydantic import Field

SUGGESTED: Final = ["paris", "park", "party", "test1", "test2"]


async def prompt_with_arguments(
    arg1: Annotated[str, Field(description="First test argument")],
    arg2: Annotated[str, Field(description="Second test argument")],
) -> str:
    """A prompt with two required arguments, of which the first can be completed."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


def complete_arg1(value: str, settled: Mapping[str, str]) -> list[str]:
    """The suggestions that begin with what was typed."""
    return [suggestion for suggestion in SUGGESTED if suggestion.startswith(value)]


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(name="test_prompt_with_arguments", fn=prompt_with_arguments, completions={"arg1": complete_arg1})
