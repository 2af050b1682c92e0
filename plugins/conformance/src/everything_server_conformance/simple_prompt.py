"""`test_simple_prompt`, for the scenario `prompts-get-simple`."""

from collections.abc import Iterator

from everything_server import PromptSpec, hookimpl


async def simple_prompt() -> str:
    """A prompt without arguments."""
    return "This is a simple prompt for testing."


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(name="test_simple_prompt", fn=simple_prompt)
