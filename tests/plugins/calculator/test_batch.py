"""`calculator.batch`."""

from typing import Any

import pytest
from everything_server import Era
from harness import Connect, connector
from harness.client_side import text_of

PLUGIN = "calculator.batch"
TOOL = "batch_calculate"


async def test_each_operation_is_answered_by_itself(connect: Connect) -> None:
    operations = [
        {"op": "add", "a": 1, "b": 2},
        {"op": "divide", "a": 1, "b": 0},
        {"op": "sqrt", "a": 2, "precision": 4},
        {"op": "power", "a": 2},
    ]
    async with connect(PLUGIN) as client:
        result = await client.call_tool(TOOL, {"operations": operations})
    assert text_of(result).splitlines() == [
        "1. 1 + 2 = 3",
        "2. Error: 1 ÷ 0 has no result: division by zero",
        "3. √2 = 1.4142",
        "4. Error: b: is required for power; only sqrt does without",
    ]
    content = result.structured_content
    assert content is not None
    assert (content["succeeded"], content["failed"]) == (2, 2)
    assert [set(answer) == {"error"} for answer in content["results"]] == [False, True, False, True]
    assert [answer.get("value") for answer in content["results"]] == [3, None, 1.4142, None]
    assert [answer.get("calculationId") for answer in content["results"]] == ["calc-1", None, "calc-2", None]


async def test_modern_one_handle_serves_all_of_them() -> None:
    async with connector(Era.MODERN)(PLUGIN) as client:
        add = {"op": "add", "a": 1, "b": 2}
        first = (await client.call_tool(TOOL, {"operations": [add, add]})).structured_content or {}
        again = await client.call_tool(TOOL, {"operations": [add], "historyHandle": first["historyHandle"]})
    assert again.structured_content is not None
    assert again.structured_content["results"][0]["calculationId"] == "calc-3"


async def test_modern_a_batch_without_any_result_begins_no_history() -> None:
    async with connector(Era.MODERN)(PLUGIN) as client:
        result = await client.call_tool(TOOL, {"operations": [{"op": "sqrt", "a": -1}]})
    assert result.structured_content is not None
    assert "historyHandle" not in result.structured_content


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({}, ["operations"]),
        ({"operations": []}, ["operations"]),
        ({"operations": [{"op": "sqrt", "a": 1}] * 101}, ["operations"]),
        ({"operations": [{"op": "modulo", "a": 1}]}, ["operations[0].op"]),
        ({"operations": [{"op": "sqrt", "a": 1}, {"op": "sqrt"}]}, ["operations[1].a"]),
        ({"operations": [{"op": "sqrt", "a": 1, "c": 1}]}, ["operations[0].c"]),
        ({"operations": [{"op": "sqrt", "a": 1}], "historyHandle": "none"}, ["historyHandle"]),
        ({"operations": [{"op": "sqrt", "a": -1}], "historyHandle": "none"}, ["historyHandle"]),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_arguments_that_do_not_fit_are_refused_by_name(
    connect: Connect, refused: Any, arguments: Any, names: list[str]
) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, arguments)) == names


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, among="calculator") == {"tools": [TOOL]}
