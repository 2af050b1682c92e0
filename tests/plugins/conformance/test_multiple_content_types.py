"""`conformance.multiple-content-types`."""

import json

from harness import Connect
from mcp_types import EmbeddedResource, ImageContent, TextContent, TextResourceContents


async def test_it_gives_a_text_an_image_and_a_resource(connect: Connect) -> None:
    async with connect("conformance.multiple-content-types") as client:
        text, image, embedded = (await client.call_tool("test_multiple_content_types")).content
    assert text == TextContent(type="text", text="Multiple content types test:")
    assert isinstance(image, ImageContent)
    assert isinstance(embedded, EmbeddedResource)
    assert isinstance(embedded.resource, TextResourceContents)
    assert embedded.resource.mime_type == "application/json"
    assert json.loads(embedded.resource.text) == {"test": "data", "value": 123}
