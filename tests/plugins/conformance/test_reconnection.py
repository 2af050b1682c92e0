"""`conformance.reconnection`."""

from everything_server import Era, Settings
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from harness.asgi import running
from harness.client_side import factory_with, raw_client
from harness.clock import FakeClock
from harness.raw_http import call

PLUGIN = "conformance.reconnection"
TOOL = "test_reconnection"


async def test_the_stream_ends_before_the_result_which_a_reconnecting_client_gets() -> None:
    clock = FakeClock()
    app = StreamableHttpApp(factory_with(PLUGIN, Settings(clock=clock)), HttpSettings(keep_alive=0))
    async with running(app) as client:
        session = await client.open_session()
        closed = await session.post(call(TOOL))
        primed = await closed.any_event()
        assert primed is not None
        assert await closed.any_event() is None
        resumed = await session.get(last_event=primed.id)
        await clock.until(lambda clock: 0.1 in clock.slept)
        clock.advance(0.1)
        assert "closed" in await resumed.text()


async def test_where_there_are_no_streams_the_result_just_comes() -> None:
    async with raw_client(PLUGIN, Era.LEGACY) as client:
        assert "result" in await client.call_text(TOOL)
