"""Servers composed from a registry: what they advertise is what they serve, and what they start they stop."""

import logging
import threading
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal

import anyio
import pytest
from anyio.lowlevel import checkpoint
from everything_server import (
    FORM_ELICITATION,
    SAMPLING,
    URL_ELICITATION,
    CacheHint,
    Context,
    Era,
    ExtensionSpec,
    InvalidArgumentError,
    MCPError,
    MethodBinding,
    PluginManager,
    PromptSpec,
    Registries,
    ResourceNotFoundError,
    ResourceSpec,
    ResourceTemplateSpec,
    ServerFactory,
    Settings,
    ToolError,
    ToolSpec,
    __version__,
    create_server,
    server,
)
from everything_server.content.numbers import Number
from everything_server.serving.factory import ServingContext
from harness.plugins import Message, factory_of, plugin, wire
from mcp.server.subscriptions import ToolsListChanged
from mcp_types import BlobResourceContents, CallToolResult, ReadResourceResult, RequestParams, TextContent
from pydantic import BaseModel, Field

INVALID_PARAMS, METHOD_NOT_FOUND, INTERNAL = -32602, -32601, -32603


async def answer() -> str:
    """Answer."""
    return "answer"


@cache
def factory_for(plugins: str | None = None, disable: str = "") -> ServerFactory:
    """Makes servers with installed plugins."""
    manager = PluginManager(None if plugins is None else [plugins], [disable], strict=True)
    manager.load()
    return ServerFactory(Registries(manager), Settings())


def nulls(value: object, place: str = "") -> Iterator[str]:
    """The places in a message where there is a null."""
    if value is None:
        yield place
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from nulls(member, f"{place}.{key}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from nulls(member, f"{place}[{index}]")


# Who it is


async def test_a_server_says_who_it_is_and_what_its_active_plugins_say(era: Era) -> None:
    made = factory_of(plugin("a.a", instructions="First."), plugin("b.b", ToolSpec(name="t", fn=answer)))
    async with wire(made, era) as client:
        said = client.initialize_result if era is Era.LEGACY else await client.request("server/discover")
    assert said["instructions"] == "First."
    info = said["serverInfo"] if era is Era.LEGACY else said["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert (
        info.items()
        >= {
            "name": "mcp-servers/everything",
            "title": "Everything Reference Server",
            "version": __version__,
        }.items()
    )


async def test_without_instructions_there_is_no_such_member(era: Era) -> None:
    async with wire(factory_of(), era) as client:
        said = client.initialize_result if era is Era.LEGACY else await client.request("server/discover")
    assert "instructions" not in said


@pytest.mark.parametrize(
    ("eras", "newest", "oldest"),
    [
        (frozenset(Era), "2026-07-28", "2024-11-05"),
        (frozenset({Era.MODERN}), "2026-07-28", "2026-07-28"),
    ],
    ids=["dual", "modern"],
)
async def test_discover_names_every_version_that_the_process_serves(
    eras: frozenset[Era], newest: str, oldest: str
) -> None:
    async with wire(factory_of(settings=Settings(eras=eras)), Era.MODERN) as client:
        versions = (await client.request("server/discover"))["supportedVersions"]
    assert (versions[0], versions[-1]) == (newest, oldest)
    assert versions == sorted(versions, reverse=True)


# What it advertises is what it serves

METHODS: dict[str, list[tuple[str, Message]]] = {
    "tools": [("tools/list", {}), ("tools/call", {"name": "no-such", "arguments": {}})],
    "resources": [
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "demo://no-such"}),
    ],
    "prompts": [("prompts/list", {}), ("prompts/get", {"name": "no-such"})],
    "completions": [
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "no-such"}, "argument": {"name": "a", "value": ""}},
        )
    ],
    "logging": [("logging/setLevel", {"level": "info"})],
}
SUBSCRIBE: list[tuple[str, Message]] = [
    ("resources/subscribe", {"uri": "demo://resource/dynamic/text/1"}),
    ("resources/unsubscribe", {"uri": "demo://resource/dynamic/text/1"}),
]
ACTIVE = {
    "tools": (("tools", "gzip-file-as-resource"), {"tools"}),
    "a tool that makes resources": (("gzip-file-as-resource", ""), {"tools", "resources"}),
    "resources": (("resources", ""), {"resources", "completions"}),
    "fixed resources": (("resources.documents", ""), {"resources"}),
    "prompts": (("prompts", ""), {"prompts", "completions"}),
    "a simple prompt": (("prompts.simple", ""), {"prompts"}),
    "all three": (("tools,resources,prompts", ""), {"tools", "resources", "prompts", "completions"}),
    "nothing": ((None, "*"), set[str]()),
}
active_sets = pytest.mark.parametrize(("selection", "expected"), ACTIVE.values(), ids=ACTIVE)


@active_sets
async def test_a_method_is_served_exactly_when_its_capability_is_advertised(
    era: Era, selection: tuple[str | None, str], expected: set[str]
) -> None:
    async with wire(factory_for(*selection), era) as client:
        capabilities = await client.server_capabilities()
        assert expected <= set(capabilities) <= {*expected, "logging"}
        assert list(nulls(capabilities)) == []
        probes = [(name in capabilities, probe) for name, probes in METHODS.items() for probe in probes]
        # A modern client subscribes with subscriptions/listen.
        can_subscribe = era is Era.LEGACY and capabilities.get("resources", {}).get("subscribe", False)
        probes += [(can_subscribe, probe) for probe in SUBSCRIBE]
        for advertised, (method, params) in probes:
            answer = await client.answer(await client.start(method, params))
            served = answer.get("error", {}).get("code") != METHOD_NOT_FOUND
            if method == "logging/setLevel" and era is Era.MODERN:
                assert not served  # removed; the level is in the request's `_meta`
                continue
            assert served == advertised, (method, answer)


