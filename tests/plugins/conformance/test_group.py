"""The group `conformance` as a whole: each plugin adds one thing, and none unless asked for."""

import pytest
from everything_server import Era, PluginManager
from everything_server.discovery import discover
from harness import connector
from harness.client_side import raw_client

NAMES = [candidate.name for candidate in discover() if candidate.group == "conformance"]

LISTS = {
    "tools/list": ("tools", "name"),
    "prompts/list": ("prompts", "name"),
    "resources/list": ("resources", "uri"),
    "resources/templates/list": ("resourceTemplates", "uriTemplate"),
}

OTHERS = {
    "conformance.json-schema-2020-12-tool": "json_schema_2020_12_tool",
    "conformance.static-binary": "test://static-binary",
    "conformance.static-text": "test://static-text",
    "conformance.template": "test://template/{id}/data",
    "conformance.watched-resource": "test://watched-resource",
}
WITHOUT_PREFIX = {
    "confirm_delete",
    "failing_job",
    "greet",
    "multi_input",
    "protocol_error_job",
    "slow_compute",
}


def added_by(name: str) -> str:
    """What a plugin adds: it is named after that."""
    if name in OTHERS:
        return OTHERS[name]
    feature = name.partition(".")[2].replace("-", "_")
    return feature if feature in WITHOUT_PREFIX else f"test_{feature}"


def active(plugins: list[str] | None) -> set[str]:
    manager = PluginManager(plugins)
    manager.load()
    return {outcome.name for outcome in manager.outcomes if outcome.status == "active"} & {*NAMES}


def test_none_is_active_unless_asked_for() -> None:
    assert active(None) == set()
    assert active(["tools,extras"]) == set()
    assert active(["conformance"]) == {*NAMES}


@pytest.mark.parametrize("name", NAMES)
async def test_alone_each_adds_what_it_is_named_after(name: str) -> None:
    offered: set[str] = set()
    able = {"elicitation": {}, "sampling": {}, "roots": {}}
    for era in Era:
        async with raw_client(name, era, able) as client:
            capabilities = await client.server_capabilities()
            for method, (kind, key) in LISTS.items():
                if method.partition("/")[0] in capabilities:
                    offered |= {entry[key] for entry in (await client.request(method))[kind]}
    assert offered == {added_by(name)}


async def test_together_they_get_along_with_everything_else(era: Era) -> None:
    async with connector(era)("*") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert {"echo", "test_simple_text"} <= names
