"""`tools.toggle-subscriber-updates`, on a clock that the tests move; in the legacy era only."""

import logging
from typing import Any

import pytest
from everything_server import Era, Settings
from harness import connector
from harness.client_side import Ear, raw_client, text_of
from harness.clock import FakeClock
from mcp.client import Client
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import ResourceUpdatedNotification

TOOL = "toggle-subscriber-updates"
PLUGIN = "tools.toggle-subscriber-updates"
WITH_RESOURCES = f"{PLUGIN},resources.dynamic"
STARTED = "Started simulated resource updates: one round now and another every 5 seconds."
STOPPED = "Stopped simulated resource updates."

ONE = "demo://resource/dynamic/text/1"
TWO = "demo://resource/dynamic/text/2"

connect = connector(Era.LEGACY)


async def _subscribe(client: Client, *uris: str) -> None:
    with pytest.warns(MCPDeprecationWarning):  # in favour of what this era has not got
        for uri in uris:
            await client.subscribe_resource(uri)  # pyright: ignore[reportDeprecated]


async def _unsubscribe(client: Client, uri: str) -> None:
    with pytest.warns(MCPDeprecationWarning):
        await client.unsubscribe_resource(uri)  # pyright: ignore[reportDeprecated]


def _updated(ear: Ear) -> list[str]:
    return [message.params.uri for message in ear.all(ResourceUpdatedNotification)]


async def test_a_round_of_updates_comes_at_once_and_then_every_five_seconds() -> None:
    clock, ear = FakeClock(), Ear()
    async with connect(WITH_RESOURCES, settings=Settings(clock=clock), message_handler=ear) as client:
        await _subscribe(client, TWO, ONE)
        assert text_of(await client.call_tool(TOOL)) == STARTED
        for rounds in (1, 2, 3):
            await ear.until_heard(ResourceUpdatedNotification, 2 * rounds)
            await clock.until(lambda clock, rounds=rounds: len(clock.slept) == rounds)
            clock.advance(4.9)
            await client.list_tools(cache_mode="bypass")  # by its answer, an update sent before would have arrived
            assert _updated(ear) == [ONE, TWO] * rounds
            clock.advance(0.1)
    assert clock.slept[:3] == [5.0, 5.0, 5.0]


async def test_what_is_subscribed_and_unsubscribed_meanwhile_counts_from_the_next_round() -> None:
    clock, ear = FakeClock(), Ear()
    async with connect(WITH_RESOURCES, settings=Settings(clock=clock), message_handler=ear) as client:
        await client.call_tool(TOOL)
        await clock.until(lambda clock: clock.sleepers == 1)
        await _subscribe(client, ONE, "demo://nope")
        await clock.wake_next()
        await ear.until_heard(ResourceUpdatedNotification, 2)
        await clock.until(lambda clock: clock.sleepers == 1)
        await _unsubscribe(client, ONE)
        await clock.wake_next()
        await ear.until_heard(ResourceUpdatedNotification, 3)
    assert _updated(ear)[:3] == ["demo://nope", ONE, "demo://nope"]


async def test_without_subscriptions_there_are_no_updates() -> None:
    clock, ear = FakeClock(), Ear()
    async with connect(WITH_RESOURCES, settings=Settings(clock=clock), message_handler=ear) as client:
        await _subscribe(client, ONE)
        await _unsubscribe(client, ONE)
        await client.call_tool(TOOL)
        await clock.wake_next()
        await client.list_tools(cache_mode="bypass")
    assert _updated(ear) == []


async def test_the_second_call_stops_it_and_the_third_starts_it_anew() -> None:
    clock, ear = FakeClock(), Ear()
    async with connect(WITH_RESOURCES, settings=Settings(clock=clock), message_handler=ear) as client:
        await _subscribe(client, ONE)
        await client.call_tool(TOOL)
        await ear.until_heard(ResourceUpdatedNotification, 1)
        await clock.until(lambda clock: clock.sleepers == 1)
        assert text_of(await client.call_tool(TOOL)) == STOPPED
        await clock.until(lambda clock: clock.sleepers == 0)
        clock.advance(1000)
        await client.list_tools(cache_mode="bypass")
        assert _updated(ear) == [ONE]
        assert text_of(await client.call_tool(TOOL)) == STARTED
        await ear.until_heard(ResourceUpdatedNotification, 2)
    assert _updated(ear) == [ONE, ONE]


async def test_started_and_stopped_at_once_nothing_is_left_running() -> None:
    clock = FakeClock()
    async with raw_client(PLUGIN, Era.LEGACY, settings=Settings(clock=clock)) as client:
        calls = [await client.start("tools/call", {"name": TOOL}) for _ in range(4)]
        texts = [(await client.answer(call))["result"]["content"][0]["text"] for call in calls]
        await clock.until(lambda clock: clock.sleepers == 0)
    assert sorted(texts) == sorted([STARTED, STOPPED] * 2)


async def test_it_stops_with_the_connection_and_not_with_another(caplog: pytest.LogCaptureFixture) -> None:
    clock, ear, other_ear = FakeClock(), Ear(), Ear()
    settings = Settings(clock=clock)
    with caplog.at_level(logging.WARNING):
        async with connect(WITH_RESOURCES, settings=settings, message_handler=ear) as client:
            await _subscribe(client, ONE)
            await client.call_tool(TOOL)
            await clock.until(lambda clock: clock.sleepers == 1)
            async with connect(WITH_RESOURCES, settings=settings, message_handler=other_ear) as other:
                await _subscribe(other, TWO)
                assert text_of(await other.call_tool(TOOL)) == STARTED  # it has a toggle of its own
                await other_ear.until_heard(ResourceUpdatedNotification)
                await clock.until(lambda clock: clock.sleepers == 2)
            assert clock.sleepers == 1
            await clock.wake_next()
            await ear.until_heard(ResourceUpdatedNotification, 2)
            await clock.until(lambda clock: clock.sleepers == 1)
    assert clock.sleepers == 0
    assert (_updated(ear), _updated(other_ear)) == ([ONE, ONE], [TWO])
    assert [record.getMessage() for record in caplog.records] == []


async def test_a_client_that_comes_and_goes_leaves_nothing_behind(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    with caplog.at_level(logging.WARNING):
        for _ in range(20):
            async with raw_client(WITH_RESOURCES, Era.LEGACY, settings=Settings(clock=clock)) as client:
                await client.request("resources/subscribe", {"uri": ONE})
                await client.start("tools/call", {"name": TOOL})  # and leave without the answer
    assert clock.sleepers == 0
    assert [record.getMessage() for record in caplog.records] == []


async def test_there_are_no_arguments(refused: Any) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, {"on": True})) == ["on"]


async def test_alone_it_is_all_there_is(era: Era, offer_of: Any) -> None:
    offer: dict[str, list[str]] = {"tools": [TOOL], "capabilities": ["tools"]}
    assert await offer_of(PLUGIN) == (offer if era is Era.LEGACY else {})


async def test_disabled_it_leaves_no_trace(era: Era, lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == ({"tools": [TOOL]} if era is Era.LEGACY else {})


async def test_disabled_or_modern_it_is_an_unknown_tool(era: Era) -> None:
    disabled = PLUGIN if era is Era.LEGACY else ""
    async with connector(era)("tools", disable=disabled) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
