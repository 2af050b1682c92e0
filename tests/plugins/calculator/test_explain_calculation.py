"""`calculator.explain-calculation`."""

from typing import Any

import pytest
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference

PLUGIN = "calculator.explain-calculation"
PROMPT = "explain-calculation"


async def test_it_gives_the_model_the_result_and_the_steps(connect: Connect, words: Any) -> None:
    async with connect(PLUGIN) as client:
        text = words(await client.get_prompt(PROMPT, {"expression": "2 * (3 + 4)"}))
    assert text.splitlines() == [
        "Please explain this calculation to a pupil who knows powers, roots and the order of operations: 2 * (3 + 4)",
        "Show each step and say why it comes next.",
        "It comes to 14.",
        "The steps are: 3 + 4 = 7; 2 * 7 = 14.",
    ]


async def test_level_and_steps_are_chosen(connect: Connect, words: Any) -> None:
    arguments = {"expression": "1 + 1", "level": "elementary", "includeSteps": "false"}
    async with connect(PLUGIN) as client:
        text = words(await client.get_prompt(PROMPT, arguments))
    assert text.splitlines() == [
        "Please explain this calculation to a child who has just learned the four operations: 1 + 1",
        "Leave out the single steps.",
        "It comes to 2.",
    ]


@pytest.mark.parametrize("expression", ["E = m * c^2", "1 / 0"])
async def test_what_the_calculator_cannot_work_out_is_left_to_the_model(
    connect: Connect, words: Any, expression: str
) -> None:
    async with connect(PLUGIN) as client:
        text = words(await client.get_prompt(PROMPT, {"expression": expression}))
    assert expression in text
    assert "It comes to" not in text


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "expression: is required"),
        ({"expression": "1", "level": "expert"}, "level: must be one of elementary, intermediate, advanced"),
        ({"expression": "1", "includeSteps": "yes"}, "includeSteps: must be one of true, false"),
    ],
    ids=str,
)
async def test_arguments_that_do_not_fit_are_refused_by_name(connect: Connect, arguments: Any, problem: str) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError, match=problem) as refusal:
            await client.get_prompt(PROMPT, arguments)
    assert refusal.value.code == -32602


@pytest.mark.parametrize(
    ("argument", "typed", "values"),
    [
        ("level", "", ["elementary", "intermediate", "advanced"]),
        ("level", "A", ["advanced"]),
        ("includeSteps", "t", ["true"]),
        ("expression", "1", []),
    ],
)
async def test_choices_are_completed(connect: Connect, argument: str, typed: str, values: list[str]) -> None:
    async with connect(PLUGIN) as client:
        reference = PromptReference(type="ref/prompt", name=PROMPT)
        result = await client.complete(reference, {"name": argument, "value": typed})
    assert result.completion.values == values


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"prompts": [PROMPT], "capabilities": ["completions", "prompts"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, among="calculator") == {"prompts": [PROMPT]}
