"""`tools.trigger-long-running-operation`, on a clock that the tests move."""

import logging
from typing import Any

import anyio
import pytest
from everything_server import Settings
from harness import Connect
from harness.clock import GUARD, FakeClock, InstantClock
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ProgressNotification, TextContent

TOOL = "trigger-long-running-operation"
PLUGIN = "tools.trigger-long-running-operation"

Step = tuple[float, float | None, str | None]


class Steps:
    """A progress callback that remembers, and that others can wait for."""

    def __init__(self) -> None:
        self.seen: list[Step] = []
        self._news = anyio.Event()

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        self.seen.append((progress, total, message))
        self._news.set()
        self._news = anyio.Event()

    async def until(self, count: int) -> None:
        with anyio.fail_after(GUARD):
            while len(self.seen) < count:
                await self._news.wait()


def _text(result: CallToolResult) -> str:
    assert not result.is_error
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


async def test_progress_is_reported_after_each_step_and_not_before(connect: Connect) -> None:
    clock, steps = FakeClock(), Steps()
    results: list[CallToolResult] = []

    async def operate(client: Client) -> None:
        arguments = {"duration": 6, "steps": 3}
        results.append(await client.call_tool(TOOL, arguments, progress_callback=steps))

    async with connect(PLUGIN, settings=Settings(clock=clock)) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(operate, client)
        for step in (1, 2, 3):
            await clock.until(lambda clock, step=step: len(clock.slept) == step)
            clock.advance(1.9)
            await client.list_tools(cache_mode="bypass")  # by its answer, progress sent before would have arrived
            assert len(steps.seen) == step - 1
            clock.advance(0.1)
            await steps.until(step)
    assert steps.seen == [(1, 3, "Step 1 of 3"), (2, 3, "Step 2 of 3"), (3, 3, "Step 3 of 3")]
    assert _text(results[0]) == "Long running operation completed. Duration: 6 seconds, Steps: 3."


async def test_it_takes_ten_seconds_in_five_steps_unless_told_otherwise(connect: Connect) -> None:
    clock, steps = InstantClock(), Steps()
    async with connect(PLUGIN, settings=Settings(clock=clock)) as client:
        result = await client.call_tool(TOOL, progress_callback=steps)
        await steps.until(5)
    assert clock.slept == [2.0] * 5
    assert [progress for progress, _, _ in steps.seen] == [1, 2, 3, 4, 5]
    assert _text(result) == "Long running operation completed. Duration: 10 seconds, Steps: 5."


@pytest.mark.parametrize(
    ("duration", "steps", "sentence"),
    [
        (0, 1, "Duration: 0 seconds, Steps: 1."),
        (0.1, 2, "Duration: 0.1 seconds, Steps: 2."),
        (1.0, 2.0, "Duration: 1 seconds, Steps: 2."),
        (3600, 1, "Duration: 3600 seconds, Steps: 1."),
        (3600.0, 1000, "Duration: 3600 seconds, Steps: 1000."),
        (1e-7, 1, "Duration: 1e-7 seconds, Steps: 1."),
    ],
)
async def test_within_the_limits_everything_is_done_as_asked(
    connect: Connect, duration: float, steps: float, sentence: str
) -> None:
    clock, seen = InstantClock(), Steps()
    async with connect(PLUGIN, settings=Settings(clock=clock)) as client:
        result = await client.call_tool(TOOL, {"duration": duration, "steps": steps}, progress_callback=seen)
        await seen.until(int(steps))
    assert _text(result) == f"Long running operation completed. {sentence}"
    assert clock.slept == [duration / steps] * int(steps)
    assert [(progress, total) for progress, total, _ in seen.seen] == [(n + 1, steps) for n in range(int(steps))]


async def test_a_client_that_did_not_ask_gets_no_progress(connect: Connect) -> None:
    heard: list[object] = []

    async def hear(message: object) -> None:
        heard.append(message)

    async with connect(PLUGIN, settings=Settings(clock=InstantClock()), message_handler=hear) as client:
        await client.call_tool(TOOL, {"duration": 1, "steps": 4})
        await client.call_tool(TOOL, {"duration": 1, "steps": 4})
    assert not [message for message in heard if isinstance(message, ProgressNotification)]


