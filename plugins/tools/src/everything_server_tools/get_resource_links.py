"""`get-resource-links`: links to resources instead of their contents."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import ToolSpec, hookimpl
from everything_server.content.dynamic_resources import MIME_TYPES, Kind, dynamic_uri
from mcp_types import ContentBlock, ResourceLink, TextContent, ToolAnnotations
from pydantic import Field


async def get_resource_links(
    count: Annotated[int, Field(ge=1, le=10, description="How many links")] = 3,
) -> list[ContentBlock]:
    """Get links to resources of this server, alternately binary and text."""
    heading = TextContent(type="text", text=f"Here are {count} links to resources of this server:")
    return [heading, *(_link(number) for number in range(1, count + 1))]


def _link(number: int) -> ResourceLink:
    kind: Kind = "Blob" if number % 2 else "Text"
    content = "binary data" if kind == "Blob" else "plain text"
    return ResourceLink(
        type="resource_link",
        uri=dynamic_uri(kind, str(number)),
        name=f"{kind} Resource {number}",
        description=f"Resource {number}: {content}, made when it is read",
        mime_type=MIME_TYPES[kind],
    )


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-resource-links",
        title="Get Resource Links Tool",
        fn=get_resource_links,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