@active_sets
async def test_a_listen_stream_is_acknowledged_for_exactly_what_is_advertised(
    selection: tuple[str | None, str], expected: set[str]
) -> None:
    uris = ["demo://resource/dynamic/text/1"]
    everything = {
        "toolsListChanged": True,
        "promptsListChanged": True,
        "resourcesListChanged": True,
        "resourceSubscriptions": uris,
    }
    async with wire(factory_for(*selection), Era.MODERN) as client:
        capabilities = await client.server_capabilities()
        await client.start("subscriptions/listen", {"notifications": everything})
        acknowledged = (await client.receive())["params"]["notifications"]
    promised = {f"{kind}ListChanged": True for kind in expected if capabilities[kind].get("listChanged")}
    if capabilities.get("resources", {}).get("subscribe"):
        promised["resourceSubscriptions"] = uris  # type: ignore[assignment]
    assert acknowledged == promised


async def test_list_changes_are_advertised_for_each_kind_that_is_served(era: Era) -> None:
    async with wire(factory_for("tools,resources,prompts"), era) as client:
        capabilities = await client.server_capabilities()
    assert capabilities["tools"] == {"listChanged": True}
    assert capabilities["prompts"] == {"listChanged": True}
    assert capabilities["resources"] == {"subscribe": True, "listChanged": True}


async def test_a_method_that_does_not_exist_is_not_found(era: Era) -> None:
    async with wire(factory_for(None), era) as client:
        other_eras = "server/discover" if era is Era.LEGACY else "ping"
        for method in ("foo/bar", "", "tools", "tools/list/", other_eras, "tasks/list", "tasks/result"):
            assert (await client.refused(method))["code"] == METHOD_NOT_FOUND, method


async def serve_time(ctx: Any, params: RequestParams) -> dict[str, Any]:
    """Uses the instance, as the handlers of extensions do."""
    return {"era": ctx.lifespan_context.era}


async def test_an_extension_is_advertised_and_served_in_the_modern_era_only() -> None:
    made = factory_of(
        plugin(
            "some.clock",
            ExtensionSpec(
                identifier="com.example/clock",
                settings={"unit": "s"},
                methods=(MethodBinding("clock/now", RequestParams, serve_time),),
            ),
        )
    )
    async with wire(made, Era.MODERN) as client:
        assert (await client.server_capabilities())["extensions"] == {"com.example/clock": {"unit": "s"}}
        declared = {"extensions": {"com.example/clock": {}}}
        assert (await client.request("clock/now", capabilities=declared))["era"] == "modern"
        refusal = await client.refused("clock/now", capabilities={"extensions": {"com.example/other": {}}})
        assert (refusal["code"], refusal["data"]) == (-32021, {"requiredCapabilities": declared})
    async with wire(made, Era.LEGACY) as client:
        assert "extensions" not in await client.server_capabilities()
        assert (await client.refused("clock/now"))["code"] == METHOD_NOT_FOUND


# Tools that not every client can use


@cache
def gated() -> ServerFactory:
    return factory_of(
        plugin(
            "some.tools",
            ToolSpec(name="free", fn=answer),
            ToolSpec(name="samples", fn=answer, requires=SAMPLING),
            ToolSpec(name="asks", fn=answer, requires=FORM_ELICITATION),
            ToolSpec(name="sends", fn=answer, requires=URL_ELICITATION),
        )
    )


def names(result: Message) -> list[str]:
    return [tool["name"] for tool in result["tools"]]


async def test_a_legacy_request_before_the_handshake_is_told_to_wait_for_it_and_a_ping_is_not() -> None:
    async with wire(gated(), Era.LEGACY, handshake=False) as client:
        error = await client.refused("tools/list")
        assert (error["code"], error["message"]) == (-32602, "tools/list has to wait: a client must initialize first")
        assert (await client.refused("no/such"))["code"] == -32601
        assert await client.request("ping") == {}
        await client.initialize()
        assert await client.request("tools/list")


async def test_a_legacy_client_is_shown_gated_tools_once_it_has_initialized_and_is_told_so() -> None:
    async with wire(gated(), Era.LEGACY, {"sampling": {}}, handshake=False) as client:
        await client.initialize(initialized=False)
        assert names(await client.request("tools/list")) == ["free"]
        await client.notify("notifications/initialized")
        assert await client.receive() == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        assert names(await client.request("tools/list")) == ["free", "samples"]
        assert await client.call_text("samples") == "answer"


@pytest.mark.parametrize(
    ("capabilities", "shown"),
    [
        ({}, ["free"]),
        ({"sampling": {}}, ["free", "samples"]),
        ({"elicitation": {}}, ["free", "asks"]),
        ({"elicitation": {"form": {}}}, ["free", "asks"]),
        ({"elicitation": {"url": {}}}, ["free", "sends"]),
        ({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}}, ["free", "samples", "asks", "sends"]),
        ({"roots": {"listChanged": True}}, ["free"]),
    ],
    ids=str,
)
async def test_a_legacy_client_is_shown_and_served_the_tools_that_it_can_use(
    capabilities: Message, shown: list[str]
) -> None:
    async with wire(gated(), Era.LEGACY, capabilities) as client:
        if len(shown) > 1:
            assert (await client.receive())["method"] == "notifications/tools/list_changed"
        assert names(await client.request("tools/list")) == shown
        for name in ("free", "samples", "asks", "sends"):
            if name in shown:
                assert await client.call_text(name) == "answer"
            else:
                error = await client.refused("tools/call", {"name": name, "arguments": {}})
                assert (error["code"], error["message"]) == (INVALID_PARAMS, f"Unknown tool: {name}")
        assert client.others == []  # nothing was changed for a client that gains nothing


