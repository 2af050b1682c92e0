"""`calculator.tutorial`."""

from typing import Any

import pytest
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference

PLUGIN = "calculator.tutorial"
PROMPT = "calculator-tutorial"


async def test_it_covers_everything_or_one_area(connect: Connect, words: Any) -> None:
    async with connect(PLUGIN) as client:
        whole = words(await client.get_prompt(PROMPT))
        part = words(await client.get_prompt(PROMPT, {"focusArea": "batches"}))
    assert len(whole.splitlines()) == 5
    assert part.splitlines()[1:] == [
        "- Teach the tool batch_calculate, which answers each of its operations by itself."
    ]
    assert set(part.splitlines()) < set(whole.splitlines())


async def test_what_it_names_is_there(connect: Connect, words: Any) -> None:
    async with connect("calculator") as client:
        text = words(await client.get_prompt(PROMPT))
        for tool in ("calculate", "batch_calculate", "advanced_calculate"):
            assert tool in text
            assert tool in {entry.name for entry in (await client.list_tools()).tools}
        for uri in ("calculator://history/all", "calculator://history/5", "calculator://stats"):
            assert uri in text
            await client.read_resource(uri)


async def test_an_unknown_area_is_refused(connect: Connect) -> None:
    problem = "focusArea: must be one of basics, batches, expressions, history, all"
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError, match=problem) as refusal:
            await client.get_prompt(PROMPT, {"focusArea": "algebra"})
    assert refusal.value.code == -32602


async def test_areas_are_completed(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        reference = PromptReference(type="ref/prompt", name=PROMPT)
        result = await client.complete(reference, {"name": "focusArea", "value": "b"})
    assert result.completion.values == ["basics", "batches"]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"prompts": [PROMPT], "capabilities": ["completions", "prompts"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, among="calculator") == {"prompts": [PROMPT]}
