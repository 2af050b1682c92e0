"""The table that the official clients walk has rows for every feature: one that it lacks is named here, before a walk.

A new group of plugins needs a module `tests/clients/table/GROUP.py` with its `ROWS`.
"""

from collections.abc import Iterator

import pytest
from clients import catalogue
from clients.row import Row
from everything_server import Era, PluginManager, PromptSpec, Registries, ResourceSpec, ResourceTemplateSpec, ToolSpec
from everything_server.discovery import discover
from everything_server.specs import Declaration

ROWS = catalogue.all_rows()
TRANSPORTS = ("stdio", "streamable-http", "sse")
PLUGINS = [plugin.name for plugin in discover() if plugin.group in catalogue.groups()]


@pytest.fixture(scope="module")
def manager() -> PluginManager:
    manager = PluginManager(catalogue.groups())
    manager.load()
    return manager


def declarations_of(manager: PluginManager, name: str, era: Era) -> tuple[Declaration, ...]:
    (plugin,) = (plugin for plugin in manager.plugins if plugin.name == name)
    return plugin.declarations[era]


def features(declarations: tuple[Declaration, ...]) -> Iterator[tuple[str, str]]:
    for declaration in declarations:
        match declaration:
            case ToolSpec(name=name):
                yield "tool", name
            case PromptSpec(name=name):
                yield "prompt", name
            case ResourceSpec(uri=uri):
                yield "resource", uri
            case ResourceTemplateSpec(uri_template=uri):
                yield "template", uri
            case _:
                pass  # an extension has methods of its own, and tests of its own


def arguments(declarations: tuple[Declaration, ...]) -> Iterator[tuple[str, str]]:
    """Those that can be completed, after the prompt or the template that they belong to."""
    for declaration in declarations:
        match declaration:
            case PromptSpec(name=name, completions=completions):
                yield from ((name, argument) for argument in completions)
            case ResourceTemplateSpec(uri_template=uri, completions=completions):
                yield from ((uri, argument) for argument in completions)
            case _:
                pass


def rows_for(kind: str, name: str, era: Era) -> list[Row]:
    """The rows that use something, and must be served."""
    rows = [row for row in ROWS if era in row.eras and not row.id.endswith(("of what is not there", ":gone"))]
    match kind:
        case "tool":
            return [row for row in rows if row.method == "tools/call" and row.params["name"] == name]
        case "prompt":
            return [row for row in rows if row.method == "prompts/get" and row.params["name"] == name]
        case "resource":
            return [row for row in rows if row.method == "resources/read" and row.params["uri"] == name]
        case _:
            return [row for row in rows if row.template == name]


def completed(era: Era) -> set[tuple[str, str]]:
    """The arguments that rows complete, after the prompt or the template that they belong to."""
    rows = [row.params for row in ROWS if era in row.eras and row.method == "completion/complete"]
    return {(row["ref"].get("name") or row["ref"]["uri"], row["argument"]["name"]) for row in rows}


@pytest.mark.parametrize("group", catalogue.groups())
def test_every_group_has_rows(group: str) -> None:
    assert catalogue.rows_of(group), f"tests/clients/table/{group}.py is missing, or its ROWS are"


@pytest.mark.parametrize("name", PLUGINS)
def test_every_feature_of_a_plugin_is_in_the_table(name: str, manager: PluginManager) -> None:
    for era in Era:
        declarations = declarations_of(manager, name, era)
        missing = [f"{kind} {what}" for kind, what in features(declarations) if not rows_for(kind, what, era)]
        module = f"tests/clients/table/{name.partition('.')[0]}.py"
        assert missing == [], f"{name} has features that no official client calls; add rows to {module}"
        assert set(arguments(declarations)) - completed(era) == set(), f"complete these in {module}"


def test_ids_of_rows_are_unique_on_every_walk() -> None:
    for era in Era:
        for transport in TRANSPORTS:
            ids = [row.id for row in catalogue.rows(era, transport)]
            assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("era", Era, ids=str)
def test_every_tool_that_needs_the_client_asks_it_in_the_table(era: Era, manager: PluginManager) -> None:
    gated = [tool.spec.name for tool in Registries(manager).build(era).gated_tools]
    kept_by_the_server = {"get-roots-list"} if era is Era.LEGACY else set[str]()  # it asks when a client connects
    asking = {name for name in gated if any(row.asked(era) for row in rows_for("tool", name, era))}
    assert set(gated) - asking == kept_by_the_server
