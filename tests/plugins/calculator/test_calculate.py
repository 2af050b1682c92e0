"""`calculator.calculate`."""

from typing import Any

import pytest
from everything_server import Era
from harness import Connect, connector
from harness.client_side import problem_in, raw_client, text_of
from harness.plugins import Message
from mcp.client import Client
from mcp_types import CallToolResult

PLUGIN = "calculator.calculate"
TOOL = "calculate"


async def calculate(client: Client, op: str, a: float, b: float | None = None, **others: Any) -> CallToolResult:
    numbers = {"a": a} if b is None else {"a": a, "b": b}
    return await client.call_tool(TOOL, {"op": op, **numbers, **others})


EQUATIONS = {
    ("add", 2, 3): "2 + 3 = 5",
    ("add", 0.1, 0.2): "0.1 + 0.2 = 0.3",
    ("add", -2, -3): "-2 + (-3) = -5",
    ("subtract", 2, 3): "2 - 3 = -1",
    ("subtract", 5, 5): "5 - 5 = 0",
    ("multiply", 7, 6): "7 × 6 = 42",
    ("multiply", -1, 0): "-1 × 0 = 0",
    ("multiply", 1e200, 1e100): "1e+200 × 1e+100 = 1e+300",
    ("divide", 10, 4): "10 ÷ 4 = 2.5",
    ("divide", 10, 3): "10 ÷ 3 = 3.33",
    ("divide", 2.675, 1): "2.675 ÷ 1 = 2.68",
    ("power", 2, 10): "2 ^ 10 = 1024",
    ("power", -2, 3): "(-2) ^ 3 = -8",
    ("power", 2, -1): "2 ^ (-1) = 0.5",
    ("power", 0, 0): "0 ^ 0 = 1",
    ("sqrt", 9, None): "√9 = 3",
    ("sqrt", 2, None): "√2 = 1.41",
    ("sqrt", 0, None): "√0 = 0",
    ("sqrt", 9, 5): "√9 = 3",
}


async def test_the_answer_is_the_whole_equation(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        assert {numbers: text_of(await calculate(client, *numbers)) for numbers in EQUATIONS} == EQUATIONS


@pytest.mark.parametrize(
    ("precision", "value", "text"),
    [
        (0, 1, "2 ÷ 3 = 1"),
        (1, 0.7, "2 ÷ 3 = 0.7"),
        (4, 0.6667, "2 ÷ 3 = 0.6667"),
        (15, 0.666666666666667, "2 ÷ 3 = 0.666666666666667"),
    ],
)
async def test_the_value_is_rounded_and_the_result_is_not(
    connect: Connect, precision: int, value: float, text: str
) -> None:
    async with connect(PLUGIN) as client:
        result = await calculate(client, "divide", 2, 3, precision=precision)
    assert text_of(result) == text
    assert result.structured_content is not None
    assert result.structured_content["value"] == value
    assert result.structured_content["result"] == 2 / 3
    assert result.structured_content["precision"] == precision


async def test_the_structured_content_says_what_was_calculated_and_under_which_id(connect: Connect, era: Era) -> None:
    async with connect(PLUGIN) as client:
        result = await calculate(client, "multiply", 7, 6)
    content = dict(result.structured_content or {})
    handle = content.pop("historyHandle", None)
    assert content == {
        "operation": "multiply",
        "expression": "7 × 6",
        "result": 42,
        "value": 42,
        "precision": 2,
        "calculationId": "calc-1",
    }
    assert (handle is None) == (era is Era.LEGACY)  # a session needs no handle


NO_RESULTS = {
    ("divide", 1, 0): "1 ÷ 0 has no result: division by zero",
    ("divide", 0, 0): "0 ÷ 0 has no result: division by zero",
    ("sqrt", -4, None): "√(-4) has no real result: the square root of a negative number is not a real one",
    ("power", -8, 0.5): "(-8) ^ 0.5 has no real result: a negative number to a fractional power is not a real one",
    ("power", 0, -1): "0 ^ (-1) has no real result: zero to a negative power is a division by zero",
    ("power", 10, 400): "10 ^ 400 is too large: the calculator's numbers end at about 1.8e308",
    ("power", 1e300, 1e300): "1e+300 ^ 1e+300 is too large: the calculator's numbers end at about 1.8e308",
    ("multiply", 1e200, 1e200): "1e+200 × 1e+200 is too large: the calculator's numbers end at about 1.8e308",
    ("add", 1.7e308, 1.7e308): "1.7e+308 + 1.7e+308 is too large: the calculator's numbers end at about 1.8e308",
}


async def test_what_has_no_result_is_an_error_that_says_why(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        assert {numbers: problem_in(await calculate(client, *numbers)) for numbers in NO_RESULTS} == NO_RESULTS


@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "divide", "power"])
async def test_the_second_number_is_required_but_for_roots(connect: Connect, refused: Any, op: str) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await calculate(client, op, 1)) == ["b"]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({}, ["a", "op"]),
        ({"op": "modulo", "a": 1, "b": 2}, ["op"]),
        ({"op": "add", "a": "1", "b": 2}, ["a"]),
        ({"op": "add", "a": True, "b": 2}, ["a"]),
        ({"op": "add", "a": 10**400, "b": 2}, ["a"]),
        ({"op": "add", "a": 1, "b": 2, "precision": 16}, ["precision"]),
        ({"op": "add", "a": 1, "b": 2, "precision": -1}, ["precision"]),
        ({"op": "add", "a": 1, "b": 2, "precision": 1.5}, ["precision"]),
        ({"op": "add", "a": 1, "b": 2, "c": 3}, ["c"]),
        ({"op": "add", "a": 1, "b": 2, "historyHandle": "x" * 201}, ["historyHandle"]),
    ],
    ids=str,
)
async def test_arguments_that_do_not_fit_are_refused_by_name(
    era: Era, refused: Any, arguments: Any, names: Any
) -> None:
    async with raw_client(PLUGIN, era) as client:
        result = await client.request("tools/call", {"name": TOOL, "arguments": arguments})
    assert refused(CallToolResult.model_validate(result)) == names


