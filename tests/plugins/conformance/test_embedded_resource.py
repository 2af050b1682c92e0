"""`conformance.embedded-resource`."""

from harness import Connect
from mcp_types import EmbeddedResource, TextResourceContents


async def test_it_gives_a_resource_with_its_contents(connect: Connect) -> None:
    async with connect("conformance.embedded-resource") as client:
        [content] = (await client.call_tool("test_embedded_resource")).content
    assert isinstance(content, EmbeddedResource)
    assert content.resource == TextResourceContents(
        uri="test://embedded-resource", mime_type="text/plain", text="This is an embedded resource content."
    )
