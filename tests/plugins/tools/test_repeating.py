"""`everything_server.content.repeating`: what tools switch on and off that goes on by itself."""

import pytest
from everything_server import Context, Era, ServerContext, Settings, ToolSpec
from everything_server.content.repeating import toggle_rounds
from harness.clock import FakeClock
from harness.plugins import factory_of, plugin, wire


async def test_after_a_round_that_raised_the_next_call_starts_again(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    played: list[int] = []

    async def play(server: ServerContext, number: int) -> None:
        played.append(number)
        if number == 1:
            raise ValueError("this round fails")

    async def toggle(ctx: Context) -> str:
        return "on" if toggle_rounds(ctx.server, play) else "off"

    factory = factory_of(plugin("fake.toggle", ToolSpec(name="toggle", fn=toggle)), settings=Settings(clock=clock))
    async with wire(factory, Era.LEGACY) as client:
        assert await client.call_text("toggle") == "on"
        await clock.wake_next()
        await clock.until(lambda clock: clock.sleepers == 0)
        assert await client.call_text("toggle") == "on"
        await clock.until(lambda clock: clock.sleepers == 1)
        assert await client.call_text("toggle") == "off"
    assert played == [0, 1, 0]
    assert "this round fails" in caplog.text