@pytest.mark.parametrize("number", ["1e999", "-1e999", "Infinity", "NaN"])
async def test_numbers_that_are_none_end_in_an_answer(era: Era, number: str) -> None:
    async with raw_client(PLUGIN, era) as client:
        arguments = f'{{"op": "add", "a": {number}, "b": 1}}'
        answer = await _call_with(client, arguments)
    assert "error" in answer or answer["result"]["isError"]


async def _call_with(client: Any, arguments: str) -> Message:
    """Call with arguments that are JSON text, as `json.dumps` would not write it."""
    meta = (
        ', "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", '
        '"io.modelcontextprotocol/clientCapabilities": {}}'
        if client.era is Era.MODERN
        else ""
    )
    line = (
        f'{{"jsonrpc": "2.0", "id": 77, "method": "tools/call", '
        f'"params": {{"name": "{TOOL}", "arguments": {arguments}{meta}}}}}'
    )
    await client.send_text(line)
    while True:
        answer = await client.receive()
        if answer.get("id") in (77, None):
            return answer


async def test_legacy_a_connection_counts_on_from_call_to_call() -> None:
    async with connector(Era.LEGACY)(PLUGIN) as client:
        results = [await calculate(client, "add", 1, number) for number in range(3)]
    assert [(result.structured_content or {})["calculationId"] for result in results] == ["calc-1", "calc-2", "calc-3"]


async def test_modern_a_handle_that_is_passed_back_goes_on_with_its_history() -> None:
    async with connector(Era.MODERN)(PLUGIN) as client:
        first = (await calculate(client, "add", 1, 1)).structured_content or {}
        again = await calculate(client, "add", 1, 2, historyHandle=first["historyHandle"])
        other = await calculate(client, "add", 1, 3)
    assert again.structured_content is not None
    assert again.structured_content["calculationId"] == "calc-2"
    assert again.structured_content["historyHandle"] == first["historyHandle"]
    assert other.structured_content is not None
    assert other.structured_content["calculationId"] == "calc-1"
    assert other.structured_content["historyHandle"] != first["historyHandle"]
    assert len(first["historyHandle"]) >= 32


async def test_a_handle_that_belongs_to_nothing_is_refused(connect: Connect, refused: Any) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await calculate(client, "add", 1, 1, historyHandle="no-such-handle")) == ["historyHandle"]


async def test_the_schema_of_the_output_is_published(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        [tool] = (await client.list_tools()).tools
    assert tool.output_schema is not None
    assert set(tool.output_schema["required"]) == {
        "operation",
        "expression",
        "result",
        "value",
        "precision",
        "calculationId",
    }


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, among="calculator") == {"tools": [TOOL]}
