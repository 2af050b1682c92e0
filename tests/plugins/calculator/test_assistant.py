"""`calculator.assistant`."""

from typing import Any

import pytest
from everything_server import Era
from harness import Connect, connector
from harness.client_side import CANCEL, DECLINE, User, accept, problem_in, text_of
from mcp_types import ElicitRequestFormParams, ElicitResult

PLUGIN = "calculator.assistant"
TOOL = "calculator_assistant"


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ({"op": "multiply", "a": 7, "b": 6}, "7 × 6 = 42"),
        ({"op": "divide", "a": 2, "b": 3, "precision": 4}, "2 ÷ 3 = 0.6667"),
        ({"op": "sqrt", "a": 9}, "√9 = 3"),
    ],
    ids=str,
)
async def test_the_user_fills_in_a_form_and_it_is_calculated(connect: Connect, form: Any, text: str) -> None:
    user = User(accept(**form))
    async with connect(PLUGIN, elicitation_callback=user) as client:
        answer = text_of(await client.call_tool(TOOL, {"request": "for the party"}))
    assert answer.splitlines()[0] == text
    [asked] = user.asked
    assert isinstance(asked, ElicitRequestFormParams)
    assert asked.message == "What shall be calculated? (for the party)"


@pytest.mark.parametrize("answer", [DECLINE, CANCEL], ids=["declined", "cancelled"])
async def test_a_user_who_wants_nothing_gets_nothing(connect: Connect, answer: ElicitResult) -> None:
    async with connect(PLUGIN, elicitation_callback=User(answer)) as client:
        assert text_of(await client.call_tool(TOOL)) == "The user wants nothing calculated."


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"op": "divide", "a": 1, "b": 0}, "1 ÷ 0 has no result: division by zero"),
        ({"op": "add", "a": 1}, "b: is required for add; only sqrt does without"),
    ],
    ids=str,
)
async def test_what_has_no_result_is_an_error_that_says_why(connect: Connect, form: Any, problem: str) -> None:
    async with connect(PLUGIN, elicitation_callback=User(accept(**form))) as client:
        assert problem in problem_in(await client.call_tool(TOOL))


async def test_without_forms_the_clients_model_helps(connect: Connect, model: Any) -> None:
    async with connect(PLUGIN, sampling_callback=model) as client:
        assert text_of(await client.call_tool(TOOL, {"request": "What is 7 times 6?"})) == "forty-two"
    assert model.question == "What is 7 times 6?"


async def test_a_client_with_neither_is_told_what_to_do(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        assert "Call calculate with an operation" in text_of(await client.call_tool(TOOL))


async def test_its_calculations_are_in_the_history(connect: Connect, era: Era, read_json: Any) -> None:
    user = User(accept(op="add", a=1, b=2))
    async with connect(f"{PLUGIN},calculator.history", elicitation_callback=user) as client:
        text = text_of(await client.call_tool(TOOL))
        query = f"?historyHandle={text.rpartition(': ')[2].rstrip(')')}" if era is Era.MODERN else ""
        history = await read_json(client, f"calculator://history/all{query}")
    assert [entry["text"] for entry in history["calculations"]] == ["1 + 2 = 3"]


async def test_modern_a_handle_that_belongs_to_nothing_is_refused_before_anyone_is_asked(refused: Any) -> None:
    user = User()
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=user) as client:
        assert refused(await client.call_tool(TOOL, {"historyHandle": "unknown"})) == ["historyHandle"]
    assert user.asked == []


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, among="calculator") == {"tools": [TOOL]}