@pytest.mark.parametrize("capabilities", [{}, {"sampling": {}}, {"elicitation": {}}], ids=str)
async def test_a_modern_client_is_shown_every_tool_whatever_it_declares(capabilities: Message) -> None:
    async with wire(gated(), Era.MODERN, capabilities) as client:
        assert names(await client.request("tools/list")) == ["free", "samples", "asks", "sends"]


@pytest.mark.parametrize(
    ("tool", "declared", "missing"),
    [
        ("samples", {}, {"sampling": {}}),
        ("samples", {"elicitation": {}, "roots": {}}, {"sampling": {}}),
        ("asks", {}, {"elicitation": {"form": {}}}),
        ("asks", {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        ("sends", {"elicitation": {}}, {"elicitation": {"url": {}}}),
        ("sends", {"elicitation": {"form": {}}}, {"elicitation": {"url": {}}}),
    ],
)
async def test_a_modern_call_without_the_capability_is_refused_naming_what_is_missing(
    tool: str, declared: Message, missing: Message
) -> None:
    async with wire(gated(), Era.MODERN, declared) as client:
        error = await client.refused("tools/call", {"name": tool, "arguments": {}})
        assert error["code"] == -32021
        assert error["data"] == {"requiredCapabilities": missing}
        assert await client.call_text("free") == "answer"


async def test_capabilities_count_request_by_request_in_the_modern_era() -> None:
    async with wire(gated(), Era.MODERN) as client:
        params = {"name": "asks", "arguments": {}}
        assert (await client.refused("tools/call", params))["code"] == -32021
        assert "content" in await client.request("tools/call", params, {"elicitation": {}})
        assert (await client.refused("tools/call", params))["code"] == -32021


async def test_a_gated_tool_is_refused_before_its_arguments_are_looked_at() -> None:
    async with wire(gated(), Era.MODERN) as client:
        assert (await client.refused("tools/call", {"name": "asks", "arguments": {"no": 1}}))["code"] == -32021


# Errors


async def city_weather(city: str, day: Literal["today", "tomorrow"] = "today") -> str:
    """Ask for the weather."""
    if city == "Atlantis":
        raise InvalidArgumentError("city", "is under water")
    return f"What is the weather in {city} {day}?"


async def read_number(number: int) -> str:
    """Give a number."""
    if number < 1:
        raise ResourceNotFoundError(f"numbers begin at 1, not {number}")
    return str(number)


async def read_gone() -> str:
    """Was there once."""
    raise ResourceNotFoundError("it is gone")


async def fail(how: str) -> str:
    """Fail."""
    raise {
        "tool": ToolError("The kettle is empty"),
        "argument": InvalidArgumentError("how", "is not how it is done"),
        "protocol": MCPError(-32001, "Ask somebody else", {"who": "them"}),
        "not found": ResourceNotFoundError("no tea"),
        "bug": RuntimeError("secret-canary"),
    }[how]


async def read_sibling(ctx: Context) -> str:
    """Read what is not there."""
    await ctx.read_resource("x://nowhere")
    return "never"


@cache
def failing() -> ServerFactory:
    return factory_of(
        plugin(
            "some.things",
            ToolSpec(name="fail", fn=fail),
            PromptSpec(name="fail", fn=fail),
            PromptSpec(name="sibling", fn=read_sibling),
            PromptSpec(name="weather", fn=city_weather, completions={"city": lambda value, settled: ["Paris"]}),
            PromptSpec(name="plain", fn=answer),
            ResourceSpec(uri="x://fixed", name="fixed", fn=answer),
            ResourceSpec(uri="x://gone", name="gone", fn=read_gone),
            ResourceTemplateSpec(
                uri_template="x://number/{number}",
                name="number",
                fn=read_number,
                completions={"number": lambda value, settled: map(str, range(1, 251))},
            ),
            ResourceTemplateSpec(uri_template="x://fail/{how}", name="fail", fn=fail),
        )
    )


def no_complaints(caplog: pytest.LogCaptureFixture) -> bool:
    """Whether nothing was logged as if the server were at fault: a client's mistake is none of its own."""
    return [record for record in caplog.records if record.levelno >= logging.WARNING] == []


MISTAKES: dict[str, tuple[str, Message, str]] = {
    "an unknown tool": ("tools/call", {"name": "no-such", "arguments": {}}, "no-such"),
    "an unknown tool without arguments": ("tools/call", {"name": "no-such"}, "no-such"),
    "no tool": ("tools/call", {"arguments": {}}, "name"),
    "a tool whose name is no text": ("tools/call", {"name": 5}, "name"),
    "no params at all": ("tools/call", {}, "required"),
    "arguments that are a list": ("tools/call", {"name": "fail", "arguments": [1, 2]}, "arguments"),
    "arguments that are null": ("tools/call", {"name": "fail", "arguments": None}, "arguments"),
    "arguments that are a text": ("tools/call", {"name": "fail", "arguments": "{}"}, "arguments"),
    "an unknown prompt": ("prompts/get", {"name": "no-such"}, "no-such"),
    "no prompt": ("prompts/get", {"arguments": {}}, "name"),
    "a missing prompt argument": ("prompts/get", {"name": "weather"}, "city"),
    "a missing prompt argument among others": (
        "prompts/get",
        {"name": "weather", "arguments": {"day": "today"}},
        "city",
    ),
    "an undeclared prompt argument": ("prompts/get", {"name": "weather", "arguments": {"city": "x", "zz": "y"}}, "zz"),
    "a prompt argument that is no text": ("prompts/get", {"name": "weather", "arguments": {"city": 5}}, "city"),
    "a prompt argument with a bad value": (
        "prompts/get",
        {"name": "weather", "arguments": {"city": "x", "day": "never"}},
        "day",
    ),
    "a prompt argument that the prompt cannot use": (
        "prompts/get",
        {"name": "weather", "arguments": {"city": "Atlantis"}},
        "city: is under water",
    ),
    "prompt arguments that are null": ("prompts/get", {"name": "plain", "arguments": None}, "arguments"),
    "prompt arguments that are a list": ("prompts/get", {"name": "weather", "arguments": ["city"]}, "arguments"),
    "no uri": ("resources/read", {"url": "x://fixed"}, "uri"),
    "a uri that is no text": ("resources/read", {"uri": 5}, "uri"),
    "completion for an unknown prompt": (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "no-such"}, "argument": {"name": "a", "value": ""}},
        "no-such",
    ),
    "completion for an unknown template": (
        "completion/complete",
        {"ref": {"type": "ref/resource", "uri": "x://no-such/{a}"}, "argument": {"name": "a", "value": ""}},
        "x://no-such/{a}",
    ),
    "completion for an unknown kind": (
        "completion/complete",
        {"ref": {"type": "ref/tool", "name": "fail"}, "argument": {"name": "a", "value": ""}},
        "ref",
    ),
    "completion of no argument": (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "weather"}},
        "argument",
    ),
}


