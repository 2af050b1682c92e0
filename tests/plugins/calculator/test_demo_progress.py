"""`calculator.demo-progress`."""

from typing import Any

import pytest
from everything_server import Settings
from harness import Connect
from harness.client_side import text_of
from harness.clock import InstantClock

PLUGIN = "calculator.demo-progress"
TOOL = "demo_progress"

Progress = list[tuple[float, float | None, str | None]]


async def test_each_step_is_reported(connect: Connect) -> None:
    heard: Progress = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    clock = InstantClock()
    async with connect(PLUGIN, settings=Settings(clock=clock)) as client:
        text = text_of(await client.call_tool(TOOL, {"steps": 3, "seconds": 1.5}, progress_callback=hear))
    assert heard == [
        (1, 3, "Step 1 of 3: the sum is 1"),
        (2, 3, "Step 2 of 3: the sum is 3"),
        (3, 3, "Step 3 of 3: the sum is 6"),
    ]
    assert text == "Done: the sum of the numbers from 1 to 3 is 6, found in 1.5 seconds."
    assert clock.slept == [0.5, 0.5, 0.5]


async def test_without_a_token_it_just_takes_its_time(connect: Connect) -> None:
    async with connect(PLUGIN, settings=Settings(clock=InstantClock())) as client:
        text = text_of(await client.call_tool(TOOL))
    assert text == "Done: the sum of the numbers from 1 to 5 is 15, found in 1 seconds."


@pytest.mark.parametrize(
    ("arguments", "names"),
    [({"steps": 0}, ["steps"]), ({"steps": 101}, ["steps"]), ({"seconds": -1, "steps": 1.5}, ["seconds", "steps"])],
    ids=str,
)
async def test_arguments_that_do_not_fit_are_refused_by_name(
    connect: Connect, refused: Any, arguments: Any, names: list[str]
) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, arguments)) == names


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, among="calculator") == {"tools": [TOOL]}
