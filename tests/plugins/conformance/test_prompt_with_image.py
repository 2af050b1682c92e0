"""`conformance.prompt-with-image`."""

from harness import Connect
from mcp_types import ImageContent, TextContent


async def test_it_is_an_image_and_a_text(connect: Connect) -> None:
    async with connect("conformance.prompt-with-image") as client:
        image, text = (message.content for message in (await client.get_prompt("test_prompt_with_image")).messages)
    assert isinstance(image, ImageContent)
    assert image.mime_type == "image/png"
    assert text == TextContent(type="text", text="Please analyze the image above.")
