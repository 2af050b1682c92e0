"""`calculator.explain-formula`."""

from typing import Any

from harness import Connect
from harness.client_side import text_of

PLUGIN = "calculator.explain-formula"
TOOL = "explain_formula"


async def test_the_clients_model_explains_it(connect: Connect, model: Any) -> None:
    async with connect(PLUGIN, sampling_callback=model) as client:
        assert text_of(await client.call_tool(TOOL, {"formula": "E = m * c^2"})) == "forty-two"
    assert model.question == "Explain this formula: E = m * c^2"


async def test_without_a_model_the_calculator_shows_how_numbers_are_worked_out(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        text = text_of(await client.call_tool(TOOL, {"formula": "2 * (3 + 4) ^ 2"}))
    assert text.splitlines() == [
        "2 * (3 + 4) ^ 2 is worked out like this:",
        "1. 3 + 4 = 7",
        "2. 7 ^ 2 = 49",
        "3. 2 * 49 = 98",
        "So it comes to 98.",
    ]


async def test_without_a_model_a_formula_that_has_no_result_says_why(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        text = text_of(await client.call_tool(TOOL, {"formula": "1 / 0"}))
    assert text == "1 / 0 cannot be worked out: 1 / 0 has no result: division by zero"


async def test_without_a_model_a_formula_in_letters_is_beyond_it_and_it_says_so(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        text = text_of(await client.call_tool(TOOL, {"formula": "a^2 + b^2 = c^2"}))
    assert text.startswith("This client has no model to ask")


async def test_a_formula_is_required(connect: Connect, refused: Any) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, {})) == ["formula"]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, among="calculator") == {"tools": [TOOL]}
