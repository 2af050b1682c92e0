"""`calculator.health`."""

import json
from typing import Any

import pytest
from everything_server import PluginManager, Registries, ServerFactory, Settings
from everything_server.transports.site import SiteContent
from everything_server.transports.sse import SseApp, SseSettings
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from harness.asgi import running
from harness.clock import FakeClock
from harness.raw_http import HttpRequest, get

PLUGIN = "calculator.health"
HEALTH = HttpRequest(method="GET", path="/health")


def app_with(plugins: str, transport: str, clock: FakeClock) -> SseApp | StreamableHttpApp:
    manager = PluginManager([plugins], strict=True)
    manager.load()
    registries = Registries(manager)
    factory, site = ServerFactory(registries, Settings()), SiteContent(registries.routes, registries)
    if transport == "sse":
        return SseApp(factory, SseSettings(site=site, clock=clock, keep_alive=0))
    return StreamableHttpApp(factory, HttpSettings(site=site, clock=clock, keep_alive=0))


@pytest.mark.parametrize("transport", ["sse", "streamable-http"])
async def test_it_tells_how_the_server_is_and_nothing_else(transport: str) -> None:
    clock = FakeClock()
    async with running(app_with("calculator", transport, clock)) as client:
        clock.advance(12.5)
        if transport == "sse":
            streams = [await client.send(get().having(path="/sse")) for _ in range(2)]
            for stream in streams:
                await stream.event()
        else:
            for _ in range(2):
                await client.open_session()
        reply = await client.send(HEALTH)
        assert reply.status == 200
        assert reply.headers.media_type == "application/json"
        assert reply.headers["cache-control"] == "no-store"
        told = json.loads(await reply.body())
    assert told == {"status": "ok", "activeSessions": 2, "transport": transport, "uptime": 12.5}


async def test_a_session_that_has_ended_is_not_counted() -> None:
    async with running(app_with("calculator", "sse", FakeClock())) as client:
        stream = await client.send(get().having(path="/sse"))
        await stream.event()
        stream.leave()
        await stream.done()
        assert json.loads(await (await client.send(HEALTH)).body())["activeSessions"] == 0


@pytest.mark.parametrize("transport", ["sse", "streamable-http"])
async def test_a_foreign_host_does_not_reach_it(transport: str) -> None:
    async with running(app_with(PLUGIN, transport, FakeClock())) as client:
        assert (await client.send(HEALTH.having({"Host": "evil.example"}))).status == 421
        assert (await client.send(HEALTH.having({"Origin": "http://evil.example"}))).status == 403


@pytest.mark.parametrize("transport", ["sse", "streamable-http"])
async def test_disabled_it_is_not_found(transport: str) -> None:
    async with running(app_with("calculator.calculate", transport, FakeClock())) as client:
        assert (await client.send(HEALTH)).status == 404


async def test_alone_it_offers_no_feature_of_the_protocol(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, among="calculator") == {}
