"""`test_prompt_with_image`, for the scenario `prompts-get-with-image`."""

from collections.abc import Iterator

from everything_server import PromptSpec, hookimpl
from everything_server.content.tiny_image import tiny_image
from mcp_types import ContentBlock, TextContent


async def prompt_with_image() -> list[ContentBlock]:
    """A prompt with an image in it."""
    return [tiny_image(), TextContent(type="text", text="Please analyze the image above.")]


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(name="test_prompt_with_image", fn=prompt_with_image)