@pytest.mark.parametrize(("method", "params", "named"), MISTAKES.values(), ids=MISTAKES)
async def test_a_clients_mistake_is_invalid_params_and_names_what_is_wrong(
    era: Era, method: str, params: Message, named: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with wire(failing(), era) as client:
        error = await client.refused(method, params)
    assert error["code"] == INVALID_PARAMS
    assert named in error["message"]
    assert "http" not in error["message"]
    assert "pydantic" not in error["message"].lower()
    assert no_complaints(caplog)


async def test_a_long_name_is_not_repeated_at_length(era: Era) -> None:
    async with wire(failing(), era) as client:
        for method, params in (
            ("tools/call", {"name": "x" * 100_000}),
            ("prompts/get", {"name": "x" * 100_000}),
            ("prompts/get", {"name": "plain", "arguments": {"x" * 100_000: ""}}),
            ("completion/complete", METHODS["completions"][0][1] | {"ref": {"type": "ref/prompt", "name": "x" * 9999}}),
        ):
            assert len((await client.refused(method, params))["message"]) < 1000


@pytest.mark.parametrize(
    "uri",
    [
        "x://nowhere",
        "",
        "no uri",
        "x://gone",
        "x://number/0",
        "x://number/abc",
        "x://number/1.5",
        "x://number/",
        "X://FIXED",
    ],
)
async def test_an_unknown_resource_is_the_eras_error_and_repeats_its_uri(
    era: Era, uri: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with wire(failing(), era) as client:
        error = await client.refused("resources/read", {"uri": uri})
    assert error["code"] == (-32002 if era is Era.LEGACY else INVALID_PARAMS)
    assert error["data"] == {"uri": uri}
    assert no_complaints(caplog)


async def test_what_a_tool_says_about_its_failure_is_its_result(era: Era, caplog: pytest.LogCaptureFixture) -> None:
    async with wire(failing(), era) as client:
        for how, text in (("tool", "The kettle is empty"), ("argument", "how: is not how it is done")):
            result = await client.call("fail", how=how)
            assert result["isError"] is True
            assert text in result["content"][0]["text"]
    assert no_complaints(caplog)


async def test_a_tool_may_answer_with_a_protocol_error(era: Era) -> None:
    async with wire(failing(), era) as client:
        error = await client.refused("tools/call", {"name": "fail", "arguments": {"how": "protocol"}})
    assert error == {"code": -32001, "message": "Ask somebody else", "data": {"who": "them"}}


async def test_a_bug_in_a_tool_is_a_result_without_its_text_which_is_on_the_log(
    era: Era, caplog: pytest.LogCaptureFixture
) -> None:
    async with wire(failing(), era) as client:
        result = await client.call("fail", how="bug")
    assert result["isError"] is True
    assert [content["text"] for content in result["content"]] == ["Error executing tool fail"]
    assert "secret-canary" in caplog.text


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("prompts/get", {"name": "fail", "arguments": {"how": "bug"}}),
        ("resources/read", {"uri": "x://fail/bug"}),
    ],
)
async def test_a_bug_in_a_prompt_or_resource_is_an_internal_error_without_its_text(
    era: Era, method: str, params: Message, caplog: pytest.LogCaptureFixture
) -> None:
    async with wire(failing(), era) as client:
        error = await client.refused(method, params)
        assert error["code"] == INTERNAL
        assert "secret-canary" not in str(error)
        assert "secret-canary" in caplog.text
        assert (await client.request("resources/read", {"uri": "x://fixed"}))["contents"]  # it lives on


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("prompts/get", {"name": "fail", "arguments": {"how": "protocol"}}),
        ("resources/read", {"uri": "x://fail/protocol"}),
    ],
)
async def test_a_prompt_or_resource_may_answer_with_a_protocol_error(era: Era, method: str, params: Message) -> None:
    async with wire(failing(), era) as client:
        assert (await client.refused(method, params))["code"] == -32001


