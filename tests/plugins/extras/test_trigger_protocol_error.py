"""`extras.trigger-protocol-error`."""

from typing import Any

import pytest
from everything_server import Era
from harness import Connect
from harness.client_side import raw_client
from mcp.shared.exceptions import MCPError

PLUGIN = "extras.trigger-protocol-error"
TOOL = "trigger-protocol-error"

each_kind = pytest.mark.parametrize(
    ("kind", "code"), [("server-defined", -32010), ("invalid-params", -32602), ("internal-error", -32603)]
)


@each_kind
async def test_the_client_raises_the_error_that_was_asked_for(connect: Connect, kind: str, code: int) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError) as refusal:
            await client.call_tool(TOOL, {"kind": kind})
    assert refusal.value.code == code
    assert refusal.value.data == {"tool": TOOL, "kind": kind}


@each_kind
async def test_it_is_an_error_on_the_wire_and_no_result(era: Era, kind: str, code: int) -> None:
    async with raw_client(PLUGIN, era) as client:
        params = {"name": TOOL, "arguments": {"kind": kind}}
        answer = await client.answer(await client.start("tools/call", params))
    assert "result" not in answer
    assert answer["error"] == {
        "code": code,
        "message": f"This error was asked for: {kind}",
        "data": {"tool": TOOL, "kind": kind},
    }


async def test_without_an_argument_the_code_is_one_that_no_specification_defines(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError) as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32010
    assert -32019 <= refusal.value.code <= -32000  # left to implementations


@pytest.mark.parametrize("kind", ["parse-error", "", None, -32010], ids=str)
async def test_another_kind_is_refused(connect: Connect, refused: Any, kind: object) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, {"kind": kind})) == ["kind"]


async def test_the_next_call_is_served_as_well(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError):
            await client.call_tool(TOOL, {"kind": "internal-error"})
        assert [tool.name for tool in (await client.list_tools()).tools] == [TOOL]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}"):
            await client.call_tool(TOOL)
