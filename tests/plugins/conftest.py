"""What the tests of all plugins ask for: what a server offers, and which arguments it refuses."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import pytest
from everything_server import Era
from harness import Connect
from harness.client_side import raw_client, requests_in
from harness.plugins import Message
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND, CallToolResult, TextContent

Offer = dict[str, list[str]]
"""The names of what a server lists, by kind, and of the capabilities it advertises; kinds without any are left out."""


async def _offer(client: Client, era: Era) -> Offer:
    found: dict[str, list[str]] = {"capabilities": sorted(await _capabilities(client, era))}
    lists: dict[str, tuple[str, Callable[[], Awaitable[Any]], str, str]] = {
        "tools": ("tools", client.list_tools, "tools", "name"),
        "resources": ("resources", client.list_resources, "resources", "uri"),
        "templates": ("resources", client.list_resource_templates, "resource_templates", "uri_template"),
        "prompts": ("prompts", client.list_prompts, "prompts", "name"),
    }
    for kind, (capability, list_all, member, name) in lists.items():
        if capability in found["capabilities"]:
            result = await list_all()
            assert result.next_cursor is None
            found[kind] = sorted(getattr(entry, name) for entry in getattr(result, member))
        else:
            with pytest.raises(MCPError) as refusal:  # what is not advertised is not served either
                await list_all()
            assert refusal.value.code == METHOD_NOT_FOUND
    return {kind: names for kind, names in found.items() if names}


async def _capabilities(client: Client, era: Era) -> set[str]:
    if era is Era.LEGACY:
        return set(client.server_capabilities.model_dump(exclude_none=True))
    # The client of this era was told its version and has asked nothing yet.
    discovered = await client.session.send_discover(client.protocol_version)
    return set(discovered["capabilities"])


class OfferOf(Protocol):
    """Looks at what a client is offered; what it answers decides what it declares."""

    def __call__(self, plugin: str, **client: Any) -> Awaitable[Offer]: ...


@pytest.fixture
def offer_of(connect: Connect, era: Era) -> OfferOf:
    """All that a server offers with nothing but one plugin."""

    async def offer_of(plugin: str, **client_options: Any) -> Offer:
        async with connect(plugin, **client_options) as client:
            return await _offer(client, era)

    return offer_of


class LostWithout(Protocol):
    """Looks at what a client is not offered without a plugin, of all that are on by default or `among` some."""

    def __call__(self, plugin: str, *, among: str | None = None, **client: Any) -> Awaitable[Offer]: ...


@pytest.fixture
def lost_without(connect: Connect, era: Era) -> LostWithout:
    """What a server with every other plugin lacks, compared to one with all of them."""

    async def lost_without(plugin: str, *, among: str | None = None, **client_options: Any) -> Offer:
        async with connect(among, **client_options) as client:
            everything = await _offer(client, era)
        async with connect(among, disable=plugin, **client_options) as client:
            rest = await _offer(client, era)
        lost = {kind: sorted({*names} - {*rest.get(kind, [])}) for kind, names in everything.items()}
        assert all(set(names) <= set(everything[kind]) for kind, names in rest.items())
        return {kind: names for kind, names in lost.items() if names}

    return lost_without


@pytest.fixture
def refused() -> Callable[[CallToolResult], list[str]]:
    """The arguments that a result refuses, sorted; it must refuse some, and say of each what is wrong with it."""

    def refused(result: CallToolResult) -> list[str]:
        assert result.is_error
        assert result.structured_content is None
        [block] = result.content
        assert isinstance(block, TextContent)
        heading, *problems = block.text.split("\n- ")
        assert heading.startswith("Invalid arguments for tool ")
        assert problems
        arguments, remarks = zip(*(problem.split(": ", 1) for problem in problems), strict=True)
        assert all(remarks)
        assert "pydantic" not in block.text  # nor any other part of how the checking is done
        assert "://" not in block.text
        return sorted(set(arguments))

    return refused


@pytest.fixture
def undeclared(era: Era) -> Callable[[str, Message, Message, Message], Awaitable[None]]:
    """Checks that a tool is not for clients without what it requires, and that those are asked nothing.

    Takes the plugin's name, the arguments of a call, what the client declares, and what the refusal must say is needed.
    """

    async def undeclared(plugin: str, arguments: Message, declared: Message, required: Message) -> None:
        tool = plugin.removeprefix("tools.")
        async with raw_client(plugin, era, declared) as client:
            listed = [entry["name"] for entry in (await client.request("tools/list"))["tools"]]
            error = await client.refused("tools/call", {"name": tool, "arguments": arguments})
        assert requests_in(client.others) == []
        if era is Era.MODERN:
            assert listed == [tool]  # the list is the same for every client
            assert error["code"] == -32021
            assert error["data"] == {"requiredCapabilities": required}
        else:
            assert listed == []
            assert error["code"] == INVALID_PARAMS
            assert error["message"] == f"Unknown tool: {tool}"

    return undeclared