async def test_a_prompt_that_reads_what_is_not_there_gives_the_error_of_that(era: Era) -> None:
    async with wire(failing(), era) as client:
        error = await client.refused("prompts/get", {"name": "sibling"})
    assert error["code"] == (-32002 if era is Era.LEGACY else INVALID_PARAMS)
    assert error["data"] == {"uri": "x://nowhere"}


async def test_completion_gives_at_most_a_hundred_matches_and_tells_of_the_rest(era: Era) -> None:
    template = {"type": "ref/resource", "uri": "x://number/{number}"}
    async with wire(failing(), era) as client:
        result = await client.request(
            "completion/complete", {"ref": template, "argument": {"name": "number", "value": ""}}
        )
    completion = result["completion"]
    assert completion["values"] == [str(number) for number in range(1, 101)]
    assert (completion["total"], completion["hasMore"]) == (250, True)


@pytest.mark.parametrize(
    "ref",
    [
        {"type": "ref/prompt", "name": "weather"},
        {"type": "ref/prompt", "name": "plain"},
        {"type": "ref/resource", "uri": "x://number/{number}"},
        {"type": "ref/resource", "uri": "x://fixed"},
    ],
    ids=str,
)
async def test_an_argument_that_nothing_completes_has_no_matches(era: Era, ref: Message) -> None:
    async with wire(failing(), era) as client:
        result = await client.request("completion/complete", {"ref": ref, "argument": {"name": "other", "value": ""}})
    assert result["completion"] == {"values": [], "total": 0, "hasMore": False}


# Arguments


class Point(BaseModel):
    x: int
    label: str = ""


async def typed(
    a: Number,
    b: Number,
    text: str = "",
    size: Literal["small", "large"] = "small",
    steps: Annotated[int, Field(ge=1, le=10)] = 1,
    flag: bool = False,
    points: list[Point] | None = None,
) -> str:
    """Show what arrived."""
    return repr((a, b, text, size, steps, flag, points))


@cache
def strict() -> ServerFactory:
    return factory_of(plugin("some.tools", ToolSpec(name="typed", fn=typed), ToolSpec(name="answer", fn=answer)))


WRONG: dict[str, tuple[Message, list[str]]] = {
    "an undeclared argument": ({"a": 1, "b": 2, "zzz": 3}, ["zzz"]),
    "two undeclared arguments": ({"a": 1, "b": 2, "zzz": 3, "yyy": 4}, ["zzz", "yyy"]),
    "an argument in the wrong case": ({"a": 1, "b": 2, "Text": ""}, ["Text"]),
    "a text for a number": ({"a": "1", "b": 2}, ["a"]),
    "a boolean for a number": ({"a": True, "b": 2}, ["a"]),
    "null for a number": ({"a": None, "b": 2}, ["a"]),
    "a missing argument": ({"a": 1}, ["b"]),
    "two missing arguments": ({}, ["a", "b"]),
    "a number for a text": ({"a": 1, "b": 2, "text": 5}, ["text"]),
    "null for a text": ({"a": 1, "b": 2, "text": None}, ["text"]),
    "an object for a text": ({"a": 1, "b": 2, "text": {}}, ["text"]),
    "an enum value in the wrong case": ({"a": 1, "b": 2, "size": "SMALL"}, ["size"]),
    "an unknown enum value": ({"a": 1, "b": 2, "size": ""}, ["size"]),
    "a number below its limit": ({"a": 1, "b": 2, "steps": 0}, ["steps"]),
    "a number above its limit": ({"a": 1, "b": 2, "steps": 11}, ["steps"]),
    "a fraction for an integer": ({"a": 1, "b": 2, "steps": 2.5}, ["steps"]),
    "a text for an integer": ({"a": 1, "b": 2, "steps": "2"}, ["steps"]),
    "a number for a boolean": ({"a": 1, "b": 2, "flag": 1}, ["flag"]),
    "a text for a boolean": ({"a": 1, "b": 2, "flag": "true"}, ["flag"]),
    "an object for a list": ({"a": 1, "b": 2, "points": {"x": 1}}, ["points"]),
    "JSON text for a list": ({"a": 1, "b": 2, "points": "[]"}, ["points"]),
    "something wrong deep inside": ({"a": 1, "b": 2, "points": [{"x": 1}, {"x": "1"}]}, ["points"]),
    "several things at once": ({"a": "1", "steps": 0, "zzz": 0}, ["a", "b", "steps", "zzz"]),
}


