"""`prompts.args`."""

from typing import Any

import pytest
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import PromptMessage, PromptReference, TextContent

PLUGIN = "prompts.args"
PROMPT = "args-prompt"


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"city": "Paris"}, "Paris"),
        ({"city": "Austin", "state": "Texas"}, "Austin, Texas"),
        ({"city": "Austin", "state": ""}, "Austin"),
        ({"city": "東京"}, "東京"),
        ({"city": "5"}, "5"),
        ({"city": '["Paris"]', "state": "null"}, '["Paris"], null'),
    ],
    ids=str,
)
async def test_the_question_is_about_the_place(connect: Connect, arguments: dict[str, str], place: str) -> None:
    async with connect(PLUGIN) as client:
        result = await client.get_prompt(PROMPT, arguments)
    text = f"What's weather in {place}?"
    assert result.messages == [PromptMessage(role="user", content=TextContent(type="text", text=text))]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (None, "city: is required"),
        ({}, "city: is required"),
        ({"state": "Texas"}, "city: is required"),
        ({"city": "Paris", "country": "France"}, "country: is no argument"),
        ({"City": "Paris"}, "City: is no argument"),
    ],
    ids=str,
)
async def test_a_missing_or_undeclared_argument_is_refused_by_name(
    connect: Connect, arguments: dict[str, str] | None, problem: str
) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError, match=problem) as refusal:
            await client.get_prompt(PROMPT, arguments)
    assert refusal.value.code == -32602


async def test_the_list_tells_which_argument_is_required(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        [prompt] = (await client.list_prompts()).prompts
    assert (prompt.name, prompt.title) == (PROMPT, "Arguments Prompt")
    assert prompt.arguments is not None
    assert [(argument.name, bool(argument.required)) for argument in prompt.arguments] == [
        ("city", True),
        ("state", False),
    ]
    assert all(argument.description for argument in prompt.arguments)


async def test_its_arguments_complete_to_nothing(connect: Connect) -> None:
    async with connect(f"{PLUGIN},prompts.completable") as client:
        reference = PromptReference(type="ref/prompt", name=PROMPT)
        result = await client.complete(reference, {"name": "city", "value": "P"})
    assert (result.completion.values, result.completion.has_more) == ([], False)


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"prompts": [PROMPT], "capabilities": ["prompts"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"prompts": [PROMPT]}


async def test_disabled_it_is_an_unknown_prompt(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown prompt: {PROMPT}") as refusal:
            await client.get_prompt(PROMPT, {"city": "Paris"})
    assert refusal.value.code == -32602
