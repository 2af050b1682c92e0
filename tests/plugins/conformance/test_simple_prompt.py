"""`conformance.simple-prompt`."""

from harness import Connect
from mcp_types import TextContent


async def test_it_is_one_message(connect: Connect) -> None:
    async with connect("conformance.simple-prompt") as client:
        [message] = (await client.get_prompt("test_simple_prompt")).messages
    assert message.role == "user"
    assert message.content == TextContent(type="text", text="This is a simple prompt for testing.")
