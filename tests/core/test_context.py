"""What a plugin's function can reach: its server instance, its request, its client."""

import json
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from everything_server import (
    Context,
    Era,
    MCPError,
    PromptSpec,
    ResourceSpec,
    ResourceTemplateSpec,
    ServerContext,
    ServerFactory,
    SystemClock,
    ToolSpec,
)
from everything_server.context import State
from harness.plugins import Wire, factory_of, plugin, wire
from mcp.server.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

CHANGES: dict[str, Callable[[Context], Any]] = {
    "tools": lambda ctx: ctx.notify_tools_changed(),
    "prompts": lambda ctx: ctx.notify_prompts_changed(),
    "resources": lambda ctx: ctx.notify_resources_changed(),
    "x://seen": lambda ctx: ctx.notify_resource_updated("x://seen"),
    "x://unseen": lambda ctx: ctx.notify_resource_updated("x://unseen"),
}


class Counter:
    """State of one instance."""

    def __init__(self) -> None:
        self.value = 0


async def count(ctx: Context) -> str:
    """Count the calls on this instance."""
    counter = ctx.server.state.get(Counter)
    counter.value += 1
    return str(counter.value)


async def describe(ctx: Context) -> str:
    """Tell what the context says."""
    capabilities = ctx.client_capabilities
    return json.dumps(
        {
            "era": ctx.era,
            "uri": ctx.uri,
            "version": ctx.protocol_version,
            "can be asked": bool(capabilities and capabilities.elicitation),
            "instructions": ctx.server.features.instructions,
            "headers": ctx.headers,
        }
    )


async def describe_key(key: str, ctx: Context) -> str:
    """Tell what the context says."""
    return await describe(ctx)


async def change(what: list[str], ctx: Context) -> str:
    """Publish changes."""
    for name in what:
        await CHANGES[name](ctx)
    return "published"


async def read(uri: str, ctx: Context) -> str:
    """Read a sibling resource."""
    try:
        result = await ctx.read_resource(uri)
    except MCPError as error:
        return f"error {error.code} {json.dumps(error.error.data)}"
    return result.contents[0].model_dump()["text"]


async def asking(ctx: Context) -> InputRequiredResult:
    """A resource that needs an answer first."""
    form = ElicitRequestFormParams(message="Who?", requested_schema={"type": "object", "properties": {}})
    return InputRequiredResult(input_requests={"who": ElicitRequest(params=form)})


@pytest.fixture
def factory() -> ServerFactory:
    return factory_of(
        plugin(
            "some.things",
            *(ToolSpec(name=fn.__name__, fn=fn) for fn in (count, describe, change, read)),
            ResourceSpec(uri="x://fixed", name="fixed", fn=describe),
            ResourceSpec(uri="x://asking", name="asking", fn=asking),
            ResourceTemplateSpec(uri_template="x://family/{key}", name="family", fn=describe_key),
            PromptSpec(name="describe", fn=describe),
            instructions="Be kind.",
        )
    )


async def test_a_function_knows_its_era_version_and_client(factory: ServerFactory, era: Era) -> None:
    async with wire(factory, era, {"elicitation": {}}) as client:
        told = json.loads(await client.call_text("describe"))
    assert told == {
        "era": era.value,
        "uri": None,
        "version": "2025-11-25" if era is Era.LEGACY else "2026-07-28",
        "can be asked": True,
        "instructions": "Be kind.",
        "headers": None,
    }


async def test_a_resource_knows_the_uri_that_is_read_as_the_client_spelled_it(factory: ServerFactory, era: Era) -> None:
    async with wire(factory, era) as client:
        for uri in ("x://fixed", "x://family/one", "x://family/%6Fne"):
            result = await client.request("resources/read", {"uri": uri})
            assert json.loads(result["contents"][0]["text"])["uri"] == uri


async def test_a_prompt_has_a_context_too(factory: ServerFactory, era: Era) -> None:
    async with wire(factory, era) as client:
        result = await client.request("prompts/get", {"name": "describe"})
    told = json.loads(result["messages"][0]["content"]["text"])
    assert (told["era"], told["uri"]) == (era.value, None)


async def test_a_tool_reads_its_siblings_with_their_own_uri(factory: ServerFactory, era: Era) -> None:
    async with wire(factory, era) as client:
        for uri in ("x://fixed", "x://family/one"):
            assert json.loads(await client.call_text("read", uri=uri))["uri"] == uri


async def test_a_sibling_that_is_not_there_is_the_eras_error(factory: ServerFactory, era: Era) -> None:
    code = -32002 if era is Era.LEGACY else -32602
    async with wire(factory, era) as client:
        assert await client.call_text("read", uri="x://nowhere") == f'error {code} {{"uri": "x://nowhere"}}'


async def test_a_sibling_that_would_have_to_ask_cannot_be_read_by_a_function(factory: ServerFactory, era: Era) -> None:
    async with wire(factory, era, {"elicitation": {}}) as client:
        assert (await client.call_text("read", uri="x://asking")).startswith("error ")


async def test_state_lives_as_long_as_the_connection_and_belongs_to_it_alone(factory: ServerFactory, era: Era) -> None:
    async with wire(factory, era) as first, wire(factory, era) as second:
        assert [await first.call_text("count") for _ in range(3)] == ["1", "2", "3"]
        assert await second.call_text("count") == "1"
        assert await first.call_text("count") == "4"
    async with wire(factory, era) as third:
        assert await third.call_text("count") == "1"


