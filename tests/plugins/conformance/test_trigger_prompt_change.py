"""`conformance.trigger-prompt-change`."""

import anyio
from everything_server import Era
from harness import connector
from harness.client_side import problem_in, text_of
from harness.clock import GUARD
from mcp.client import Client
from mcp.shared.subscriptions import PromptsListChanged

PLUGIN = "conformance.trigger-prompt-change"
TOOL = "test_trigger_prompt_change"
ADDED = "test_added_prompt"


async def names(client: Client) -> list[str]:
    return [prompt.name for prompt in (await client.list_prompts(cache_mode="bypass")).prompts]


async def test_a_prompt_comes_and_goes_and_each_change_is_announced() -> None:
    async with (
        connector(Era.MODERN)(f"{PLUGIN},conformance.simple-prompt") as client,
        client.listen(prompts_list_changed=True) as changes,
    ):
        with anyio.fail_after(GUARD):
            text_of(await client.call_tool(TOOL))
            assert isinstance(await anext(aiter(changes)), PromptsListChanged)
            assert ADDED in await names(client)
            assert len((await client.get_prompt(ADDED)).messages) == 1
            text_of(await client.call_tool(TOOL))
            assert isinstance(await anext(aiter(changes)), PromptsListChanged)
            assert ADDED not in await names(client)


async def test_where_there_are_no_prompts_it_says_so() -> None:
    async with connector(Era.MODERN)(PLUGIN) as client:
        assert "has prompts" in problem_in(await client.call_tool(TOOL))
