"""`test_multiple_content_types`, for the scenario `tools-call-mixed-content`."""

from collections.abc import Iterator

from everything_server import ToolSpec, hookimpl
from everything_server.content.tiny_image import tiny_image
from mcp_types import ContentBlock, EmbeddedResource, TextContent, TextResourceContents


async def multiple_content_types() -> list[ContentBlock]:
    """Give a text, an image and a resource."""
    contents = TextResourceContents(
        uri="test://mixed-content-resource", mime_type="application/json", text='{"test":"data","value":123}'
    )
    return [
        TextContent(type="text", text="Multiple content types test:"),
        tiny_image(),
        EmbeddedResource(type="resource", resource=contents),
    ]


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="test_multiple_content_types", fn=multiple_content_types)
