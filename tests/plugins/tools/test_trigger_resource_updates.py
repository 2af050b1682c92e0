"""`tools.trigger-resource-updates`, on a clock that the tests move."""

from typing import Any

import anyio
import pytest
from everything_server import Era, Settings
from harness import Connect, connector
from harness.client_side import Ear, raw_client, text_of
from harness.clock import GUARD, FakeClock, InstantClock
from harness.plugins import Message
from mcp.client import Client
from mcp.client.subscriptions import Subscription
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp.shared.subscriptions import ResourceUpdated
from mcp_types import ResourceUpdatedNotification

TOOL = "trigger-resource-updates"
PLUGIN = "tools.trigger-resource-updates"
WITH_RESOURCES = f"{PLUGIN},resources.dynamic"

ONE = "demo://resource/dynamic/text/1"
TWO = "demo://resource/dynamic/text/2"
OTHER = "demo://resource/dynamic/text/3"


async def _subscribe(client: Client, *uris: str) -> None:
    with pytest.warns(MCPDeprecationWarning):  # in favour of what this era has not got
        for uri in uris:
            await client.subscribe_resource(uri)  # pyright: ignore[reportDeprecated]


def _updated(messages: list[Message]) -> list[str]:
    return [
        message["params"]["uri"] for message in messages if message.get("method") == "notifications/resources/updated"
    ]


async def _next(subscription: Subscription) -> str:
    with anyio.fail_after(GUARD):
        event = await anext(aiter(subscription))
    assert isinstance(event, ResourceUpdated)
    return event.uri


async def test_legacy_the_client_is_told_of_what_it_has_subscribed_to() -> None:
    ear = Ear()
    async with connector(Era.LEGACY)(WITH_RESOURCES, message_handler=ear) as client:
        await _subscribe(client, TWO, ONE)
        text = text_of(await client.call_tool(TOOL, {"uris": [ONE, OTHER, TWO]}))
        await ear.until_heard(ResourceUpdatedNotification, 2)
    assert [message.params.uri for message in ear.all(ResourceUpdatedNotification)] == [ONE, TWO]
    assert text == "Announced 3 resources in 1 rounds."


async def test_legacy_each_round_tells_of_all_in_the_order_given() -> None:
    clock = InstantClock()
    async with raw_client(WITH_RESOURCES, Era.LEGACY, settings=Settings(clock=clock)) as client:
        for uri in (ONE, TWO):
            await client.request("resources/subscribe", {"uri": uri})
        await client.call(TOOL, uris=[TWO, ONE], count=3, intervalMs=250)
    assert _updated(client.others) == [TWO, ONE] * 3  # and all of it before the result
    assert clock.slept == [0.25, 0.25]


async def test_legacy_only_the_client_that_called_is_told() -> None:
    async with (
        raw_client(WITH_RESOURCES, Era.LEGACY) as client,
        raw_client(WITH_RESOURCES, Era.LEGACY) as other,
    ):
        for who in (client, other):
            await who.request("resources/subscribe", {"uri": ONE})
        await client.call(TOOL, uris=[ONE])
        await other.request("tools/list")
        await client.request("resources/unsubscribe", {"uri": ONE})
        await client.call(TOOL, uris=[ONE])
    assert _updated(client.others) == [ONE]
    assert _updated(other.others) == []


async def test_modern_whoever_listens_is_told_of_what_it_listens_for() -> None:
    async with (
        connector(Era.MODERN)(WITH_RESOURCES) as client,
        client.listen(resource_subscriptions=[ONE, TWO]) as both,
        client.listen(resource_subscriptions=[TWO]) as one,
    ):
        await client.call_tool(TOOL, {"uris": [OTHER, TWO, ONE]})
        assert [await _next(both), await _next(both)] == [TWO, ONE]
        assert await _next(one) == TWO
        await client.call_tool(TOOL, {"uris": [ONE]})
        await client.call_tool(TOOL, {"uris": [TWO]})
        assert await _next(one) == TWO  # and not ONE before it
        assert [await _next(both), await _next(both)] == [ONE, TWO]