@pytest.mark.parametrize(("arguments", "named"), WRONG.values(), ids=WRONG)
async def test_arguments_that_the_schema_does_not_allow_are_refused_by_name(
    era: Era, arguments: Message, named: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    async with wire(strict(), era) as client:
        result = await client.call("typed", **arguments)
    assert result["isError"] is True
    (content,) = result["content"]
    _, *lines = content["text"].splitlines()
    places = [line.removeprefix("- ").partition(":")[0].partition("[")[0] for line in lines]
    assert set(places) == set(named)
    for internal in ("http", "pydantic", "validation error", "input_value", "Traceback"):
        assert internal not in content["text"]
    assert no_complaints(caplog)


async def test_missing_arguments_are_told_when_there_is_no_arguments_member(era: Era) -> None:
    async with wire(strict(), era) as client:
        result = await client.request("tools/call", {"name": "typed"})
        assert result["isError"] is True
        assert "a: is required" in result["content"][0]["text"]
        assert (await client.request("tools/call", {"name": "answer"}))["content"][0]["text"] == "answer"


async def test_a_value_is_not_repeated_in_the_complaint_about_it(era: Era) -> None:
    """It may be secret, and it may be megabytes long."""
    canary = "canary-7781" * 1000
    async with wire(strict(), era) as client:
        for arguments in ({"a": canary}, {"size": canary}, {"points": [{"x": canary}]}):
            result = await client.call("typed", **{"a": 1, "b": 2, **arguments})
            assert result["isError"] is True
            assert "canary" not in result["content"][0]["text"]


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"a": 1, "b": 2.5}, "(1, 2.5, '', 'small', 1, False, None)"),
        ({"a": 12345678901234567890123, "b": -1}, "(12345678901234567890123, -1, '', 'small', 1, False, None)"),
        ({"a": 1, "b": 1, "text": "5"}, "(1, 1, '5', 'small', 1, False, None)"),
        ({"a": 1, "b": 1, "text": '{"a": 1}'}, "(1, 1, '{\"a\": 1}', 'small', 1, False, None)"),
        ({"a": 1, "b": 1, "text": "null"}, "(1, 1, 'null', 'small', 1, False, None)"),
        ({"a": 1, "b": 1, "steps": 2.0}, "(1, 1, '', 'small', 2, False, None)"),  # JSON Schema: an integer
        ({"a": 1, "b": 1, "points": None}, "(1, 1, '', 'small', 1, False, None)"),
        ({"a": 1, "b": 1, "points": [{"x": 1}]}, "(1, 1, '', 'small', 1, False, [Point(x=1, label='')])"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, dict) else "",
)
async def test_arguments_that_the_schema_allows_arrive_as_they_are(era: Era, arguments: Message, shown: str) -> None:
    async with wire(strict(), era) as client:
        assert await client.call_text("typed", **arguments) == shown


# Results


class Place(BaseModel):
    name: str


def which_thread() -> str:
    """Tell whether this is the thread that serves."""
    return str(threading.current_thread() is threading.main_thread())


async def give_result() -> CallToolResult:
    """Give a whole result."""
    return CallToolResult(content=[TextContent(type="text", text="whole")], structured_content={"n": 1}, is_error=True)


async def give_place() -> Place:
    """Give an object."""
    return Place(name="here")


async def give_places() -> list[Place]:
    """Give a list."""
    return [Place(name="here"), Place(name="there")]


async def read_bytes() -> bytes:
    """Give bytes."""
    return b"\x00\xff"


async def read_several(ctx: Context) -> list[BlobResourceContents]:
    """Give several contents."""
    return [BlobResourceContents(uri=f"{ctx.uri}/{number}", blob="AA==") for number in range(2)]


async def read_whole() -> ReadResourceResult:
    """Give a whole result."""
    return ReadResourceResult(contents=[], ttl_ms=5, cache_scope="public")


@cache
def results() -> ServerFactory:
    return factory_of(
        plugin(
            "some.things",
            ToolSpec(name="thread", fn=which_thread),
            ToolSpec(name="result", fn=give_result),
            ToolSpec(name="place", fn=give_place, structured=True),
            ToolSpec(name="places", fn=give_places, structured=True),
            ResourceSpec(uri="x://text", name="text", fn=answer, cache=CacheHint(ttl_ms=3_600_000, scope="public")),
            ResourceSpec(uri="x://bytes", name="bytes", fn=read_bytes, mime_type="application/octet-stream"),
            ResourceSpec(uri="x://several", name="several", fn=read_several),
            ResourceSpec(uri="x://whole", name="whole", fn=read_whole),
            ResourceTemplateSpec(uri_template="x://number/{number}", name="number", fn=read_number),
            PromptSpec(name="weather", fn=city_weather),
            PromptSpec(name="plain", fn=answer),
        )
    )


async def test_a_plain_function_does_not_hold_up_the_others(era: Era) -> None:
    async with wire(results(), era) as client:
        assert await client.call_text("thread") == "False"


async def test_a_whole_result_is_given_as_it_is(era: Era) -> None:
    async with wire(results(), era) as client:
        result = await client.call("result")
    assert result["content"] == [{"type": "text", "text": "whole"}]
    assert (result["structuredContent"], result["isError"]) == ({"n": 1}, True)


async def test_structured_content_is_an_object_in_the_legacy_era_and_any_value_in_the_modern_one(era: Era) -> None:
    async with wire(results(), era) as client:
        place, places = await client.call("place"), await client.call("places")
    listed = [{"name": "here"}, {"name": "there"}]
    assert place["structuredContent"] == {"name": "here"}
    assert place["content"] == [{"type": "text", "text": '{"name":"here"}'}]
    assert places["structuredContent"] == ({"result": listed} if era is Era.LEGACY else listed)
    assert places["content"] == [{"type": "text", "text": '[{"name":"here"},{"name":"there"}]'}]


