"""`conformance.slow-compute`, on a clock that the tests move."""

from everything_server import Era, Settings
from harness.client_side import raw_client
from harness.clock import FakeClock, InstantClock

PLUGINS = "conformance.slow-compute,tasks.extension"
TOOL = "slow_compute"
ABLE = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


async def test_a_client_that_knows_tasks_gets_one_that_is_completed_in_time() -> None:
    clock = FakeClock()
    async with raw_client(PLUGINS, Era.MODERN, ABLE, Settings(clock=clock)) as client:
        handle = await client.call(TOOL, seconds=60, label="sums")
        assert (handle["resultType"], handle["status"]) == ("task", "working")
        task = {"taskId": handle["taskId"]}
        clock.advance(59.9)
        assert (await client.request("tasks/get", task))["status"] == "working"
        clock.advance(0.1)
        ended = await client.request("tasks/get", task)
        assert ended["status"] == "completed"
        assert ended["result"]["content"][0]["text"] == "Computed sums in 60 seconds"


async def test_the_result_can_be_fetched_for_a_while_however_long_the_work_took() -> None:
    clock = FakeClock()
    async with raw_client(PLUGINS, Era.MODERN, ABLE, Settings(clock=clock)) as client:
        handle = await client.call(TOOL, seconds=3000)
        clock.advance(3299)
        assert (await client.request("tasks/get", {"taskId": handle["taskId"]}))["status"] == "completed"


async def test_another_client_gets_its_result_at_once() -> None:
    clock = InstantClock()
    async with raw_client(PLUGINS, Era.MODERN, settings=Settings(clock=clock)) as client:
        result = await client.call(TOOL, seconds=2)
    assert result["resultType"] == "complete"
    assert result["content"][0]["text"] == "Computed unnamed in 2 seconds"
    assert clock.slept == [2]
