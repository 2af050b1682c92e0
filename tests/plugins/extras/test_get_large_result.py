"""`extras.get-large-result`."""

import json
from typing import Any

import pytest
from everything_server import Era
from harness import Connect
from harness.client_side import raw_client, text_of
from mcp.shared.exceptions import MCPError

PLUGIN = "extras.get-large-result"
TOOL = "get-large-result"
MOST = 1_048_576


def _text(size: int) -> str:
    return "".join(f"{offset:015} " for offset in range(0, size, 16))[:size]


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 31, 32, 1000, 65_535, 65_537, MOST - 1, MOST], ids=str)
async def test_the_text_has_exactly_as_many_bytes(connect: Connect, size: int) -> None:
    async with connect(PLUGIN) as client:
        text = text_of(await client.call_tool(TOOL, {"size": size}))
    assert len(text.encode()) == size
    assert text == _text(size)


async def test_by_default_it_is_64_kib(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        assert text_of(await client.call_tool(TOOL)) == _text(65_536)


async def test_a_byte_of_the_text_is_a_byte_of_the_message(era: Era) -> None:
    """What stands around it depends on nothing but the number of the request."""
    async with raw_client(PLUGIN, era) as client:
        frames = {size: len(json.dumps(await client.call(TOOL, size=size))) - size for size in (0, 1, 5000, MOST)}
    assert len(set(frames.values())) == 1


@pytest.mark.parametrize("size", [-1, MOST + 1, 10**30, 1.5, "16", None, True], ids=str)
async def test_another_size_is_refused(connect: Connect, refused: Any, size: object) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, {"size": size})) == ["size"]


async def test_the_bounds_are_published(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        [tool] = (await client.list_tools()).tools
    size = tool.input_schema["properties"]["size"]
    assert (size["type"], size["minimum"], size["maximum"], size["default"]) == ("integer", 0, MOST, 65_536)


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}"):
            await client.call_tool(TOOL)