async def test_a_resource_may_be_text_bytes_several_contents_or_a_whole_result(era: Era) -> None:
    async with wire(results(), era) as client:

        async def read(uri: str) -> list[Message]:
            return (await client.request("resources/read", {"uri": uri}))["contents"]

        assert await read("x://text") == [{"uri": "x://text", "mimeType": "text/plain", "text": "answer"}]
        assert await read("x://bytes") == [{"uri": "x://bytes", "mimeType": "application/octet-stream", "blob": "AP8="}]
        assert [content["uri"] for content in await read("x://several")] == ["x://several/0", "x://several/1"]
        assert await read("x://whole") == []
        assert await read("x://number/7") == [{"uri": "x://number/7", "mimeType": "text/plain", "text": "7"}]


async def test_modern_results_tell_how_long_they_may_be_kept_and_legacy_ones_do_not(era: Era) -> None:
    async with wire(results(), era) as client:
        kept = {
            method: await client.request(method, params)
            for method, params in {
                "tools/list": {},
                "resources/list": {},
                "resources/templates/list": {},
                "prompts/list": {},
                **({"server/discover": {}} if era is Era.MODERN else {}),
            }.items()
        }
        kept |= {
            uri: await client.request("resources/read", {"uri": uri}) for uri in ("x://text", "x://bytes", "x://whole")
        }
        called = await client.call("place")
    if era is Era.LEGACY:
        for result in [*kept.values(), called]:
            assert not {"ttlMs", "cacheScope", "resultType"} & set(result)
        return
    hints = {what: (result["ttlMs"], result["cacheScope"]) for what, result in kept.items()}
    assert hints.pop("x://text") == (3_600_000, "public")
    assert hints.pop("x://bytes") == (0, "private")
    assert hints.pop("x://whole") == (5, "public")
    assert set(hints.values()) == {(60_000, "public")}
    assert {result["resultType"] for result in [*kept.values(), called]} == {"complete"}


async def test_no_member_is_null_and_the_order_is_the_same_every_time(era: Era) -> None:
    async with wire(results(), era) as client:
        for method, params in (
            ("tools/list", {}),
            ("resources/list", {}),
            ("resources/templates/list", {}),
            ("prompts/list", {}),
            ("prompts/get", {"name": "plain"}),
            ("prompts/get", {"name": "weather", "arguments": {"city": "Paris"}}),
            ("resources/read", {"uri": "x://text"}),
            ("resources/read", {"uri": "x://several"}),
            ("tools/call", {"name": "place"}),
            ("tools/call", {"name": "no", "arguments": {}}),
        ):
            first = await client.answer(await client.start(method, params))
            second = await client.answer(await client.start(method, params))
            assert list(nulls(first)) == []
            assert {**first, "id": 0} == {**second, "id": 0}
    # `default` is the one place where JSON Schema has a use for null.
    assert list(nulls(client.initialize_result)) == []


async def test_a_prompt_without_arguments_has_no_list_of_them(era: Era) -> None:
    async with wire(results(), era) as client:
        prompts = {prompt["name"]: prompt for prompt in (await client.request("prompts/list"))["prompts"]}
    assert "arguments" not in prompts["plain"]
    assert [argument["name"] for argument in prompts["weather"]["arguments"]] == ["city", "day"]
    assert [argument.get("required") for argument in prompts["weather"]["arguments"]] == [True, None]


# One instance for each connection, and its end


async def test_each_server_has_a_state_of_its_own_over_one_registry(era: Era) -> None:
    made = factory_of(plugin("some.tool", ToolSpec(name="answer", fn=answer)))
    first, second = (made(ServingContext(era=era, publish=server.publish_nowhere)) for _ in range(2))
    async with first.lifespan(first) as one, second.lifespan(second) as other:
        assert one is not other
        assert one.era is other.era is era
        assert one.state is not other.state


async def test_a_server_can_be_made_from_a_registry_alone(era: Era) -> None:
    registry = factory_of(plugin("some.tool", ToolSpec(name="answer", fn=answer))).registry(era)
    made = create_server(registry)
    async with made.lifespan(made) as context:
        assert context.features.instructions == registry.instructions
        await context.publish(ToolsListChanged())  # to nobody


class StoppedClock:
    """Time that does not pass: who sleeps, sleeps for ever."""

    def __init__(self) -> None:
        self.sleepers = 0
        self.slept = anyio.Event()

    async def sleep(self, seconds: float) -> None:
        self.sleepers += 1
        self.slept.set()
        try:
            await anyio.sleep_forever()
        finally:
            self.sleepers -= 1


def timer_plugin(log: list[str], *, undo: Any = None) -> Any:
    async def start_timer(ctx: Context) -> str:
        """Start a timer for the rest of the connection, and undo something at its end."""

        async def tick() -> None:
            try:
                while True:
                    await ctx.server.clock.sleep(60)
            finally:
                log.append("timer stopped")

        async def undo_it() -> None:
            await checkpoint()  # what must be undone may have to be waited for
            log.append("undone")

        ctx.server.start(tick)
        ctx.server.exit_stack.push_async_callback(undo or undo_it)
        return "started"

    return plugin("some.timer", ToolSpec(name="start-timer", fn=start_timer))


async def test_the_end_of_a_connection_stops_its_timers_and_then_undoes_what_it_must() -> None:
    log: list[str] = []
    clock: Any = StoppedClock()
    made = factory_of(timer_plugin(log), settings=Settings(clock=clock))
    async with wire(made, Era.LEGACY) as client:
        assert await client.call_text("start-timer") == "started"
        assert await client.call_text("start-timer") == "started"
        await clock.slept.wait()
        assert log == []
        assert clock.sleepers == 2
    assert log == ["timer stopped", "timer stopped", "undone", "undone"]
    assert clock.sleepers == 0


