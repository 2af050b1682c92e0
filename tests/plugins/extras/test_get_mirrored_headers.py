"""`extras.get-mirrored-headers`."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from everything_server import Era
from everything_server.serving.handler import create_mcp_handler
from harness import Connect
from harness.client_side import factory_with, text_of
from harness.plugins import Message
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

PLUGIN = "extras.get-mirrored-headers"
TOOL = "get-mirrored-headers"
HEADER_MISMATCH = -32020
URL = "http://127.0.0.1/mcp"


@asynccontextmanager
async def http() -> AsyncGenerator[httpx2.AsyncClient]:
    """A connection to the handler itself; what a socket would add is not the point here."""
    handler = create_mcp_handler(factory_with(PLUGIN))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(handler)) as connection:
        yield connection
    await handler.close()


async def posted(arguments: Message, headers: Message | list[tuple[str, str]]) -> tuple[int, Message]:
    """The status and the answer of a call with exactly these `Mcp-Param-…` headers."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": TOOL, "arguments": arguments, "_meta": meta},
    }
    pairs = list(headers.items()) if isinstance(headers, dict) else headers
    routing = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": TOOL,
    }
    async with http() as connection:
        response = await connection.post(URL, content=json.dumps(body), headers=[*routing.items(), *pairs])
    return response.status_code, response.json()


@pytest.mark.parametrize(
    ("arguments", "received"),
    [
        ({"region": "eu-west"}, ["eu-west", "(not sent)", "(not sent)"]),
        ({"region": "eu west", "count": 42, "urgent": True}, ["eu west", "42", "true"]),
        ({"region": "", "count": 1, "urgent": False}, ["", "1", "false"]),
        ({"region": "東京"}, ["=?base64?5p2x5Lqs?=", "(not sent)", "(not sent)"]),
        ({"region": " eu "}, ["=?base64?IGV1IA==?=", "(not sent)", "(not sent)"]),
    ],
    ids=str,
)
async def test_the_official_client_mirrors_its_arguments(arguments: Message, received: list[str]) -> None:
    async with http() as connection, Client(streamable_http_client(URL, http_client=connection)) as client:
        await client.list_tools()  # this is where it learns what to mirror
        text = text_of(await client.call_tool(TOOL, arguments))
    names = ("Mcp-Param-Region", "Mcp-Param-Count", "Mcp-Param-Urgent")
    assert text.split("\n") == [f"{name}: {value}" for name, value in zip(names, received, strict=True)]


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({"region": "eu"}, {}),
        ({"region": "eu"}, {"Mcp-Param-Region": "us"}),
        ({"region": "eu"}, {"Mcp-Param-Region": "EU"}),
        ({"region": "eu"}, {"Mcp-Param-Region": "=?base64?!?="}),
        ({"region": "eu"}, {"Mcp-Param-Region": "eu", "Mcp-Param-Count": "1"}),
        ({"region": "eu", "count": 2}, {"Mcp-Param-Region": "eu"}),
        ({"region": "eu", "count": 2}, {"Mcp-Param-Region": "eu", "Mcp-Param-Count": "3"}),
        ({"region": "eu", "urgent": True}, {"Mcp-Param-Region": "eu", "Mcp-Param-Urgent": "True"}),
        ({"region": "eu"}, [("Mcp-Param-Region", "eu"), ("Mcp-Param-Region", "eu")]),
    ],
    ids=str,
)
async def test_headers_that_do_not_agree_with_the_arguments_are_refused(arguments: Message, headers: Any) -> None:
    status, answer = await posted(arguments, headers)
    assert status == 400
    assert answer["error"]["code"] == HEADER_MISMATCH
    assert "Mcp-Param-" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({"region": "eu"}, {"mcp-param-region": "eu"}),
        ({"region": "eu"}, {"Mcp-Param-Region": "=?base64?ZXU=?="}),
        ({"region": "eu", "count": 2}, {"Mcp-Param-Region": "eu", "Mcp-Param-Count": "2.0"}),
        ({"region": "eu"}, {"Mcp-Param-Region": "eu", "Mcp-Param-Other": "is not declared"}),
    ],
    ids=str,
)
async def test_other_spellings_of_the_same_are_served(arguments: Message, headers: Message) -> None:
    status, answer = await posted(arguments, headers)
    assert status == 200
    assert not answer["result"].get("isError")
    assert "is not declared" not in answer["result"]["content"][0]["text"]


@pytest.mark.parametrize("era", [Era.MODERN], ids=str)
async def test_the_schema_says_what_to_mirror(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        [tool] = (await client.list_tools()).tools
    properties = tool.input_schema["properties"]
    assert {name: (entry["type"], entry["x-mcp-header"]) for name, entry in properties.items()} == {
        "region": ("string", "Region"),
        "count": ("integer", "Count"),
        "urgent": ("boolean", "Urgent"),
    }
    assert tool.input_schema["required"] == ["region"]


@pytest.mark.parametrize("era", [Era.MODERN], ids=str)
async def test_where_there_are_no_headers_it_says_so(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        await client.list_tools()
        assert text_of(await client.call_tool(TOOL, {"region": "eu"})) == "This transport has no headers."


@pytest.mark.parametrize("era", [Era.MODERN], ids=str)
@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({}, "region"),
        ({"region": 3}, "region"),
        ({"region": "eu", "count": 0}, "count"),
        ({"region": "eu", "count": "2"}, "count"),
        ({"region": "eu", "urgent": "true"}, "urgent"),
        ({"region": "eu", "city": "Paris"}, "city"),
    ],
    ids=str,
)
async def test_a_wrong_argument_is_refused(connect: Connect, refused: Any, arguments: Message, argument: str) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, arguments)) == [argument]


async def test_alone_it_is_all_there_is_and_only_in_the_modern_era(offer_of: Any, era: Era) -> None:
    expected = {"tools": [TOOL], "capabilities": ["tools"]} if era is Era.MODERN else {}
    assert await offer_of(PLUGIN) == expected


async def test_disabled_it_leaves_no_trace(lost_without: Any, era: Era) -> None:
    assert await lost_without(PLUGIN) == ({"tools": [TOOL]} if era is Era.MODERN else {})


async def test_disabled_or_in_the_legacy_era_it_is_an_unknown_tool(connect: Connect, era: Era) -> None:
    async with connect(disable=PLUGIN if era is Era.MODERN else "") as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}"):
            await client.call_tool(TOOL, {"region": "eu"})
