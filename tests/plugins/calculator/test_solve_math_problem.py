"""`calculator.solve-math-problem`."""

from typing import Any

import pytest
from harness import Connect
from harness.client_side import CANCEL, DECLINE, User, accept, problem_in, text_of
from mcp_types import ElicitRequestFormParams, ElicitResult

PLUGIN = "calculator.solve-math-problem"
TOOL = "solve_math_problem"
PROBLEM = "Anna has 3 apples and buys 4 more. How many has she?"


async def test_the_clients_model_solves_what_is_in_words(connect: Connect, model: Any) -> None:
    async with connect(PLUGIN, sampling_callback=model) as client:
        assert text_of(await client.call_tool(TOOL, {"problem": PROBLEM})) == "forty-two"
    assert model.question == PROBLEM
    assert model.asked[0].system_prompt


async def test_without_a_model_the_user_is_asked_for_the_expression(connect: Connect) -> None:
    user = User(accept(expression="3 + 4"))
    async with connect(PLUGIN, elicitation_callback=user) as client:
        assert text_of(await client.call_tool(TOOL, {"problem": PROBLEM})) == "3 + 4 = 7"
    [asked] = user.asked
    assert isinstance(asked, ElicitRequestFormParams)
    assert PROBLEM in asked.message


@pytest.mark.parametrize("answer", [DECLINE, CANCEL], ids=["declined", "cancelled"])
async def test_a_user_who_gives_no_expression_leaves_it_unsolved(connect: Connect, answer: ElicitResult) -> None:
    async with connect(PLUGIN, elicitation_callback=User(answer)) as client:
        problem = problem_in(await client.call_tool(TOOL, {"problem": PROBLEM}))
    assert problem == "The user gave no expression, so the problem is not solved"


async def test_an_expression_of_the_user_that_is_none_is_an_error(connect: Connect) -> None:
    async with connect(PLUGIN, elicitation_callback=User(accept(expression="three"))) as client:
        assert "'three' is not one of" in problem_in(await client.call_tool(TOOL, {"problem": PROBLEM}))


async def test_a_client_with_neither_is_told_what_to_do(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        text = text_of(await client.call_tool(TOOL, {"problem": PROBLEM}))
    assert text.startswith("This client can ask neither a model nor its user")
    assert "advanced_calculate" in text


async def test_what_is_an_expression_is_worked_out_without_anyone(connect: Connect, model: Any) -> None:
    async with connect(PLUGIN, sampling_callback=model) as client:
        text = text_of(await client.call_tool(TOOL, {"problem": "2 * (3 + 4)"}))
        assert problem_in(await client.call_tool(TOOL, {"problem": "1 / 0"})) == "1 / 0 has no result: division by zero"
    assert text.splitlines() == ["3 + 4 = 7", "2 * 7 = 14", "Answer: 14"]
    assert model.asked == []


@pytest.mark.parametrize("arguments", [{}, {"problem": ""}, {"problem": "x" * 4001}], ids=["none", "empty", "long"])
async def test_arguments_that_do_not_fit_are_refused(connect: Connect, refused: Any, arguments: Any) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, arguments)) == ["problem"]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, among="calculator") == {"tools": [TOOL]}