async def test_a_cancelled_operation_stops_and_the_connection_goes_on(connect: Connect) -> None:
    clock, steps = FakeClock(), Steps()

    async def operate(client: Client) -> None:
        await client.call_tool(TOOL, {"duration": 100, "steps": 10}, progress_callback=steps)

    async with connect(f"{PLUGIN},tools.echo", settings=Settings(clock=clock)) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(operate, client)
            await clock.wake_next()
            await steps.until(1)
            tasks.cancel_scope.cancel()
        await clock.until(lambda clock: clock.sleepers == 0)
        clock.advance(1000)
        result = await client.call_tool("echo", {"message": "still here"})
    assert _text(result) == "Echo: still here"
    assert len(clock.slept) == 2  # the second was cut short and no third begun
    assert [progress for progress, _, _ in steps.seen] == [1]


async def test_operations_at_the_same_time_have_their_own_pace_and_progress(connect: Connect) -> None:
    clock, slow, quick = FakeClock(), Steps(), Steps()
    order: list[str] = []

    async def operate(client: Client, name: str, duration: float, steps: Steps) -> None:
        await client.call_tool(TOOL, {"duration": duration, "steps": 2}, progress_callback=steps)
        order.append(name)

    async with connect(PLUGIN, settings=Settings(clock=clock)) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(operate, client, "slow", 20, slow)
        tasks.start_soon(operate, client, "quick", 2, quick)
        await clock.until(lambda clock: clock.sleepers == 2)
        clock.advance(1)
        await clock.until(lambda clock: len(clock.slept) == 3)
        clock.advance(1)
        await quick.until(2)
        assert not slow.seen
        await clock.until(lambda clock: clock.sleepers == 1)
        clock.advance(8)
        await clock.until(lambda clock: len(clock.slept) == 4)
        clock.advance(10)
    assert order == ["quick", "slow"]
    assert [progress for progress, _, _ in slow.seen] == [1, 2]


async def test_a_long_operation_does_not_hold_up_other_calls(connect: Connect) -> None:
    clock = FakeClock()

    async def operate(client: Client) -> None:
        await client.call_tool(TOOL, {"duration": 3600, "steps": 1})

    plugins = f"{PLUGIN},tools.echo"
    async with connect(plugins, settings=Settings(clock=clock)) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(operate, client)
        await clock.until(lambda clock: clock.sleepers == 1)
        with anyio.fail_after(GUARD):
            result = await client.call_tool("echo", {"message": "quick"})
        assert clock.sleepers == 1
        clock.advance(3600)
    assert _text(result) == "Echo: quick"


async def test_each_step_is_logged(connect: Connect, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="everything_server_tools"):
        async with connect(PLUGIN, settings=Settings(clock=InstantClock())) as client:
            await client.call_tool(TOOL, {"duration": 1, "steps": 2})
    logged = [record.getMessage() for record in caplog.records if record.name.startswith("everything_server_tools")]
    assert [message.partition(": ")[2] for message in logged] == ["step 1 of 2", "step 2 of 2"]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"steps": 0}, ["steps"]),
        ({"steps": -2}, ["steps"]),
        ({"steps": 1.5}, ["steps"]),
        ({"steps": 1001}, ["steps"]),
        ({"steps": "5"}, ["steps"]),
        ({"steps": None}, ["steps"]),
        ({"duration": -1}, ["duration"]),
        ({"duration": -0.5}, ["duration"]),
        ({"duration": 3601}, ["duration"]),
        ({"duration": 3600.5}, ["duration"]),
        ({"duration": 1e308}, ["duration"]),
        ({"duration": 10**400}, ["duration"]),
        ({"duration": "x"}, ["duration"]),
        ({"duration": True}, ["duration"]),
        ({"duration": -1, "steps": 0}, ["duration", "steps"]),
        ({"seconds": 1}, ["seconds"]),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_outside_of_the_limits_nothing_begins(
    connect: Connect, refused: Any, arguments: dict[str, Any], names: list[str]
) -> None:
    clock = FakeClock()
    async with connect(PLUGIN, settings=Settings(clock=clock)) as client:
        with anyio.fail_after(GUARD):
            result = await client.call_tool(TOOL, arguments)
    assert refused(result) == names
    assert clock.slept == []


async def test_the_schema_states_limits_and_defaults(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        [tool] = (await client.list_tools()).tools
    assert tool.title == "Trigger Long Running Operation Tool"
    limits = ("type", "minimum", "maximum", "default")
    properties = tool.input_schema["properties"]
    assert [properties["duration"][limit] for limit in limits] == ["number", 0, 3600, 10]
    assert [properties["steps"][limit] for limit in limits] == ["integer", 1, 1000, 5]
    assert "required" not in tool.input_schema


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
