"""`extras.get-error-result`."""

from typing import Any

import pytest
from everything_server import Era
from harness import Connect
from harness.client_side import problem_in, raw_client
from mcp.shared.exceptions import MCPError

PLUGIN = "extras.get-error-result"
TOOL = "get-error-result"


async def test_the_result_says_that_it_is_an_error(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        result = await client.call_tool(TOOL)
    assert problem_in(result) == "This tool always fails. Nothing is wrong with the request or with the server."
    assert result.structured_content is None


async def test_it_is_a_result_on_the_wire_and_no_protocol_error(era: Era) -> None:
    async with raw_client(PLUGIN, era) as client:
        answer = await client.answer(await client.start("tools/call", {"name": TOOL, "arguments": {}}))
    assert "error" not in answer
    assert answer["result"]["isError"] is True
    assert answer["result"].get("resultType") == (None if era is Era.LEGACY else "complete")


async def test_the_next_call_is_served_as_well(connect: Connect) -> None:
    async with connect(f"{PLUGIN},extras.get-audio") as client:
        assert (await client.call_tool(TOOL)).is_error
        assert not (await client.call_tool("get-audio")).is_error


async def test_it_takes_no_argument(connect: Connect, refused: Any) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, {"message": "no"})) == ["message"]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
