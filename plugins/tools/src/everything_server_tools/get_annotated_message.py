"""`get-annotated-message`: content whose annotations say for whom it is and how much it matters."""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from everything_server import ToolSpec, hookimpl
from everything_server.content.tiny_image import tiny_image
from mcp_types import Annotations, ContentBlock, TextContent, ToolAnnotations
from pydantic import Field

MessageType = Literal["error", "success", "debug"]

_MESSAGES: Final[dict[MessageType, tuple[str, Annotations]]] = {
    "error": ("Error: Operation failed", Annotations(priority=1.0, audience=["user", "assistant"])),
    "success": ("Operation completed successfully", Annotations(priority=0.7, audience=["user"])),
    "debug": ("Debug: Cache hit ratio 0.95, latency 150ms", Annotations(priority=0.3, audience=["assistant"])),
}


async def get_annotated_message(
    messageType: Annotated[MessageType, Field(description="Which kind of message")],
    includeImage: Annotated[bool, Field(description="Whether to add an image for the user")] = False,
) -> list[ContentBlock]:
    """Get a message annotated with its audience and priority, which differ by its type."""
    text, annotations = _MESSAGES[messageType]
    content: list[ContentBlock] = [TextContent(type="text", text=text, annotations=annotations)]
    if includeImage:
        content.append(tiny_image(Annotations(priority=0.5, audience=["user"])))
    return content


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-annotated-message",
        title="Get Annotated Message Tool",
        fn=get_annotated_message,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
