"""`tools.get-structured-content-list`."""

import json
from typing import Any

import pytest
from everything_server import Era
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

TOOL = "get-structured-content-list"

TODAY = {
    "New York": {"temperature": 33, "conditions": "Cloudy", "humidity": 82},
    "Chicago": {"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82},
    "Los Angeles": {"temperature": 73, "conditions": "Sunny / Clear", "humidity": 48},
}


def _forecast(city: str, days: int) -> list[dict[str, Any]]:
    today = TODAY[city]
    return [
        {
            "day": day + 1,
            "temperature": today["temperature"] + day,
            "conditions": today["conditions"],
            "humidity": today["humidity"] - 2 * day,
        }
        for day in range(days)
    ]


@pytest.mark.parametrize("city", TODAY)
@pytest.mark.parametrize(
    ("arguments", "days"), [({}, 3), ({"days": 1}, 1), ({"days": 5}, 5), ({"days": 2.0}, 2)], ids=str
)
async def test_the_forecast_is_a_list_as_far_as_the_era_knows_lists(
    connect: Connect, era: Era, city: str, arguments: dict[str, Any], days: int
) -> None:
    async with connect("tools.get-structured-content-list") as client:
        result = await client.call_tool(TOOL, {"location": city, **arguments})
    natural = _forecast(city, days)
    assert not result.is_error
    assert result.structured_content == ({"result": natural} if era is Era.LEGACY else natural)
    text = json.dumps(natural, separators=(",", ":"))  # without any wrapping
    assert result.content == [TextContent(type="text", text=text)]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"location": "Chicago", "days": 0}, ["days"]),
        ({"location": "Chicago", "days": -1}, ["days"]),
        ({"location": "Chicago", "days": 6}, ["days"]),
        ({"location": "Chicago", "days": 1.5}, ["days"]),
        ({"location": "Chicago", "days": "2"}, ["days"]),
        ({"location": "Chicago", "days": None}, ["days"]),
        ({"location": "Paris"}, ["location"]),
        ({"days": 2}, ["location"]),
        ({"location": "Chicago", "hours": 2}, ["hours"]),
    ],
    ids=str,
)
async def test_what_the_schema_does_not_allow_is_refused(
    connect: Connect, refused: Any, arguments: dict[str, Any], names: list[str]
) -> None:
    async with connect("tools.get-structured-content-list") as client:
        result = await client.call_tool(TOOL, arguments)
    assert refused(result) == names


async def test_the_output_schema_is_that_of_the_structured_content(connect: Connect, era: Era) -> None:
    async with connect("tools.get-structured-content-list") as client:
        [tool] = (await client.list_tools()).tools
    schema = tool.output_schema
    assert schema is not None
    definitions = schema["$defs"]
    if era is Era.LEGACY:
        assert (schema["type"], schema["required"]) == ("object", ["result"])
        schema = schema["properties"]["result"]
    assert schema["type"] == "array"
    day = definitions[schema["items"]["$ref"].removeprefix("#/$defs/")]
    assert {name: member["type"] for name, member in day["properties"].items()} == {
        "day": "integer",
        "temperature": "number",
        "conditions": "string",
        "humidity": "number",
    }
    assert sorted(day["required"]) == ["conditions", "day", "humidity", "temperature"]


async def test_the_input_schema_states_places_limits_and_default(connect: Connect) -> None:
    async with connect("tools.get-structured-content-list") as client:
        [tool] = (await client.list_tools()).tools
    assert tool.title == "Get Structured Content List Tool"
    properties = tool.input_schema["properties"]
    assert properties["location"]["enum"] == list(TODAY)
    days = properties["days"]
    assert (days["type"], days["minimum"], days["maximum"], days["default"]) == ("integer", 1, 5, 3)
    assert tool.input_schema["required"] == ["location"]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of("tools.get-structured-content-list") == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without("tools.get-structured-content-list") == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable="tools.get-structured-content-list") as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL, {"location": "Chicago"})
    assert refusal.value.code == -32602
