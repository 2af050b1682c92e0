"""Registries: compiled once, immutable, free of conflicts."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from everything_server import (
    SAMPLING,
    Context,
    Era,
    ExtensionSpec,
    MethodBinding,
    PluginError,
    PromptSpec,
    Registries,
    ResourceSpec,
    ResourceTemplateSpec,
    RouteSpec,
    Status,
    ToolSpec,
)
from everything_server.catalogue import Additions, Catalogue
from everything_server.discovery import Candidate
from everything_server.manager import Outcome
from everything_server.specs import Declaration
from everything_server.tools import compile_tool
from harness.plugins import installed, load, module_of, plugin
from mcp_types import RequestParams
from pydantic import BaseModel, Field


async def answer() -> str:
    """Answer."""
    return "answer"


async def answer_for(key: str) -> str:
    """Answer for a key."""
    return key


async def serve_method(ctx: Any, params: RequestParams) -> dict[str, Any]:
    return {}


def tool(name: str, fn: Callable[..., Any] = answer, **options: Any) -> ToolSpec:
    return ToolSpec(name=name, fn=fn, **options)


def registries(*candidates: Candidate, plugins: list[str] | None = None) -> Registries:
    return Registries(load(candidates, plugins))


def outcome(compiled: Registries, name: str) -> Outcome:
    (found,) = [item for item in compiled.manager.outcomes if item.name == name]
    return found


def test_a_registry_is_compiled_when_first_asked_for_and_kept(era: Era, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[tuple[str, Era]] = []

    def watched(spec: ToolSpec, era: Era) -> Any:
        compiled.append((spec.name, era))
        return compile_tool(spec, era)

    monkeypatch.setattr("everything_server.registry.compile_tool", watched)
    of = registries(plugin("some.tool", tool("one")))
    assert compiled == []
    assert of(era) is of(era)
    assert compiled == [("one", era)]  # and the other era not at all


def test_a_registry_cannot_be_changed(era: Era) -> None:
    registry = registries(plugin("some.tool", tool("one")))(era)
    with pytest.raises(TypeError):
        registry.tools["two"] = registry.tools["one"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        registry.tools = {}  # type: ignore[misc]


def test_lists_are_in_the_order_of_the_plugins_names_then_of_their_declarations(era: Era) -> None:
    registry = registries(
        plugin("b.second", tool("a"), ResourceSpec(uri="x://2", name="2", fn=answer)),
        plugin("a.first", tool("z"), tool("y"), ResourceSpec(uri="x://1", name="1", fn=answer)),
    )(era)
    assert list(registry.tools) == ["z", "y", "a"]
    assert list(registry.resources) == ["x://1", "x://2"]


def test_a_declaration_is_in_the_eras_that_it_names() -> None:
    of = registries(
        plugin(
            "some.tools",
            tool("both"),
            tool("old", eras=frozenset({Era.LEGACY})),
            tool("new", eras=frozenset({Era.MODERN})),
        )
    )
    assert list(of(Era.LEGACY).tools) == ["both", "old"]
    assert list(of(Era.MODERN).tools) == ["both", "new"]


def test_instructions_are_those_of_the_active_plugins_in_the_order_of_their_names(era: Era) -> None:
    of = registries(
        plugin("c.last", instructions="Third."),
        plugin("a.first", instructions="First.\n"),
        plugin("b.silent", tool("silent")),
        plugin("b.off", instructions="Never."),
        plugins=["a.first", "b.silent", "c.last"],
    )
    assert of(era).instructions == "First.\n\nThird."


def test_what_a_plugin_provides_is_told_by_kind_and_name() -> None:
    of = registries(
        plugin(
            "all.kinds",
            tool("t"),
            ResourceSpec(uri="x://r", name="r", fn=answer),
            ResourceTemplateSpec(uri_template="x://r/{key}", name="r", fn=answer_for),
            PromptSpec(name="p", fn=answer),
            ExtensionSpec(identifier="com.example/e", methods=(MethodBinding("e/m", RequestParams, serve_method),)),
        )
    )
    (active,) = of.manager.plugins
    assert sorted(of.provisions(active)) == [
        "extension com.example/e",
        "method e/m",
        "prompt p",
        "resource x://r",
        "template x://r/{key}",
        "tool t",
    ]


# Conflicts

CONFLICTING: dict[str, Callable[[], Declaration]] = {
    "tool 't'": lambda: tool("t"),
    "resource 'x://r'": lambda: ResourceSpec(uri="x://r", name="r", fn=answer),
    "template 'x://r/{key}'": lambda: ResourceTemplateSpec(uri_template="x://r/{key}", name="r", fn=answer_for),
    "prompt 'p'": lambda: PromptSpec(name="p", fn=answer),
    "extension 'com.example/e'": lambda: ExtensionSpec(identifier="com.example/e"),
}


@pytest.mark.parametrize("what", CONFLICTING)
def test_what_two_plugins_declare_stays_with_the_first_and_the_later_plugin_goes_whole(what: str) -> None:
    declare = CONFLICTING[what]
    of = registries(
        plugin("b.later", tool("own"), declare(), distribution="later", version="2"),
        plugin("a.first", declare(), distribution="first", version="1"),
        plugin("c.bystander", tool("bystander")),
    )
    later = outcome(of, "b.later")
    assert later.status is Status.CONFLICT
    assert later.reason == f"{what} is declared by 'a.first' (first 1) already"
    assert [active.name for active in of.manager.plugins] == ["a.first", "c.bystander"]
    for era in Era:
        assert "own" not in of(era).tools
        assert "bystander" in of(era).tools


def test_two_extensions_with_one_method_are_a_conflict() -> None:
    method = MethodBinding("shared/method", RequestParams, serve_method)
    of = registries(
        plugin("a.first", ExtensionSpec(identifier="com.example/a", methods=(method,))),
        plugin("b.later", ExtensionSpec(identifier="com.example/b", methods=(method,))),
    )
    assert outcome(of, "b.later").reason.startswith("method 'shared/method' is declared by 'a.first'")
    assert of(Era.MODERN).capabilities.extensions == {"com.example/a": {}}


def test_a_plugin_that_declares_a_name_twice_conflicts_with_itself() -> None:
    of = registries(plugin("a.twice", tool("t"), tool("t")), plugin("b.other", tool("other")))
    assert outcome(of, "a.twice").status is Status.CONFLICT
    assert outcome(of, "a.twice").reason == "tool 't' is declared by itself already"
    assert list(of(Era.MODERN).tools) == ["other"]


def test_one_name_in_different_eras_is_no_conflict() -> None:
    of = registries(
        plugin("a.old", tool("t", eras=frozenset({Era.LEGACY}), title="old")),
        plugin("b.new", tool("t", eras=frozenset({Era.MODERN}), title="new")),
    )
    assert of(Era.LEGACY).tools["t"].wire.title == "old"
    assert of(Era.MODERN).tools["t"].wire.title == "new"


def test_what_a_dropped_plugin_declared_is_free_for_a_later_one() -> None:
    of = registries(
        plugin("a.first", tool("t")),
        plugin("b.dropped", tool("t"), tool("u")),
        plugin("c.later", tool("u")),
    )
    assert [active.name for active in of.manager.plugins] == ["a.first", "c.later"]


def test_a_conflict_stops_the_server_when_the_plugin_was_asked_for_by_name(era: Era) -> None:
    candidates = plugin("a.first", tool("t")), plugin("b.later", tool("t"))
    with pytest.raises(PluginError, match=r"plugin 'b.later' \(fake-distribution 1.0\) conflicts: tool 't'"):
        registries(*candidates, plugins=["a", "b.later"])(era)


def test_a_conflict_among_many_is_said_once_on_the_log(caplog: pytest.LogCaptureFixture) -> None:
    of = registries(plugin("a.first", tool("t")), plugin("b.later", tool("t")))
    for era in Era:
        of(era)
    (warning,) = [record.getMessage() for record in caplog.records]
    assert "plugin 'b.later' (fake-distribution 1.0) conflicts: tool 't' is declared by 'a.first'" in warning


# What cannot be compiled


def takes_arguments(argument: str) -> str:
    return argument


class Opaque:
    """Something that JSON has no form for."""


def takes_opaque(argument: Opaque) -> str:
    return ""


UNCOMPILABLE: dict[str, Declaration] = {
    "a tool with a parameter that has no schema": tool("bad", takes_opaque),
    "a tool with a private parameter": tool("bad", lambda _hidden: ""),
    "a resource that takes arguments": ResourceSpec(uri="x://bad", name="bad", fn=takes_arguments),
    "a malformed template": ResourceTemplateSpec(uri_template="x://{bad", name="bad", fn=takes_arguments),
    "a template without its variable": ResourceTemplateSpec(uri_template="x://{other}", name="bad", fn=takes_arguments),
    "a template with too few variables": ResourceTemplateSpec(uri_template="x://bad", name="bad", fn=takes_arguments),
    "a completion of no variable": ResourceTemplateSpec(
        uri_template="x://{argument}", name="bad", fn=takes_arguments, completions={"other": lambda value, settled: []}
    ),
    "a completion of no prompt argument": PromptSpec(
        name="bad", fn=takes_arguments, completions={"other": lambda value, settled: []}
    ),
    "a tool with an input schema that is none": tool("bad", input_schema={"type": "object", "required": 1}),
    "a tool with an input schema of another type": tool("bad", input_schema={"type": "array"}),
    "a tool without type in its input schema": tool("bad", input_schema={}),
    "a tool with a property that is no parameter": tool(
        "bad", input_schema={"type": "object", "properties": {"key": {}}}
    ),
    "a tool with a parameter that is no property": tool("bad", answer_for, input_schema={"type": "object"}),
    "a tool without a function": tool("bad", None),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("what", UNCOMPILABLE)
def test_a_plugin_with_something_that_cannot_be_compiled_goes_whole_and_alone(what: str, era: Era) -> None:
    of = registries(plugin("bad.plugin", tool("fine"), UNCOMPILABLE[what]), plugin("good.plugin", tool("good")))
    assert list(of(era).tools) == ["good"]
    broken = outcome(of, "bad.plugin")
    assert broken.status is Status.BROKEN
    assert "bad" in broken.reason or "{other}" in broken.reason or "{argument}" in broken.reason  # what is meant
    assert broken.error is not None


def test_what_is_wrong_in_one_era_takes_the_plugin_out_of_both() -> None:
    bad = tool("bad", takes_opaque, eras=frozenset({Era.LEGACY}))
    of = registries(plugin("bad.plugin", tool("fine"), bad), plugin("good.plugin", tool("good")))
    assert list(of(Era.MODERN).tools) == ["fine", "good"]  # nobody has looked at the other era yet
    assert list(of(Era.LEGACY).tools) == ["good"]
    assert list(of(Era.MODERN).tools) == ["good"]


def test_an_installed_plugin_that_cannot_be_compiled_is_named_with_its_distribution(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, era: Era
) -> None:
    candidates = installed(monkeypatch, "uncompilable", "good")
    assert list(registries(*candidates)(era).tools) == ["fake-good"]
    (warning,) = [record.getMessage() for record in caplog.records]
    assert warning.startswith("plugin 'fake.uncompilable' (fake-uncompilable 0.1.0) is broken: indescribable: ")
    assert "--disable fake.uncompilable" in warning


def test_it_stops_the_server_when_the_plugin_was_asked_for_by_name(monkeypatch: pytest.MonkeyPatch, era: Era) -> None:
    candidates = installed(monkeypatch, "uncompilable", "good")
    of = registries(*candidates, plugins=["good", "uncompilable"])
    with pytest.raises(PluginError, match=r"plugin 'fake.uncompilable' .* is broken: indescribable"):
        of(era)


# What is compiled


def test_a_tools_schema_is_closed_and_its_docstring_is_its_description(era: Era) -> None:
    async def documented(ctx: Context, count: Annotated[int, Field(ge=1, description="How many")] = 3) -> str:
        """Do it.

        As often as you like.
        """
        return ""

    wire = registries(plugin("some.tool", tool("documented", documented)))(era).tools["documented"].wire
    assert wire.description == "Do it.\n\nAs often as you like."
    assert wire.input_schema["type"] == "object"
    assert wire.input_schema["additionalProperties"] is False
    assert (
        wire.input_schema["properties"]["count"].items()
        >= {
            "type": "integer",
            "minimum": 1,
            "default": 3,
            "description": "How many",
        }.items()
    )
    assert list(wire.input_schema["properties"]) == ["count"]  # the context is no argument


def test_a_declared_input_schema_is_published_as_it_is(era: Era) -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"key": {"$anchor": "key", "type": "string"}},
        "properties": {"key": {"$ref": "#key"}},
        "if": {"required": ["key"]},
        "then": {"minProperties": 1},
    }
    of = registries(plugin("some.tool", tool("declared", answer_for, input_schema=schema)))
    assert of(era).tools["declared"].wire.input_schema == schema


def test_a_declared_description_goes_before_the_docstring(era: Era) -> None:
    of = registries(
        plugin(
            "some.things",
            tool("t", description="Declared."),
            PromptSpec(name="p", fn=answer, description="Declared."),
            ResourceSpec(uri="x://r", name="r", fn=answer, description=""),
        )
    )
    assert of(era).tools["t"].wire.description == "Declared."
    assert of(era).prompts["p"].wire.description == "Declared."
    assert of(era).resources["x://r"].wire.description == ""


def test_an_output_schema_is_published_for_structured_tools_only(era: Era) -> None:
    class Place(BaseModel):
        name: str

    async def place() -> Place:
        """Tell a place."""
        return Place(name="here")

    async def places() -> list[Place]:
        """Tell places."""
        return [Place(name="here")]

    registry = registries(
        plugin(
            "p.laces", tool("plain", place), tool("one", place, structured=True), tool("many", places, structured=True)
        )
    )(era)
    assert registry.tools["plain"].wire.output_schema is None
    one, many = registry.tools["one"].wire.output_schema, registry.tools["many"].wire.output_schema
    assert one is not None
    assert one["type"] == "object"
    assert many is not None
    assert many["type"] == ("object" if era is Era.LEGACY else "array")  # 2025-11-25 knows objects only


def test_tools_that_need_a_capability_are_told_apart(era: Era) -> None:
    registry = registries(plugin("some.tools", tool("free"), tool("gated", requires=SAMPLING)))(era)
    assert [item.wire.name for item in registry.gated_tools] == ["gated"]
    catalogue = Catalogue(registry, Additions())
    assert [item.wire.name for item in catalogue.tools_for(None)] == ["free"]
    assert [item.wire.name for item in catalogue.tools_for(SAMPLING)] == ["free", "gated"]


def test_nothing_active_is_a_registry_as_well(era: Era) -> None:
    registry = registries()(era)
    assert registry.capabilities.model_dump(exclude_none=True) == {}
    assert registry.instructions == ""


# ---------------------------------------------------------------- routes


async def handle(request: Any, status: Any) -> str:
    return "handled"


def routing(name: str, *paths: str) -> Candidate:
    """A plugin with routes."""
    hook = lambda: [RouteSpec(path=path, handler=handle) for path in paths]  # noqa: E731
    return plugin(name, module=module_of(everything_server_routes=hook))


def test_the_routes_of_all_active_plugins_are_served_and_listed() -> None:
    compiled = registries(routing("fake.b", "/b"), routing("fake.a", "/a", "/c"))
    assert [route.path for route in compiled.routes] == ["/a", "/c", "/b"]
    assert compiled.provisions(compiled.manager.plugins[0]) == ["route /a", "route /c"]
    assert compiled.manager.plugins[0].eras == tuple(Era)


def test_of_two_plugins_with_one_route_the_first_keeps_it() -> None:
    compiled = registries(routing("fake.a", "/a"), routing("fake.b", "/b", "/a"))
    assert [route.path for route in compiled.routes] == ["/a"]
    assert outcome(compiled, "fake.b").status is Status.CONFLICT
    assert outcome(compiled, "fake.b").reason == "route '/a' is declared by 'fake.a' (fake-distribution 1.0) already"


def test_a_plugin_cannot_have_a_route_twice() -> None:
    assert outcome(registries(routing("fake.a", "/a", "/a")), "fake.a").status is Status.CONFLICT


def test_a_path_of_the_transport_is_no_plugins() -> None:
    compiled = Registries(load([routing("fake.a", "/sse"), routing("fake.b", "/b")]), own_paths=("/sse", "/"))
    assert [route.path for route in compiled.routes] == ["/b"]
    assert outcome(compiled, "fake.a").status is Status.CONFLICT
    assert outcome(compiled, "fake.a").reason == "route '/sse' is declared by the server itself already"


@pytest.mark.parametrize("path", ["health", "", "/a/{b}", "/a?b", "/a#b"])
def test_a_route_needs_a_fixed_path(path: str) -> None:
    compiled = registries(routing("fake.a", path))
    assert outcome(compiled, "fake.a").status is Status.BROKEN
    assert "must begin with a slash, and have no variables" in outcome(compiled, "fake.a").reason


@pytest.mark.parametrize("methods", [(), ("get",), ("GET", "BREW")])
def test_a_route_needs_methods_that_there_are(methods: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="the methods of /a must be some of DELETE, GET"):
        RouteSpec(path="/a", handler=handle, methods=methods)


def test_what_is_no_route_is_refused() -> None:
    module = module_of(everything_server_routes=lambda: [tool("echo")])
    found = outcome(registries(plugin("fake.a", module=module)), "fake.a")
    assert (found.status, found.reason) == (
        Status.BROKEN,
        "TypeError: everything_server_routes gave a ToolSpec, expected RouteSpec",
    )
