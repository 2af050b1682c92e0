"""Every plugin, found by its entry point: alone it is all that a server has, and without it nothing of it is left."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from everything_server import (
    Era,
    PluginManager,
    PromptSpec,
    Registries,
    ResourceSpec,
    ResourceTemplateSpec,
    ServerFactory,
    Settings,
    ToolSpec,
)
from everything_server.discovery import discover
from everything_server.specs import Declaration
from harness.plugins import Message, Wire, wire
from harness.wire import ALL_CAPABILITIES

PLUGINS = [plugin.name for plugin in discover() if plugin.distribution.startswith("everything-server-")]

LISTS = {
    "tools": ("tools/list", "tools", "tools", "name"),
    "resources": ("resources/list", "resources", "resources", "uri"),
    "templates": ("resources/templates/list", "resources", "resourceTemplates", "uriTemplate"),
    "prompts": ("prompts/list", "prompts", "prompts", "name"),
}
"""Each list: its method, the capability that it needs, and where the names are in its result."""

EXTENSIONS = "extensions"


@dataclass(frozen=True)
class Offer:
    """All that a server shows of what it has."""

    names: dict[str, set[str]]
    capabilities: set[str]
    instructions: str
    icons: int
    completed: set[tuple[str, str]]
    """The arguments, of the ones that were asked for, that are completed."""


@asynccontextmanager
async def connected(era: Era, plugins: Iterable[str] | None, disable: Iterable[str] = ()) -> AsyncGenerator[Wire]:
    """A client that can do everything, and has been asked for its roots if they are wanted."""
    manager = PluginManager(plugins, disable, strict=True)
    manager.load()
    factory = ServerFactory(Registries(manager), Settings())
    async with wire(factory, era, ALL_CAPABILITIES[era]) as client:
        yield client


async def offer(client: Wire, arguments: Iterable[tuple[str, str]]) -> Offer:
    """What a server offers, and which of these arguments it completes."""
    about = await client.request("server/discover") if client.era is Era.MODERN else client.initialize_result
    capabilities: dict[str, Any] = about["capabilities"]
    server_info = about.get("serverInfo") or about["_meta"]["io.modelcontextprotocol/serverInfo"]
    names: dict[str, set[str]] = {}
    for kind, (method, capability, member, name) in LISTS.items():
        if capability in capabilities:
            result = await client.request(method)
            assert "nextCursor" not in result
            names[kind] = {entry[name] for entry in result[member]}
        else:
            assert (await client.refused(method))["code"] == -32601  # what is not advertised is not served
    return Offer(
        {kind: some for kind, some in names.items() if some},
        {*capabilities} - {EXTENSIONS} | {*capabilities.get(EXTENSIONS, ())},
        about.get("instructions", ""),
        len(server_info.get("icons", ())),
        {argument for argument in arguments if await is_completed(client, *argument)},
    )


async def is_completed(client: Wire, owner: str, argument: str) -> bool:
    """Whether an argument of a prompt or a template is completed; if not, the request is refused."""
    reference = {"type": "ref/resource", "uri": owner} if "://" in owner else {"type": "ref/prompt", "name": owner}
    params = {"ref": reference, "argument": {"name": argument, "value": ""}}
    answer = await client.answer(await client.start("completion/complete", params))
    if "error" in answer:
        assert answer["error"]["code"] in (-32601, -32602)
    return "result" in answer


def expected(declarations: Sequence[Declaration], instructions: Iterable[str], icons: int) -> Offer:
    """What a server with these declarations offers."""
    names: dict[str, set[str]] = {
        "tools": {item.name for item in declarations if isinstance(item, ToolSpec)},
        "resources": {item.uri for item in declarations if isinstance(item, ResourceSpec)},
        "templates": {item.uri_template for item in declarations if isinstance(item, ResourceTemplateSpec)},
        "prompts": {item.name for item in declarations if isinstance(item, PromptSpec)},
    }
    capabilities = {LISTS[kind][1] for kind, some in names.items() if some}
    if any(isinstance(item, ToolSpec) and item.logs for item in declarations):
        capabilities.add("logging")
    completed = set(arguments_of(declarations))
    if completed:
        capabilities.add("completions")
    capabilities |= {identifier for item in declarations if (identifier := getattr(item, "identifier", None))}
    return Offer(
        {kind: some for kind, some in names.items() if some},
        capabilities,
        "\n\n".join(text for text in instructions if text),
        icons,
        completed,
    )


def arguments_of(declarations: Iterable[Declaration]) -> list[tuple[str, str]]:
    """The arguments that are completed, after the prompt or the template that they belong to."""
    found: list[tuple[str, str]] = []
    for item in declarations:
        match item:
            case PromptSpec(name=name, completions=completions):
                found += [(name, argument) for argument in completions]
            case ResourceTemplateSpec(uri_template=uri, completions=completions):
                found += [(uri, argument) for argument in completions]
            case _:
                pass
    return found


@pytest.fixture(scope="module")
def everything() -> PluginManager:
    """All plugins, those that have to be asked for as well."""
    manager = PluginManager(PLUGINS, strict=True)
    manager.load()
    return manager


def declared(manager: PluginManager, era: Era, *names: str) -> Offer:
    """What a server with these plugins must offer, by what they declare."""
    plugins = [plugin for plugin in manager.plugins if plugin.name in names]
    assert len(plugins) == len(names)
    return expected(
        [declaration for plugin in plugins for declaration in plugin.declarations[era]],
        [plugin.instructions[era] for plugin in plugins],
        sum(len(plugin.icons[era]) for plugin in plugins),
    )


@pytest.mark.parametrize("name", PLUGINS)
async def test_alone_a_plugin_is_all_that_a_server_has(name: str, era: Era, everything: PluginManager) -> None:
    alone = declared(everything, era, name)
    every_argument = declared(everything, era, *PLUGINS).completed
    async with connected(era, [name]) as client:
        assert await offer(client, every_argument) == alone


@pytest.mark.parametrize("name", PLUGINS)
async def test_disabled_a_plugin_leaves_no_trace(name: str, era: Era, everything: PluginManager) -> None:
    alone = declared(everything, era, name)
    rest = declared(everything, era, *(other for other in PLUGINS if other != name))
    every_argument = declared(everything, era, *PLUGINS).completed
    async with connected(era, PLUGINS, [name]) as client:
        assert await offer(client, every_argument) == rest
        for method, params in uses(alone):
            assert (await client.refused(method, params))["code"] in (-32002, -32601, -32602)
    assert not alone.instructions or alone.instructions not in rest.instructions


def uses(gone: Offer) -> list[tuple[str, Message]]:
    """Requests for things that are gone."""
    return [
        *(("tools/call", {"name": tool, "arguments": {}}) for tool in gone.names.get("tools", ())),
        *(("prompts/get", {"name": prompt}) for prompt in gone.names.get("prompts", ())),
        *(("resources/read", {"uri": uri}) for uri in gone.names.get("resources", ())),
    ]


async def test_with_none_there_is_nothing(era: Era) -> None:
    async with connected(era, []) as client:
        assert await offer(client, []) == Offer({}, set(), "", 0, set())
