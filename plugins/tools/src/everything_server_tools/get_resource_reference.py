"""`get-resource-reference`: a resource embedded in the result."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import Context, ToolSpec, hookimpl
from everything_server.content.dynamic_resources import Kind, dynamic_content
from mcp_types import ContentBlock, EmbeddedResource, TextContent, ToolAnnotations
from pydantic import Field


async def get_resource_reference(
    ctx: Context,
    resourceType: Annotated[Kind, Field(description="Whether it holds text or binary data")] = "Text",
    resourceId: Annotated[int, Field(ge=1, description="Its number")] = 1,
) -> list[ContentBlock]:
    """Get a dynamic resource, embedded whole between two texts."""
    resource = dynamic_content(resourceType, str(resourceId), ctx.server.clock)
    return [
        TextContent(type="text", text=f"Here is the resource with the number {resourceId}:"),
        EmbeddedResource(type="resource", resource=resource),
        TextContent(type="text", text=f"It can be read again at {resource.uri}"),
    ]


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-resource-reference",
        title="Get Resource Reference Tool",
        fn=get_resource_reference,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