async def test_modern_each_round_tells_of_all_in_the_order_given() -> None:
    clock = InstantClock()
    async with raw_client(WITH_RESOURCES, Era.MODERN, settings=Settings(clock=clock)) as client:
        listening = await client.start("subscriptions/listen", {"notifications": {"resourceSubscriptions": [ONE, TWO]}})
        while (await client.receive()).get("method") != "notifications/subscriptions/acknowledged":
            pass
        call = await client.start(
            "tools/call", {"name": TOOL, "arguments": {"uris": [TWO, ONE], "count": 3, "intervalMs": 250}}
        )
        heard: list[Message] = []
        while len(_updated(heard)) < 6 or not [message for message in heard if message.get("id") == call]:
            heard.append(await client.receive())
    assert _updated(heard) == [TWO, ONE] * 3
    key = "io.modelcontextprotocol/subscriptionId"
    ids = [message["params"]["_meta"][key] for message in heard if "method" in message]
    assert set(ids) == {listening}
    assert clock.slept == [0.25, 0.25]


async def test_between_two_rounds_it_waits(connect: Connect) -> None:
    clock = FakeClock()
    results: list[str] = []

    async def call(client: Client) -> None:
        results.append(text_of(await client.call_tool(TOOL, {"uris": [ONE], "count": 3, "intervalMs": 10_000})))

    async with connect(PLUGIN, settings=Settings(clock=clock)) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(call, client)
        await clock.wake_next()
        await clock.until(lambda clock: clock.sleepers == 1)
        clock.advance(9.9)
        await client.list_tools(cache_mode="bypass")
        assert results == []
        clock.advance(0.1)
    assert results == ["Announced 1 resources in 3 rounds."]
    assert clock.slept == [10.0, 10.0]


async def test_a_cancelled_call_announces_no_more(connect: Connect) -> None:
    clock = FakeClock()

    async def call(client: Client) -> None:
        await client.call_tool(TOOL, {"uris": [ONE], "count": 100, "intervalMs": 1000})

    async with connect(PLUGIN, settings=Settings(clock=clock)) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, client)
            await clock.wake_next()
            await clock.until(lambda clock: clock.sleepers == 1)
            tasks.cancel_scope.cancel()
        await clock.until(lambda clock: clock.sleepers == 0)
        clock.advance(1000)
        await client.list_tools(cache_mode="bypass")
    assert len(clock.slept) == 2


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"uris": []}, "Announced 0 resources in 1 rounds."),
        ({"uris": ["x://unknown"]}, "Announced 1 resources in 1 rounds."),
        ({"uris": [ONE, ONE], "count": 100}, "Announced 2 resources in 100 rounds."),
        ({"uris": [ONE], "count": 2.0, "intervalMs": 10000}, "Announced 1 resources in 2 rounds."),
    ],
    ids=str,
)
async def test_within_the_limits_everything_is_done_as_asked(connect: Connect, arguments: Message, text: str) -> None:
    async with connect(PLUGIN, settings=Settings(clock=InstantClock())) as client:
        assert text_of(await client.call_tool(TOOL, arguments)) == text


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({}, ["uris"]),
        ({"uris": ONE}, ["uris"]),
        ({"uris": None}, ["uris"]),
        ({"uris": [ONE, 5]}, ["uris[1]"]),
        ({"uris": [ONE], "count": 0}, ["count"]),
        ({"uris": [ONE], "count": 101}, ["count"]),
        ({"uris": [ONE], "count": 1.5}, ["count"]),
        ({"uris": [ONE], "count": "2"}, ["count"]),
        ({"uris": [ONE], "intervalMs": -1}, ["intervalMs"]),
        ({"uris": [ONE], "intervalMs": 10_001}, ["intervalMs"]),
        ({"uris": [ONE], "interval": 1}, ["interval"]),
    ],
    ids=str,
)
async def test_outside_of_the_limits_nothing_is_announced(
    connect: Connect, refused: Any, arguments: Message, names: list[str]
) -> None:
    clock = FakeClock()
    async with connect(PLUGIN, settings=Settings(clock=clock)) as client:
        assert refused(await client.call_tool(TOOL, arguments)) == names
    assert clock.slept == []


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL, {"uris": []})
    assert refusal.value.code == -32602
