"""`conformance.prompt-with-arguments`."""

import pytest
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, TextContent

PLUGIN = "conformance.prompt-with-arguments"
PROMPT = "test_prompt_with_arguments"


async def test_the_arguments_are_in_the_message(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        [message] = (await client.get_prompt(PROMPT, {"arg1": "hello", "arg2": "world"})).messages
    assert message.content == TextContent(type="text", text="Prompt with arguments: arg1='hello', arg2='world'")


async def test_both_are_required(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError, match="arg2: is required"):
            await client.get_prompt(PROMPT, {"arg1": "hello"})


@pytest.mark.parametrize(
    ("typed", "values"), [("par", ["paris", "park", "party"]), ("test", ["test1", "test2"]), ("x", [])]
)
async def test_the_first_can_be_completed(connect: Connect, typed: str, values: list[str]) -> None:
    reference = PromptReference(type="ref/prompt", name=PROMPT)
    async with connect(PLUGIN) as client:
        found = await client.complete(reference, {"name": "arg1", "value": typed})
    assert found.completion.values == values
