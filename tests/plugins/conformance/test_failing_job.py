"""`conformance.failing-job`."""

from everything_server import Era, Settings
from harness.client_side import raw_client
from harness.clock import FakeClock

PLUGINS = "conformance.failing-job,tasks.extension"
ABLE = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


async def test_its_task_is_completed_with_a_result_that_is_an_error() -> None:
    clock = FakeClock()
    async with raw_client(PLUGINS, Era.MODERN, ABLE, Settings(clock=clock)) as client:
        handle = await client.call("failing_job")
        assert handle["status"] == "working"
        clock.advance(1)
        ended = await client.request("tasks/get", {"taskId": handle["taskId"]})
    assert (ended["status"], ended["result"]["isError"]) == ("completed", True)


async def test_it_is_for_clients_that_know_tasks_only() -> None:
    async with raw_client(PLUGINS, Era.MODERN) as client:
        error = await client.refused("tools/call", {"name": "failing_job"})
    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": ABLE})
