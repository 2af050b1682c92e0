"""`test_embedded_resource`, for the scenario `tools-call-embedded-resource`."""

from collections.abc import Iterator

from everything_server import ToolSpec, hookimpl
from mcp_types import EmbeddedResource, TextResourceContents


async def embedded_resource() -> EmbeddedResource:
    """Give a resource, contents and all."""
    contents = TextResourceContents(
        uri="test://embedded-resource", mime_type="text/plain", text="This is an embedded resource content."
    )
    return EmbeddedResource(type="resource", resource=contents)


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="test_embedded_resource", fn=embedded_resource)
