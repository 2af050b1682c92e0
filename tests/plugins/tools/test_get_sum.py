"""`tools.get-sum`."""

from typing import Any

import anyio
import pytest
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

TOOL = "get-sum"


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        (1, 2, "The sum of 1 and 2 is 3."),
        (1.5, 2.25, "The sum of 1.5 and 2.25 is 3.75."),
        (0.1, 0.2, "The sum of 0.1 and 0.2 is 0.30000000000000004."),
        (-5, 3, "The sum of -5 and 3 is -2."),
        (100, 0.001, "The sum of 100 and 0.001 is 100.001."),
    ],
)
async def test_the_sum_is_told_in_a_sentence(connect: Connect, a: float, b: float, sentence: str) -> None:
    async with connect("tools.get-sum") as client:
        result = await client.call_tool(TOOL, {"a": a, "b": b})
    assert result.content == [TextContent(type="text", text=sentence)]
    assert not result.is_error


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        (3.0, "3"),
        (-3.0, "-3"),
        (-0.0, "0"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.25e-9, "1.25e-9"),
        (5e-324, "5e-324"),
    ],
)
async def test_a_number_with_a_fraction_or_an_exponent_reads_as_in_javascript(
    connect: Connect, number: float, printed: str
) -> None:
    async with connect("tools.get-sum") as client:
        result = await client.call_tool(TOOL, {"a": number, "b": 0})
    assert result.content == [TextContent(type="text", text=f"The sum of {printed} and 0 is {printed}.")]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (9007199254740993, 0),  # no double
        (-9223372036854775809, 9223372036854775808),  # no 64-bit integer
        (10**30 + 7, 10**30 + 8),
        (10**400, 1),  # beyond every double
    ],
)
async def test_integers_are_added_exactly(connect: Connect, a: int, b: int) -> None:
    async with connect("tools.get-sum") as client:
        result = await client.call_tool(TOOL, {"a": a, "b": b})
    assert result.content == [TextContent(type="text", text=f"The sum of {a} and {b} is {a + b}.")]


async def test_an_integer_keeps_its_digits_beside_a_fraction(connect: Connect) -> None:
    async with connect("tools.get-sum") as client:
        result = await client.call_tool(TOOL, {"a": 9007199254740993, "b": 0.5})
    text = "The sum of 9007199254740993 and 0.5 is 9007199254740992."  # which is the double nearest to the sum
    assert result.content == [TextContent(type="text", text=text)]


@pytest.mark.parametrize(
    ("a", "b"), [(1e308, 1e308), (-1e308, -1e308), (10**400, 0.5)], ids=["up", "down", "integer and fraction"]
)
async def test_a_sum_that_is_no_finite_number_is_an_error_and_no_infinity(connect: Connect, a: float, b: float) -> None:
    async with connect("tools.get-sum") as client:
        result = await client.call_tool(TOOL, {"a": a, "b": b})
        after = await client.call_tool(TOOL, {"a": 1, "b": 2})
    assert result.is_error
    [block] = result.content
    assert isinstance(block, TextContent)
    assert "no finite number" in block.text
    assert not after.is_error


async def test_an_integer_of_thousands_of_digits_gets_an_answer(connect: Connect) -> None:
    async with connect("tools.get-sum") as client:
        with anyio.fail_after(10):  # an answer without the id of the request would never reach the caller
            try:
                result = await client.call_tool(TOOL, {"a": 10**5000, "b": 1})
            except MCPError as refusal:
                assert refusal.code == -32602
            else:
                assert result.content


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"a": "1", "b": 2}, ["a"]),
        ({"a": True, "b": 2}, ["a"]),
        ({"a": None, "b": 2}, ["a"]),
        ({"a": [1], "b": {"c": 2}}, ["a", "b"]),
        ({"a": 1}, ["b"]),
        ({}, ["a", "b"]),
        (None, ["a", "b"]),
        ({"a": 1, "b": 2, "zzz": 3}, ["zzz"]),
    ],
    ids=str,
)
async def test_what_is_no_number_is_refused(
    connect: Connect, refused: Any, arguments: dict[str, Any] | None, names: list[str]
) -> None:
    async with connect("tools.get-sum") as client:
        result = await client.call_tool(TOOL, arguments)
    assert refused(result) == names


async def test_the_schema_asks_for_two_numbers(connect: Connect) -> None:
    async with connect("tools.get-sum") as client:
        [tool] = (await client.list_tools()).tools
    assert tool.title == "Get Sum Tool"
    assert tool.description
    assert {name: schema["type"] for name, schema in tool.input_schema["properties"].items()} == {
        "a": "number",
        "b": "number",
    }
    assert sorted(tool.input_schema["required"]) == ["a", "b"]
    assert tool.input_schema["additionalProperties"] is False
    assert tool.annotations is not None
    assert tool.annotations.read_only_hint


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of("tools.get-sum") == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without("tools.get-sum") == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable="tools.get-sum") as client:
        with pytest.raises(MCPError, match="Unknown tool: get-sum") as refusal:
            await client.call_tool(TOOL, {"a": 1, "b": 2})
    assert refusal.value.code == -32602
