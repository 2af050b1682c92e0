"""`prompts.simple`."""

from typing import Any

import pytest
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import PromptMessage, TextContent

PLUGIN = "prompts.simple"
PROMPT = "simple-prompt"


@pytest.mark.parametrize("arguments", [None, {}], ids=str)
async def test_it_is_one_message_of_the_user(connect: Connect, arguments: dict[str, str] | None) -> None:
    async with connect(PLUGIN) as client:
        result = await client.get_prompt(PROMPT, arguments)
    text = "This is a simple prompt without arguments."
    assert result.messages == [PromptMessage(role="user", content=TextContent(type="text", text=text))]
    assert result.description


async def test_an_argument_is_refused_by_name(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError, match="tone: is no argument") as refusal:
            await client.get_prompt(PROMPT, {"tone": "formal"})
    assert refusal.value.code == -32602


async def test_the_list_tells_its_title_and_no_arguments(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        [prompt] = (await client.list_prompts()).prompts
    assert (prompt.name, prompt.title) == (PROMPT, "Simple Prompt")
    assert prompt.description
    assert not prompt.arguments


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"prompts": [PROMPT], "capabilities": ["prompts"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"prompts": [PROMPT]}


async def test_disabled_it_is_an_unknown_prompt(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown prompt: {PROMPT}") as refusal:
            await client.get_prompt(PROMPT)
    assert refusal.value.code == -32602
