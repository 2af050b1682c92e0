"""`tools.get-structured-content`."""

import json
from typing import Any

import pytest
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

TOOL = "get-structured-content"

WEATHER = {
    "New York": {"temperature": 33, "conditions": "Cloudy", "humidity": 82},
    "Chicago": {"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82},
    "Los Angeles": {"temperature": 73, "conditions": "Sunny / Clear", "humidity": 48},
}


@pytest.mark.parametrize("city", WEATHER)
async def test_the_weather_comes_as_an_object_and_as_its_json(connect: Connect, city: str) -> None:
    async with connect("tools.get-structured-content") as client:
        result = await client.call_tool(TOOL, {"location": city})
    assert not result.is_error
    assert result.structured_content == WEATHER[city]
    text = json.dumps(WEATHER[city], separators=(",", ":"))
    assert result.content == [TextContent(type="text", text=text)]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"location": "Paris"}, ["location"]),
        ({"location": "chicago"}, ["location"]),
        ({"location": ["Chicago"]}, ["location"]),
        ({"city": "Chicago"}, ["city", "location"]),
        ({}, ["location"]),
        (None, ["location"]),
    ],
    ids=str,
)
async def test_a_place_without_weather_is_refused(
    connect: Connect, refused: Any, arguments: dict[str, Any] | None, names: list[str]
) -> None:
    async with connect("tools.get-structured-content") as client:
        await client.list_tools()  # so that the client knows the output schema, which an error need not fit
        result = await client.call_tool(TOOL, arguments)
    assert refused(result) == names


async def test_both_schemas_are_published(connect: Connect) -> None:
    async with connect("tools.get-structured-content") as client:
        [tool] = (await client.list_tools()).tools
    assert tool.title == "Get Structured Content Tool"
    assert tool.input_schema["properties"]["location"]["enum"] == list(WEATHER)
    assert tool.input_schema["required"] == ["location"]
    assert tool.output_schema is not None
    assert tool.output_schema["type"] == "object"
    assert {name: schema["type"] for name, schema in tool.output_schema["properties"].items()} == {
        "temperature": "number",
        "conditions": "string",
        "humidity": "number",
    }
    assert sorted(tool.output_schema["required"]) == ["conditions", "humidity", "temperature"]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of("tools.get-structured-content") == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without("tools.get-structured-content") == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable="tools.get-structured-content") as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL, {"location": "Chicago"})
    assert refusal.value.code == -32602
