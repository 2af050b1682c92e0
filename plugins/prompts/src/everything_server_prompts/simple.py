"""`simple-prompt`: one message, no arguments."""

from collections.abc import Iterator

from everything_server import PromptSpec, hookimpl


async def simple_prompt() -> str:
    """A prompt without arguments."""
    return "This is a simple prompt without arguments."


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(name="simple-prompt", title="Simple Prompt", fn=simple_prompt)
