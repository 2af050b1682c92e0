"""`calculator.stats`."""

from typing import Any

import pytest
from everything_server import Era
from harness import Connect, connector
from mcp.shared.exceptions import MCPError

PLUGIN = "calculator.stats"
URI = "calculator://stats"
WITH_TOOLS = f"{PLUGIN},calculator.calculate,calculator.advanced"


async def test_it_counts_what_was_calculated(connect: Connect, era: Era, read_json: Any) -> None:
    async with connect(WITH_TOOLS) as client:
        handle: dict[str, Any] = {}
        for op in ("add", "add", "divide"):
            result = await client.call_tool("calculate", {"op": op, "a": 1, "b": 2, **handle})
            handle = {k: v for k, v in (result.structured_content or {}).items() if k == "historyHandle"}
        await client.call_tool("advanced_calculate", {"expression": "1 + 1", **handle})
        uri = f"{URI}?historyHandle={handle['historyHandle']}" if era is Era.MODERN else URI
        stats = await read_json(client, uri)
    assert (stats["calculations"], stats["kept"], stats["mostKept"]) == (4, 4, 100)
    assert stats["byOperation"] == {"add": 2, "divide": 1, "expression": 1}
    assert stats["last"]["text"] == "1 + 1 = 2"


async def test_at_first_there_is_nothing_to_count(connect: Connect, read_json: Any) -> None:
    async with connect(PLUGIN) as client:
        stats = await read_json(client, URI)
    assert stats == {"calculations": 0, "byOperation": {}, "kept": 0, "mostKept": 100, "last": None}


async def test_modern_a_handle_that_belongs_to_nothing_is_not_found() -> None:
    async with connector(Era.MODERN)(PLUGIN) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(f"{URI}?historyHandle=unknown")
    assert refusal.value.code == -32602


def expected(era: Era) -> dict[str, list[str]]:
    templates = {"templates": [f"{URI}{{?historyHandle}}"]} if era is Era.MODERN else {}
    return {"resources": [URI], **templates}


async def test_alone_it_is_all_there_is(offer_of: Any, era: Era) -> None:
    assert await offer_of(PLUGIN) == {**expected(era), "capabilities": ["resources"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any, era: Era) -> None:
    assert await lost_without(PLUGIN, among="calculator") == expected(era)
