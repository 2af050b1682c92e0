"""`test_image_content`, for the scenario `tools-call-image`."""

from collections.abc import Iterator

from everything_server import ToolSpec, hookimpl
from everything_server.content.tiny_image import tiny_image
from mcp_types import ImageContent


async def image_content() -> ImageContent:
    """Give an image."""
    return tiny_image()


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="test_image_content", fn=image_content)
