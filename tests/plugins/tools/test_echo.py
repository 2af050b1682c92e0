"""`tools.echo`."""

from harness import Connect
from mcp_types import TextContent


async def test_echo_returns_the_message_in_both_eras(connect: Connect) -> None:
    async with connect("tools.echo") as client:
        result = await client.call_tool("echo", {"message": "héllo ✓ 日本"})
    assert result.content == [TextContent(type="text", text="Echo: héllo ✓ 日本")]


async def test_a_text_that_looks_like_json_stays_a_text(connect: Connect) -> None:
    async with connect("tools.echo") as client:
        result = await client.call_tool("echo", {"message": '{"a": 1}'})
    assert result.content == [TextContent(type="text", text='Echo: {"a": 1}')]


async def test_echo_alone_is_all_there_is(connect: Connect) -> None:
    async with connect("tools.echo") as client:
        tools = await client.list_tools()
        assert client.server_capabilities.resources is None
        assert client.server_capabilities.prompts is None
    assert [tool.name for tool in tools.tools] == ["echo"]
