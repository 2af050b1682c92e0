"""`calculator.generate-problems`."""

from typing import Any

import pytest
from everything_server import Era
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference

PLUGIN = "calculator.generate-problems"
PROMPT = "generate-problems"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "Please make up 5 medium exercises on arithmetic, and give the solutions at the end."),
        (
            {"topic": "roots", "difficulty": "hard", "count": "1"},
            "Please make up 1 hard exercise on roots, and give the solutions at the end.",
        ),
    ],
    ids=str,
)
async def test_it_asks_for_exercises(connect: Connect, words: Any, arguments: Any, text: str) -> None:
    async with connect(PLUGIN) as client:
        assert words(await client.get_prompt(PROMPT, arguments)) == text


async def test_it_takes_up_the_five_newest_calculations(connect: Connect, era: Era, words: Any) -> None:
    async with connect(f"{PLUGIN},calculator.calculate") as client:
        handle: dict[str, Any] = {}
        for number in range(6):
            result = await client.call_tool("calculate", {"op": "add", "a": number, "b": 1, **handle})
            handle = {k: v for k, v in (result.structured_content or {}).items() if k == "historyHandle"}
        text = words(await client.get_prompt(PROMPT, handle))
    assert text.splitlines()[1] == (
        "These were calculated last; take up what they practise: 1 + 1 = 2; 2 + 1 = 3; 3 + 1 = 4; 4 + 1 = 5; 5 + 1 = 6."
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"difficulty": "insane"}, "difficulty: must be one of easy, medium, hard"),
        *(
            ({"count": count}, "count: must be a number from 1 to 50")
            for count in ("0", "51", "x", "", "²", "9" * 5000)
        ),
        ({"historyHandle": "unknown"}, "historyHandle: belongs to no history"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_arguments_that_do_not_fit_are_refused_by_name(connect: Connect, arguments: Any, problem: str) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError, match=problem) as refusal:
            await client.get_prompt(PROMPT, arguments)
    assert refusal.value.code == -32602


@pytest.mark.parametrize(
    ("argument", "typed", "values"),
    [("topic", "d", ["decimals", "division"]), ("difficulty", "e", ["easy"]), ("count", "5", ["5", "50"])],
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
