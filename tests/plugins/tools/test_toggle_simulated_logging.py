"""`tools.toggle-simulated-logging`, on a clock that the tests move; in the legacy era only."""

import logging
from typing import Any, get_args

import pytest
from everything_server import Era, Settings
from harness import connector
from harness.client_side import Ear, raw_client, text_of
from harness.clock import FakeClock
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import LoggingLevel, LoggingMessageNotification

TOOL = "toggle-simulated-logging"
PLUGIN = "tools.toggle-simulated-logging"
STARTED = "Started simulated logging: one message now and another every 5 seconds."
STOPPED = "Stopped simulated logging."

LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)

connect = connector(Era.LEGACY)


def _levels(ear: Ear) -> list[str]:
    return [message.params.level for message in ear.all(LoggingMessageNotification)]


async def test_a_message_comes_at_once_and_then_every_five_seconds() -> None:
    clock, ear = FakeClock(), Ear()
    async with connect(PLUGIN, settings=Settings(clock=clock), message_handler=ear) as client:
        assert text_of(await client.call_tool(TOOL)) == STARTED
        for count in (1, 2, 3):
            await ear.until_heard(LoggingMessageNotification, count)
            await clock.until(lambda clock, count=count: len(clock.slept) == count)
            clock.advance(4.9)
            await client.list_tools(cache_mode="bypass")  # by its answer, a message sent before would have arrived
            assert len(_levels(ear)) == count
            clock.advance(0.1)
    assert clock.slept[:3] == [5.0, 5.0, 5.0]
    assert _levels(ear)[:3] == ["debug", "info", "notice"]
    assert ear.all(LoggingMessageNotification)[0].params.logger == TOOL


async def test_after_the_most_severe_level_comes_the_least_severe_again() -> None:
    clock, ear = FakeClock(), Ear()
    async with connect(PLUGIN, settings=Settings(clock=clock), message_handler=ear) as client:
        await client.call_tool(TOOL)
        for _ in range(9):
            await clock.wake_next()
        await ear.until_heard(LoggingMessageNotification, 10)
    assert _levels(ear)[:10] == [*LEVELS, *LEVELS[:2]]


async def test_messages_below_the_level_of_the_session_are_left_out() -> None:
    clock, ear = FakeClock(), Ear()
    async with connect(PLUGIN, settings=Settings(clock=clock), message_handler=ear) as client:
        with pytest.warns(MCPDeprecationWarning):  # in favour of what this era has not got
            await client.set_logging_level("critical")  # pyright: ignore[reportDeprecated]
        await client.call_tool(TOOL)
        for _ in range(8):
            await clock.wake_next()
        await ear.until_heard(LoggingMessageNotification, 3)
    assert _levels(ear)[:3] == ["critical", "alert", "emergency"]


async def test_the_second_call_stops_it_and_the_third_starts_it_anew() -> None:
    clock, ear = FakeClock(), Ear()
    async with connect(PLUGIN, settings=Settings(clock=clock), message_handler=ear) as client:
        await client.call_tool(TOOL)
        await clock.wake_next()
        await ear.until_heard(LoggingMessageNotification, 2)
        assert text_of(await client.call_tool(TOOL)) == STOPPED
        await clock.until(lambda clock: clock.sleepers == 0)
        clock.advance(1000)
        await client.list_tools(cache_mode="bypass")
        assert _levels(ear) == ["debug", "info"]
        assert text_of(await client.call_tool(TOOL)) == STARTED
        await ear.until_heard(LoggingMessageNotification, 3)
        await clock.until(lambda clock: clock.sleepers == 1)
    assert _levels(ear) == ["debug", "info", "debug"]


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
        async with connect(PLUGIN, settings=settings, message_handler=ear) as client:
            await client.call_tool(TOOL)
            await clock.until(lambda clock: clock.sleepers == 1)
            async with connect(PLUGIN, settings=settings, message_handler=other_ear) as other:
                assert text_of(await other.call_tool(TOOL)) == STARTED  # it has a toggle of its own
                await clock.until(lambda clock: clock.sleepers == 2)
            assert clock.sleepers == 1
            await clock.wake_next()
            await ear.until_heard(LoggingMessageNotification, 2)
            await clock.until(lambda clock: clock.sleepers == 1)
    assert clock.sleepers == 0
    assert _levels(other_ear) == ["debug"]
    assert [record.getMessage() for record in caplog.records] == []


async def test_a_client_that_comes_and_goes_leaves_nothing_behind(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    with caplog.at_level(logging.WARNING):
        for _ in range(20):
            async with raw_client(PLUGIN, Era.LEGACY, settings=Settings(clock=clock)) as client:
                await client.start("tools/call", {"name": TOOL})  # and leave without the answer
    assert clock.sleepers == 0
    assert [record.getMessage() for record in caplog.records] == []


async def test_there_are_no_arguments(refused: Any) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, {"on": True})) == ["on"]


async def test_the_title_says_what_it_does() -> None:
    async with connect(PLUGIN) as client:
        [tool] = (await client.list_tools()).tools
    assert tool.title == "Toggle Simulated Logging"
    assert tool.annotations is not None
    assert (tool.annotations.read_only_hint, tool.annotations.idempotent_hint) == (False, False)


async def test_alone_it_is_all_there_is(era: Era, offer_of: Any) -> None:
    offer: dict[str, list[str]] = {"tools": [TOOL], "capabilities": ["logging", "tools"]}
    assert await offer_of(PLUGIN) == (offer if era is Era.LEGACY else {})


async def test_disabled_it_leaves_no_trace(era: Era, lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == ({"tools": [TOOL]} if era is Era.LEGACY else {})


async def test_disabled_or_modern_it_is_an_unknown_tool(era: Era) -> None:
    disabled = PLUGIN if era is Era.LEGACY else ""
    async with connector(era)("tools", disable=disabled) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
