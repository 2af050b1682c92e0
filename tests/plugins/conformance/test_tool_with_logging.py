"""`conformance.tool-with-logging`."""

from everything_server import Settings
from harness import Connect
from harness.client_side import Ear, text_of
from harness.clock import InstantClock
from mcp_types import LoggingMessageNotification

PLUGIN = "conformance.tool-with-logging"


async def test_it_logs_three_messages_while_it_works(connect: Connect) -> None:
    ear, clock = Ear(), InstantClock()
    async with connect(PLUGIN, settings=Settings(clock=clock), message_handler=ear, log_level="info") as client:
        text_of(await client.call_tool("test_tool_with_logging"))
        await ear.until_heard(LoggingMessageNotification, 3)
    messages = [(message.params.level, message.params.data) for message in ear.all(LoggingMessageNotification)]
    assert messages == [
        ("info", "Tool execution started"),
        ("info", "Tool processing data"),
        ("info", "Tool execution completed"),
    ]
    assert clock.slept == [0.05, 0.05]