def bare_context(era: Era, publish: Callable[[ServerEvent], Any] | None = None) -> ServerContext:
    async def nowhere(event: ServerEvent) -> None:
        raise AssertionError("published")

    catalogue: Any = None
    return ServerContext(era, catalogue, SystemClock(), publish or nowhere, State())


def test_state_is_one_object_of_each_kind(era: Era) -> None:
    context = bare_context(era)
    assert context.state.get(Counter) is context.state.get(Counter)
    assert context.state.get(list) is not context.state.get(dict)
    assert context.state.get(Counter) is not bare_context(era).state.get(Counter)


async def test_a_modern_instance_starts_no_work_of_its_own() -> None:
    with pytest.raises(RuntimeError, match="only a legacy connection"):
        bare_context(Era.MODERN).start(anyio.sleep_forever)


async def test_an_instance_that_is_not_served_starts_no_work(era: Era) -> None:
    context = bare_context(era)
    async with anyio.create_task_group() as tasks:
        context.attach(tasks)
        context.attach(None)
        with pytest.raises(RuntimeError):
            context.start(anyio.sleep_forever)


EVENTS = (ToolsListChanged(), PromptsListChanged(), ResourcesListChanged(), ResourceUpdated(uri="x://seen"))


async def test_a_modern_instance_publishes_every_change_where_it_was_told_to() -> None:
    published: list[ServerEvent] = []

    async def publish(event: ServerEvent) -> None:
        published.append(event)

    context = bare_context(Era.MODERN, publish)
    for event in EVENTS:
        await context.publish(event)
    assert published == list(EVENTS)


async def test_a_legacy_instance_publishes_to_nobody_else() -> None:
    context = bare_context(Era.LEGACY)
    for event in EVENTS:
        await context.publish(event)


async def changes(client: Wire, *what: str) -> list[tuple[str, str | None]]:
    """What a legacy client is told when these change."""
    client.others.clear()
    await client.call_text("change", what=list(what))
    return [(message["method"], message.get("params", {}).get("uri")) for message in client.others]


async def test_a_legacy_client_is_told_of_changed_lists_on_its_own_channel(factory: ServerFactory) -> None:
    async with wire(factory, Era.LEGACY) as client, wire(factory, Era.LEGACY) as other:
        assert await changes(client, "tools", "prompts", "resources") == [
            ("notifications/tools/list_changed", None),
            ("notifications/prompts/list_changed", None),
            ("notifications/resources/list_changed", None),
        ]
        await other.request("ping")
        assert other.others == []


async def test_a_legacy_client_is_told_of_the_resources_that_it_has_subscribed_to(factory: ServerFactory) -> None:
    async with wire(factory, Era.LEGACY) as client, wire(factory, Era.LEGACY) as other:
        assert await changes(client, "x://seen", "x://unseen") == []
        assert await client.request("resources/subscribe", {"uri": "x://seen"}) == {}
        updated = ("notifications/resources/updated", "x://seen")
        assert await changes(client, "x://seen", "x://unseen", "x://seen") == [updated, updated]
        assert await changes(other, "x://seen") == []  # a subscription is the connection's own
        assert await client.request("resources/unsubscribe", {"uri": "x://seen"}) == {}
        assert await changes(client, "x://seen") == []


async def test_subscribing_twice_is_subscribing_once(factory: ServerFactory) -> None:
    async with wire(factory, Era.LEGACY) as client:
        for _ in range(2):
            await client.request("resources/subscribe", {"uri": "x://seen"})
        assert len(await changes(client, "x://seen")) == 1
        await client.request("resources/unsubscribe", {"uri": "x://seen"})
        assert await changes(client, "x://seen") == []


async def test_unsubscribing_from_what_was_never_subscribed_is_no_error(factory: ServerFactory) -> None:
    async with wire(factory, Era.LEGACY) as client:
        assert await client.request("resources/unsubscribe", {"uri": "x://seen"}) == {}


async def test_a_legacy_client_that_has_not_initialized_is_told_nothing(factory: ServerFactory) -> None:
    async with wire(factory, Era.LEGACY, handshake=False) as client:
        await client.initialize(initialized=False)
        await client.start("tools/call", {"name": "change", "arguments": {"what": ["tools", "prompts"]}})
        answer = await client.receive()
        assert "method" not in answer  # whether it was served or refused, nothing came before the answer


async def test_a_modern_client_is_told_on_the_streams_that_asked(factory: ServerFactory) -> None:
    async with wire(factory, Era.MODERN) as client:
        wanted = {"toolsListChanged": True, "resourceSubscriptions": ["x://seen"]}
        listening = await client.start("subscriptions/listen", {"notifications": wanted})
        acknowledged = await client.receive()
        assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
        assert acknowledged["params"]["notifications"] == wanted
        await client.call_text("change", what=["prompts", "tools", "x://unseen", "x://seen", "resources"])
        while len(client.others) < 2:
            client.others.append(await client.receive())
        told = [(message["method"], message["params"].get("uri")) for message in client.others]
        assert told == [("notifications/tools/list_changed", None), ("notifications/resources/updated", "x://seen")]
        ids = {message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] for message in client.others}
        assert ids == {listening}
