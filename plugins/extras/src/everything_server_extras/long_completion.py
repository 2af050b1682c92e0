"""`long-completion-prompt`: an argument with more matches than one answer to a completion may hold."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final

from everything_server import InvalidArgumentError, PromptSpec, hookimpl
from pydantic import Field

ITEMS: Final = tuple(f"item-{number:03}" for number in range(1, 251))
"""250 in all, of which `item-1` begins exactly 100, the most that an answer may hold, and `item-0` 99."""


async def long_completion_prompt(
    item: Annotated[str, Field(description=f"{ITEMS[0]} to {ITEMS[-1]}")],
) -> str:
    """A prompt whose argument has 250 possible values, all of which completion knows."""
    if item not in ITEMS:
        raise InvalidArgumentError("item", f"must be one of {ITEMS[0]} to {ITEMS[-1]}")
    return f"Please tell me about {item}."


def complete_item(value: str, settled: Mapping[str, str]) -> list[str]:
    """The items that begin with what was typed."""
    return [item for item in ITEMS if item.startswith(value)]


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(
        name="long-completion-prompt",
        title="Long Completion Prompt",
        fn=long_completion_prompt,
        completions={"item": complete_item},
    )
