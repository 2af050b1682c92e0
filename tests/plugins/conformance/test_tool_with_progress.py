"""`conformance.tool-with-progress`."""

from everything_server import Era, Settings
from harness.client_side import raw_client
from harness.clock import InstantClock

PLUGIN = "conformance.tool-with-progress"
CALL = {"name": "test_tool_with_progress", "arguments": {}}


async def test_it_reports_its_beginning_its_middle_and_its_end(era: Era) -> None:
    clock = InstantClock()
    async with raw_client(PLUGIN, era, settings=Settings(clock=clock)) as client:
        await client.request("tools/call", {**CALL, "_meta": {"progressToken": "token"}})
    assert [message["params"] for message in client.others] == [
        {"progressToken": "token", "progress": progress, "total": 100} for progress in (0, 50, 100)
    ]
    assert clock.slept == [0.05, 0.05]


async def test_without_a_token_nothing_is_reported(era: Era) -> None:
    async with raw_client(PLUGIN, era, settings=Settings(clock=InstantClock())) as client:
        await client.request("tools/call", CALL)
    assert client.others == []
