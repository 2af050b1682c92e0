"""`conformance.image-content`."""

import base64

from harness import Connect
from mcp_types import ImageContent


async def test_it_gives_a_png_image(connect: Connect) -> None:
    async with connect("conformance.image-content") as client:
        [content] = (await client.call_tool("test_image_content")).content
    assert isinstance(content, ImageContent)
    assert content.mime_type == "image/png"
    assert base64.b64decode(content.data).startswith(b"\x89PNG")
