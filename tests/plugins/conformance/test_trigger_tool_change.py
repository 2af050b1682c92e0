"""`conformance.trigger-tool-change`."""

import anyio
from everything_server import Era
from harness import connector
from harness.client_side import text_of
from harness.clock import GUARD
from mcp.client import Client
from mcp.shared.subscriptions import ToolsListChanged

TOOL = "test_trigger_tool_change"
ADDED = "test_added_tool"


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]


async def test_a_tool_comes_and_goes_and_each_change_is_announced() -> None:
    async with (
        connector(Era.MODERN)("conformance.trigger-tool-change") as client,
        client.listen(tools_list_changed=True) as changes,
    ):
        with anyio.fail_after(GUARD):
            text_of(await client.call_tool(TOOL))
            assert isinstance(await anext(aiter(changes)), ToolsListChanged)
            assert ADDED in await names(client)
            assert "added" in text_of(await client.call_tool(ADDED))
            text_of(await client.call_tool(TOOL))
            assert isinstance(await anext(aiter(changes)), ToolsListChanged)
            assert await names(client) == [TOOL]