async def test_the_timers_of_one_connection_are_not_those_of_another() -> None:
    log: list[str] = []
    clock: Any = StoppedClock()
    made = factory_of(timer_plugin(log), settings=Settings(clock=clock))
    async with wire(made, Era.LEGACY) as stays:
        await stays.call_text("start-timer")
        async with wire(made, Era.LEGACY) as leaves:
            await leaves.call_text("start-timer")
        assert log == ["timer stopped", "undone"]
        assert clock.sleepers == 1
        await stays.request("ping")
    assert clock.sleepers == 0


async def test_a_timer_sends_notifications_without_a_request() -> None:
    async def announce(ctx: Context) -> str:
        """Announce a change later."""

        async def later() -> None:
            await ctx.notify_tools_changed()

        ctx.server.start(later)
        return "soon"

    async with wire(factory_of(plugin("some.tool", ToolSpec(name="announce", fn=announce))), Era.LEGACY) as client:
        assert await client.call_text("announce") == "soon"
        told = client.others or [await client.receive()]
        assert told == [{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}]


async def test_a_timer_that_raises_is_logged_and_its_connection_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    async def start_bad_timer(ctx: Context) -> str:
        """Start something that fails."""

        async def fail_later() -> None:
            raise RuntimeError("the timer is broken")

        ctx.server.start(fail_later)
        return "started"

    async with wire(factory_of(plugin("some.tool", ToolSpec(name="bad", fn=start_bad_timer))), Era.LEGACY) as client:
        assert await client.call_text("bad") == "started"
        for _ in range(3):
            await client.request("ping")
    assert "the timer is broken" in caplog.text


async def test_a_tool_cannot_start_a_timer_in_the_modern_era(caplog: pytest.LogCaptureFixture) -> None:
    log: list[str] = []
    async with wire(factory_of(timer_plugin(log)), Era.MODERN) as client:
        assert (await client.call("start-timer"))["isError"] is True
    assert log == []


async def test_a_modern_instance_undoes_what_it_must_as_well() -> None:
    log: list[str] = []

    async def register(ctx: Context) -> str:
        """Undo something at the end."""
        ctx.server.exit_stack.callback(log.append, "undone")
        return "registered"

    async with wire(factory_of(plugin("some.tool", ToolSpec(name="register", fn=register))), Era.MODERN) as client:
        await client.call_text("register")
    assert log == ["undone"]


async def test_what_must_be_undone_is_waited_for_even_when_the_connection_is_cut_off(era: Era) -> None:
    log: list[str] = []

    async def undo() -> None:
        await checkpoint()
        log.append("undone")

    made = factory_of().create_server(era, server.publish_nowhere)
    with anyio.CancelScope() as connection:
        async with made.lifespan(made) as context:
            context.exit_stack.push_async_callback(undo)
            connection.cancel()
            await anyio.sleep_forever()
    assert log == ["undone"]


async def test_what_must_be_undone_is_undone_when_serving_fails(era: Era) -> None:
    log: list[str] = []
    made = factory_of().create_server(era, server.publish_nowhere)

    async def serve() -> None:
        async with made.lifespan(made) as context:
            context.exit_stack.callback(log.append, "undone")
            raise OSError("the line is dead")

    with pytest.raises((OSError, ExceptionGroup)):
        await serve()
    assert log == ["undone"]


async def test_cleanup_that_does_not_end_is_given_up_and_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server, "CLEANUP_TIMEOUT", 0.01)
    log: list[str] = []
    clock: Any = StoppedClock()
    made = factory_of(timer_plugin(log, undo=anyio.sleep_forever), settings=Settings(clock=clock))
    async with wire(made, Era.LEGACY) as client:
        await client.call_text("start-timer")
    assert log == ["timer stopped"]
    assert "given up" in caplog.text


async def test_cleanup_that_raises_is_told_and_spoils_neither_the_rest_nor_the_end(
    era: Era, caplog: pytest.LogCaptureFixture
) -> None:
    log: list[str] = []

    def undo_badly() -> None:
        raise RuntimeError("cannot undo this")

    async def register(ctx: Context) -> str:
        """Undo three things at the end."""
        ctx.server.exit_stack.callback(log.append, "first")
        ctx.server.exit_stack.callback(undo_badly)
        ctx.server.exit_stack.callback(log.append, "last")
        return "registered"

    async with wire(factory_of(plugin("some.tool", ToolSpec(name="register", fn=register))), era) as client:
        await client.call_text("register")
    assert log == ["last", "first"]
    assert "cannot undo this" in caplog.text


async def test_a_call_in_progress_ends_with_its_connection(monkeypatch: pytest.MonkeyPatch, era: Era) -> None:
    """Once input has ended it has its grace, and is then cut off."""
    monkeypatch.setattr("everything_server.serving.stdio.NEXT_ANSWER", 0.01)
    log: list[str] = []

    async def hang() -> str:
        """Never answer."""
        try:
            await anyio.sleep_forever()
        finally:
            log.append("cut off")
        return ""

    async with wire(factory_of(plugin("some.tool", ToolSpec(name="hang", fn=hang))), era) as client:
        await client.start("tools/call", {"name": "hang", "arguments": {}})
    assert log == ["cut off"]
