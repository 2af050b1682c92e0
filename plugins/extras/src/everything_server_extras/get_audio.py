"""`get-audio`: a sound between two texts."""

from collections.abc import Iterator

from everything_server import ToolSpec, hookimpl
from everything_server.content.tone import tone
from mcp_types import ContentBlock, TextContent, ToolAnnotations


async def get_audio() -> list[ContentBlock]:
    """Get a short WAV sound, with a text before and after it."""
    return [
        TextContent(type="text", text="Here is a short sound:"),
        tone(),
        TextContent(type="text", text="It is a tone of 400 Hz that lasts a tenth of a second."),
    ]


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-audio",
        title="Get Audio Tool",
        fn=get_audio,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
