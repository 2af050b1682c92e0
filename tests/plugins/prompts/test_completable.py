"""`prompts.completable`."""

from typing import Any

import pytest
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import PromptMessage, PromptReference, TextContent

PLUGIN = "prompts.completable"
PROMPT = "completable-prompt"
REFERENCE = PromptReference(type="ref/prompt", name=PROMPT)

TEAMS = {
    "Engineering": ["Alice", "Bob", "Charlie"],
    "Sales": ["David", "Eve", "Frank"],
    "Marketing": ["Grace", "Henry", "Iris"],
    "Support": ["John", "Kim", "Lee"],
}


@pytest.mark.parametrize(("department", "name"), [("Engineering", "Alice"), ("X", "Y"), ("", "")])
async def test_any_department_and_any_name_will_do(connect: Connect, department: str, name: str) -> None:
    async with connect(PLUGIN) as client:
        result = await client.get_prompt(PROMPT, {"department": department, "name": name})
    text = f"Please promote {name} to the head of the {department} team."
    assert result.messages == [PromptMessage(role="user", content=TextContent(type="text", text=text))]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"department": "Sales"}, "name: is required"),
        ({"name": "Eve"}, "department: is required"),
        (None, "department: is required; name: is required"),
        ({"department": "Sales", "name": "Eve", "pay": "more"}, "pay: is no argument"),
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


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", list(TEAMS)),
        ("E", ["Engineering"]),
        ("S", ["Sales", "Support"]),
        ("Sales", ["Sales"]),
        ("e", []),
        ("ngineering", []),
        ("zzz", []),
        ("Sales ", []),
    ],
)
async def test_departments_are_completed_as_they_are_spelt(connect: Connect, typed: str, found: list[str]) -> None:
    async with connect(PLUGIN) as client:
        completion = (await client.complete(REFERENCE, {"name": "department", "value": typed})).completion
    assert (completion.values, completion.total, completion.has_more) == (found, len(found), False)


@pytest.mark.parametrize("department", TEAMS)
async def test_names_are_completed_within_the_department(connect: Connect, department: str) -> None:
    settled = {"department": department}
    async with connect(PLUGIN) as client:
        everyone = (await client.complete(REFERENCE, {"name": "name", "value": ""}, settled)).completion
        second = TEAMS[department][1]
        one = (await client.complete(REFERENCE, {"name": "name", "value": second[0]}, settled)).completion
    assert (everyone.values, everyone.total, everyone.has_more) == (TEAMS[department], 3, False)
    assert (one.values, one.total, one.has_more) == ([second], 1, False)


@pytest.mark.parametrize("settled", [None, {}, {"department": "X"}, {"name": "Eve"}], ids=str)
async def test_without_a_department_there_are_no_names(connect: Connect, settled: dict[str, str] | None) -> None:
    async with connect(PLUGIN) as client:
        completion = (await client.complete(REFERENCE, {"name": "name", "value": ""}, settled)).completion
    assert (completion.values, completion.total, completion.has_more) == ([], 0, False)


async def test_an_argument_that_it_has_not_got_completes_to_nothing(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        completion = (await client.complete(REFERENCE, {"name": "nope", "value": "P"})).completion
    assert (completion.values, completion.has_more) == ([], False)


async def test_an_unknown_prompt_completes_nothing(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError) as refusal:
            await client.complete(PromptReference(type="ref/prompt", name="nope"), {"name": "x", "value": "P"})
    assert refusal.value.code == -32602


async def test_the_list_tells_its_title_and_arguments(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        [prompt] = (await client.list_prompts()).prompts
    assert (prompt.name, prompt.title) == (PROMPT, "Team Management")
    assert prompt.arguments is not None
    assert [(argument.name, argument.required) for argument in prompt.arguments] == [
        ("department", True),
        ("name", True),
    ]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"prompts": [PROMPT], "capabilities": ["completions", "prompts"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"prompts": [PROMPT]}


async def test_disabled_it_is_neither_rendered_nor_completed(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown prompt: {PROMPT}") as refusal:
            await client.get_prompt(PROMPT, {"department": "Sales", "name": "Eve"})
        assert refusal.value.code == -32602
        with pytest.raises(MCPError, match=f"Unknown prompt: {PROMPT}") as refusal:
            await client.complete(REFERENCE, {"name": "department", "value": ""})
        assert refusal.value.code == -32602
