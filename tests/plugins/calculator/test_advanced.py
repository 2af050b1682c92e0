"""`calculator.advanced`."""

import math
from typing import Any

import pytest
from harness import Connect
from harness.client_side import problem_in, text_of

PLUGIN = "calculator.advanced"
TOOL = "advanced_calculate"


VALUES = {
    "42": 42,
    "1 + 2 * 3": 7,
    "(1 + 2) * 3": 9,
    "10 - 4 - 3": 3,
    "24 / 4 / 2": 3,
    "2 ^ 3 ^ 2": 512,
    "-2 ^ 2": -4,
    "(-2) ^ 2": 4,
    "2 ^ -1": 0.5,
    "--3": 3,
    "-+-+3": 3,
    "2 * -3": -6,
    "1.5e3 + .5 + 2.": 1502.5,
    "sqrt(16) + sqrt(9)": 7,
    "sin(pi / 2)": 1,
    "cos(0)": 1,
    "tan(pi / 4)": math.tan(math.pi / 4),
    "ln(e)": 1,
    "log(1000)": 3,
    "sqrt(2 * (3 + 5))": 4,
    "7 × 6 ÷ 2 − 1": 20,
    "√16 + π": 4 + math.pi,
    "√√16": 2,
    "√(9 + 16)": 5,
    "\t1\n+ 1 ": 2,
    "-0": 0,
}


async def test_an_expression_is_worked_out_as_in_mathematics(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        results = {expression: await client.call_tool(TOOL, {"expression": expression}) for expression in VALUES}
    found = {expression: (result.structured_content or {}).get("result") for expression, result in results.items()}
    assert found == pytest.approx(VALUES, rel=1e-12, abs=1e-12)


async def test_the_answer_is_the_whole_equation(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        assert text_of(await client.call_tool(TOOL, {"expression": " 2 *  (3+4) "})) == "2 * (3+4) = 14"
        result = await client.call_tool(TOOL, {"expression": "2 / 3", "precision": 4})
    assert text_of(result) == "2 / 3 = 0.6667"


NO_EXPRESSIONS = {
    "2π": "At character 2: there is 'pi' where an operator or the end should be",
    "1 +": "At character 4: it ends where a number, a name or a parenthesis should be",
    "1 + * 2": "At character 5: there is '*' where a number, a name or a parenthesis should be",
    "1 2": "At character 3: there is '2' where an operator or the end should be",
    "(1 + 2": "At character 7: it ends where a closing parenthesis should be",
    "1 + 2)": "At character 6: there is ')' where an operator or the end should be",
    "sqrt 4": "At character 6: there is '4' where the parenthesis of sqrt should be",
    "√": "At character 2: it ends where a number, a name or a parenthesis should be",
    "√" * 51 + "1": "At character 52: nested more than 50 deep",
    "sin": "At character 4: it ends where the parenthesis of sin should be",
    "foo(1)": "At character 1: 'foo' is not one of sqrt, sin, cos, tan, ln, log, pi, e",
    "__import__('os')": "At character 1: there is '_' where a number, a name or a parenthesis should be",
    "1 ** 2": "At character 4: there is '*' where a number, a name or a parenthesis should be",
    "e.real": "At character 2: there is '.' where an operator or the end should be",
    "   ": "At character 4: it ends where a number, a name or a parenthesis should be",
    "²": "At character 1: there is '²' where a number, a name or a parenthesis should be",
    "(" * 60 + "1" + ")" * 60: "At character 52: nested more than 50 deep",
    "2" + "^2" * 60: "At character 103: nested more than 50 deep",
}


async def test_what_is_no_expression_is_refused_where_it_stops_being_one(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        found = {text: problem_in(await client.call_tool(TOOL, {"expression": text})) for text in NO_EXPRESSIONS}
    heading = f"Invalid arguments for tool {TOOL}:\n- expression: "
    assert found == {text: heading + problem for text, problem in NO_EXPRESSIONS.items()}


NO_RESULTS = {
    "1 / 0": "1 / 0 has no result: division by zero",
    "1 / (2 - 2)": "1 / 0 has no result: division by zero",
    "sqrt(1 - 2)": "sqrt(-1) has no real result: sqrt is defined for no negative number",
    "ln(0)": "ln(0) has no real result: ln is defined for a positive number",
    "log(-1)": "log(-1) has no real result: log is defined for a positive number",
    "(-8) ^ 0.5": "(-8) ^ 0.5 has no real result: a negative number to a fractional power is not a real one",
    "9 ^ 9 ^ 9": "9 ^ 387420489 is too large: the calculator's numbers end at about 1.8e308",
    "1e308 * 10": "1e+308 * 10 is too large: the calculator's numbers end at about 1.8e308",
    "1e309": "The number at character 1 is too large: the calculator's numbers end at about 1.8e308",
    "9" * 999: "The number at character 1 is too large: the calculator's numbers end at about 1.8e308",
}


async def test_what_has_no_result_is_an_error_that_says_why(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        found = {text: problem_in(await client.call_tool(TOOL, {"expression": text})) for text in NO_RESULTS}
    assert found == NO_RESULTS


@pytest.mark.parametrize("expression", ["1" + "+1" * 499, "-" * 999 + "1", "(" * 50 + "1" + ")" * 50])
async def test_a_long_expression_within_the_bounds_is_worked_out(connect: Connect, expression: str) -> None:
    async with connect(PLUGIN) as client:
        assert text_of(await client.call_tool(TOOL, {"expression": expression}))


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({}, ["expression"]),
        ({"expression": ""}, ["expression"]),
        ({"expression": "1" * 1001}, ["expression"]),
        ({"expression": 1}, ["expression"]),
        ({"expression": "1", "precision": 16}, ["precision"]),
        ({"expression": "1", "historyHandle": "none"}, ["historyHandle"]),
    ],
    ids=lambda value: str(value)[:40],
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
