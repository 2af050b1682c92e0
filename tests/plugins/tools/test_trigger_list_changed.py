"""`tools.trigger-list-changed`."""

from typing import Any

import anyio
import pytest
from everything_server import Era, Settings
from harness import Connect, connector
from harness.client_side import Ear, raw_client, text_of
from harness.clock import GUARD
from harness.plugins import Message
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged, ResourcesListChanged, ToolsListChanged
from mcp_types import (
    PromptListChangedNotification,
    ResourceListChangedNotification,
    TextContent,
    TextResourceContents,
    ToolListChangedNotification,
)

TOOL = "trigger-list-changed"
PLUGIN = "tools.trigger-list-changed"
WITH_LISTS = f"{PLUGIN},prompts.simple,resources.documents"

ADDED = {"tools": "added-tool", "prompts": "added-prompt", "resources": "demo://resource/added"}
NOTIFICATIONS: dict[str, type[Any]] = {
    "tools": ToolListChangedNotification,
    "prompts": PromptListChangedNotification,
    "resources": ResourceListChangedNotification,
}
EVENTS: dict[str, type[Any]] = {
    "tools": ToolsListChanged,
    "prompts": PromptsListChanged,
    "resources": ResourcesListChanged,
}

each_list = pytest.mark.parametrize("changed", list(ADDED))


async def _lists(client: Client) -> dict[str, list[str]]:
    return {
        "tools": [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools],
        "prompts": [prompt.name for prompt in (await client.list_prompts(cache_mode="bypass")).prompts],
        "resources": [entry.uri for entry in (await client.list_resources(cache_mode="bypass")).resources],
    }


async def _use(client: Client, changed: str) -> str:
    """Make use of what was added to a list; gives its text."""
    match changed:
        case "tools":
            return text_of(await client.call_tool("added-tool"))
        case "prompts":
            [message] = (await client.get_prompt("added-prompt")).messages
            assert isinstance(message.content, TextContent)
            return message.content.text
        case _:
            [contents] = (await client.read_resource("demo://resource/added", cache_mode="bypass")).contents
            assert isinstance(contents, TextResourceContents)
            return contents.text


@each_list
async def test_one_call_adds_an_entry_and_the_next_takes_it_away(connect: Connect, changed: str) -> None:
    async with connect(WITH_LISTS) as client:
        before = await _lists(client)
        assert text_of(await client.call_tool(TOOL, {"list": changed})) == f"Added an entry to the list of {changed}."
        assert await _lists(client) == {**before, changed: [*before[changed], ADDED[changed]]}
        text = text_of(await client.call_tool(TOOL, {"list": changed}))
        assert text == f"Took the added entry away from the list of {changed}."
        assert await _lists(client) == before
        await client.call_tool(TOOL, {"list": changed})
        assert ADDED[changed] in (await _lists(client))[changed]


@each_list
async def test_what_was_added_can_be_used_until_it_is_taken_away(connect: Connect, changed: str) -> None:
    async with connect(WITH_LISTS) as client:
        with pytest.raises(MCPError):
            await _use(client, changed)
        await client.call_tool(TOOL, {"list": changed})
        assert await _use(client, changed) == f"This {changed[:-1]} was added by trigger-list-changed."
        await client.call_tool(TOOL, {"list": changed})
        with pytest.raises(MCPError):
            await _use(client, changed)


@each_list
async def test_legacy_each_change_of_that_list_and_no_other_is_announced(changed: str) -> None:
    ear, method = Ear(), f"notifications/{changed}/list_changed"
    async with connector(Era.LEGACY)(WITH_LISTS, message_handler=ear) as client:
        await client.call_tool(TOOL, {"list": changed})
        await client.call_tool(TOOL, {"list": changed})
        await ear.until_heard(NOTIFICATIONS[changed], 2)
        await client.list_tools(cache_mode="bypass")
    assert [getattr(message, "method", message) for message in ear.heard] == [method] * 2


@each_list
async def test_legacy_the_list_is_the_sessions_own(changed: str) -> None:
    connect, settings, other_ear = connector(Era.LEGACY), Settings(), Ear()
    async with (
        connect(WITH_LISTS, settings=settings) as client,
        connect(WITH_LISTS, settings=settings, message_handler=other_ear) as other,
    ):
        before = await _lists(other)
        await client.call_tool(TOOL, {"list": changed})
        assert await _lists(other) == before
        with pytest.raises(MCPError):
            await _use(other, changed)
        await client.call_tool("trigger-list-changed", {"list": changed})
    assert other_ear.heard == []


@each_list
async def test_modern_the_list_is_the_same_for_all(changed: str) -> None:
    connect, settings = connector(Era.MODERN), Settings()
    async with connect(WITH_LISTS, settings=settings) as client:
        before = await _lists(client)
        await client.call_tool(TOOL, {"list": changed})
    async with connect(WITH_LISTS, settings=settings) as other:
        assert ADDED[changed] in (await _lists(other))[changed]
        assert await _use(other, changed)
        await other.call_tool(TOOL, {"list": changed})
        assert await _lists(other) == before


@each_list
async def test_modern_whoever_listens_for_that_list_is_told(changed: str) -> None:
    others: dict[str, Any] = {f"{name}_list_changed": name != changed for name in ADDED}
    this: dict[str, Any] = {f"{name}_list_changed": name == changed for name in ADDED}
    async with (
        connector(Era.MODERN)(WITH_LISTS) as client,
        client.listen(**this) as listening,
        client.listen(**others) as elsewhere,
    ):
        with anyio.fail_after(GUARD):
            for _ in range(2):
                await client.call_tool(TOOL, {"list": changed})
                assert isinstance(await anext(aiter(listening)), EVENTS[changed])
            another = next(name for name in ADDED if name != changed)
            await client.call_tool(TOOL, {"list": another})
            assert isinstance(await anext(aiter(elsewhere)), EVENTS[another])  # and no other before it


async def test_modern_nobody_is_told_who_does_not_listen() -> None:
    async with raw_client(WITH_LISTS, Era.MODERN) as client:
        for name in ADDED:
            await client.call(TOOL, list=name)
        await client.request("tools/list")
    assert client.others == []


@pytest.mark.parametrize("missing", ["prompts", "resources"])
async def test_a_list_that_is_not_served_is_refused_and_not_announced(
    connect: Connect, refused: Any, missing: str
) -> None:
    ear = Ear()
    async with connect(PLUGIN, message_handler=ear) as client:
        assert refused(await client.call_tool(TOOL, {"list": missing})) == ["list"]
        await client.list_tools(cache_mode="bypass")
        assert ear.heard == []
        await client.call_tool(TOOL, {"list": "tools"})
        assert await _use(client, "tools")


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({}, ["list"]),
        ({"list": "tool"}, ["list"]),
        ({"list": "Tools"}, ["list"]),
        ({"list": None}, ["list"]),
        ({"list": ["tools"]}, ["list"]),
        ({"list": "tools", "name": "x"}, ["name"]),
    ],
    ids=str,
)
async def test_bad_arguments_change_nothing(
    connect: Connect, refused: Any, arguments: Message, names: list[str]
) -> None:
    async with connect(WITH_LISTS) as client:
        before = await _lists(client)
        assert refused(await client.call_tool(TOOL, arguments)) == names
        assert await _lists(client) == before


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    offer = await offer_of(PLUGIN)
    assert offer.pop("capabilities")
    assert offer == {"tools": [TOOL]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL, {"list": "tools"})
    assert refusal.value.code == -32602
