"""`tools.trigger-log-messages`."""

from typing import Any, get_args

import pytest
from everything_server import Era
from harness import Connect, connector
from harness.client_side import Ear, raw_client, text_of
from harness.plugins import Message
from mcp.client import Client
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import LoggingLevel, LoggingMessageNotification

TOOL = "trigger-log-messages"
PLUGIN = "tools.trigger-log-messages"

LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
LOG_LEVEL = "io.modelcontextprotocol/logLevel"


async def _set_level(client: Client, level: LoggingLevel) -> None:
    with pytest.warns(MCPDeprecationWarning):  # in favour of what this era has not got
        await client.set_logging_level(level)  # pyright: ignore[reportDeprecated]


def _levels(ear: Ear) -> list[str]:
    return [message.params.level for message in ear.all(LoggingMessageNotification)]


def _logged(messages: list[Message]) -> list[str]:
    return [message["params"]["level"] for message in messages if message.get("method") == "notifications/message"]


async def test_one_message_of_each_level_is_sent_the_least_severe_first(connect: Connect) -> None:
    ear = Ear()
    async with connect(PLUGIN, message_handler=ear, log_level="debug") as client:
        text = text_of(await client.call_tool(TOOL))
        await ear.until_heard(LoggingMessageNotification, 8)
    assert _levels(ear) == ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
    assert {message.params.logger for message in ear.all(LoggingMessageNotification)} == {TOOL}
    assert all(message.params.level in message.params.data for message in ear.all(LoggingMessageNotification))
    assert "8 log messages" in text


async def test_all_messages_are_sent_before_the_result(era: Era) -> None:
    async with raw_client(PLUGIN, era) as client:
        params: Message = {"name": TOOL, "arguments": {}}
        if era is Era.MODERN:
            params["_meta"] = {LOG_LEVEL: "debug"}
        await client.request("tools/call", params)
        assert _logged(client.others) == list(LEVELS)
        await client.request("tools/list")
    assert len(_logged(client.others)) == 8  # none came after the result


@pytest.mark.parametrize("level", LEVELS)
async def test_legacy_the_level_of_the_session_is_the_least_that_is_sent(level: LoggingLevel) -> None:
    async with raw_client(PLUGIN, Era.LEGACY) as client:
        await client.request("logging/setLevel", {"level": level})
        await client.call(TOOL)
    assert _logged(client.others) == list(LEVELS[LEVELS.index(level) :])


async def test_legacy_the_level_can_be_lowered_again_and_is_the_sessions_own() -> None:
    ear, other_ear = Ear(), Ear()
    connect = connector(Era.LEGACY)
    async with connect(PLUGIN, message_handler=ear) as client, connect(PLUGIN, message_handler=other_ear) as other:
        await _set_level(client, "emergency")
        await client.call_tool(TOOL)
        await other.call_tool(TOOL)
        await other_ear.until_heard(LoggingMessageNotification, 8)
        await ear.until_heard(LoggingMessageNotification, 1)
        assert _levels(ear) == ["emergency"]
        await _set_level(client, "alert")
        await client.call_tool(TOOL)
        await ear.until_heard(LoggingMessageNotification, 3)
    assert _levels(ear) == ["emergency", "alert", "emergency"]
    assert len(_levels(other_ear)) == 8


@pytest.mark.parametrize("level", ["loud", "", None, 3], ids=str)
async def test_legacy_a_level_that_there_is_not_is_refused_and_changes_nothing(level: Any) -> None:
    async with raw_client(PLUGIN, Era.LEGACY) as client:
        await client.request("logging/setLevel", {"level": "alert"})
        error = await client.refused("logging/setLevel", {"level": level})
        await client.call(TOOL)
    assert error["code"] == -32602
    assert _logged(client.others) == ["alert", "emergency"]


@pytest.mark.parametrize("level", LEVELS)
async def test_modern_the_level_of_the_request_is_the_least_that_is_sent(level: LoggingLevel) -> None:
    async with raw_client(PLUGIN, Era.MODERN) as client:
        await client.request("tools/call", {"name": TOOL, "arguments": {}, "_meta": {LOG_LEVEL: level}})
    assert _logged(client.others) == list(LEVELS[LEVELS.index(level) :])


async def test_modern_a_request_without_a_level_gets_no_message() -> None:
    ear = Ear()
    async with connector(Era.MODERN)(PLUGIN, message_handler=ear) as client:
        await client.call_tool(TOOL, meta={LOG_LEVEL: "alert"})
        await client.call_tool(TOOL)
        await client.call_tool(TOOL, meta={LOG_LEVEL: "emergency"})
        await ear.until_heard(LoggingMessageNotification, 3)
    assert _levels(ear) == ["alert", "emergency", "emergency"]


async def test_modern_there_is_no_level_of_the_session() -> None:
    async with raw_client(PLUGIN, Era.MODERN) as client:
        assert (await client.refused("logging/setLevel", {"level": "debug"}))["code"] == -32601


async def test_there_are_no_arguments(connect: Connect, refused: Any) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, {"level": "debug"})) == ["level"]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["logging", "tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
