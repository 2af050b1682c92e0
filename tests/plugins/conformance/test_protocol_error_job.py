"""`conformance.protocol-error-job`."""

from everything_server import Era, Settings
from harness.client_side import raw_client
from harness.clock import FakeClock

ABLE = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


async def test_its_task_fails_with_an_error_and_has_no_result() -> None:
    clock, plugins = FakeClock(), "conformance.protocol-error-job,tasks.extension"
    async with raw_client(plugins, Era.MODERN, ABLE, Settings(clock=clock)) as client:
        handle = await client.call("protocol_error_job")
        assert handle["status"] == "working"
        clock.advance(1)
        ended = await client.request("tasks/get", {"taskId": handle["taskId"]})
    assert ended["status"] == "failed"
    assert ended["error"] == {"code": -32603, "message": "This job always breaks"}
    assert "result" not in ended
