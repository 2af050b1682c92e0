"""`extras.long-completion`."""

from typing import Any

import pytest
from everything_server import Era
from harness import Connect
from harness.client_side import raw_client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptMessage, TextContent

PLUGIN = "extras.long-completion"
PROMPT = "long-completion-prompt"
ITEMS = [f"item-{number:03}" for number in range(1, 251)]


@pytest.mark.parametrize(
    ("typed", "total"),
    [
        ("", 250),
        ("item-", 250),
        ("item-1", 100),  # all that one answer may hold, and nothing more
        ("item-0", 99),
        ("item-2", 51),
        ("item-250", 1),
        ("item-251", 0),
        ("Item", 0),
    ],
)
async def test_at_most_a_hundred_matches_come_and_the_rest_is_told_of(era: Era, typed: str, total: int) -> None:
    params = {"ref": {"type": "ref/prompt", "name": PROMPT}, "argument": {"name": "item", "value": typed}}
    async with raw_client(PLUGIN, era) as client:
        completion = (await client.request("completion/complete", params))["completion"]
    matches = [item for item in ITEMS if item.startswith(typed)]
    assert len(matches) == total
    assert completion == {"values": matches[:100], "total": total, "hasMore": total > 100}


@pytest.mark.parametrize("item", ["item-001", "item-101", "item-250"])
async def test_every_match_can_be_used_also_those_that_were_not_shown(connect: Connect, item: str) -> None:
    async with connect(PLUGIN) as client:
        result = await client.get_prompt(PROMPT, {"item": item})
    text = f"Please tell me about {item}."
    assert result.messages == [PromptMessage(role="user", content=TextContent(type="text", text=text))]


@pytest.mark.parametrize("arguments", [None, {"item": "item-251"}, {"item": "item-1"}, {"item": ""}], ids=str)
async def test_another_item_is_refused(connect: Connect, arguments: dict[str, str] | None) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError, match="item: ") as refusal:
            await client.get_prompt(PROMPT, arguments)
    assert refusal.value.code == -32602


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"prompts": [PROMPT], "capabilities": ["completions", "prompts"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"prompts": [PROMPT]}


async def test_disabled_it_is_an_unknown_prompt(era: Era) -> None:
    params = {"ref": {"type": "ref/prompt", "name": PROMPT}, "argument": {"name": "item", "value": ""}}
    async with raw_client("prompts", era) as client:
        assert (await client.refused("prompts/get", {"name": PROMPT}))["code"] == -32602
        assert (await client.refused("completion/complete", params))["code"] == -32602
