"""`get-tiny-image`: an image between two texts."""

from collections.abc import Iterator

from everything_server import ToolSpec, hookimpl
from everything_server.content.tiny_image import tiny_image
from mcp_types import ContentBlock, TextContent, ToolAnnotations


async def get_tiny_image() -> list[ContentBlock]:
    """Get a tiny PNG image, with a text before and after it."""
    return [
        TextContent(type="text", text="Here is a tiny image:"),
        tiny_image(),
        TextContent(type="text", text="It shows four coloured quarters under a white ring."),
    ]


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-tiny-image",
        title="Get Tiny Image Tool",
        fn=get_tiny_image,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
