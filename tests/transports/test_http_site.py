"""What HTTP servers have beside their endpoints: the page at `/`, and the routes of plugins."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from everything_server import Era, PromptSpec, Registries, ResourceSpec, RouteSpec, ServerFactory, Settings, ToolSpec
from everything_server.transports.front_door import FrontDoorRules
from everything_server.transports.site import SiteContent
from everything_server.transports.sse import SseApp, SseSettings
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from harness.asgi import Reply, running
from harness.clock import FakeClock
from harness.plugins import load, module_of, plugin
from harness.raw_http import HttpRequest, delete, get, post
from starlette.requests import Request
from starlette.responses import Response

App = SseApp | StreamableHttpApp

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
INDEX = HttpRequest(method="GET", path="/")


async def answer() -> str:
    """Answer."""
    return "answer"


FEATURES = (
    ToolSpec(name="<b>bold</b>", fn=answer),
    ToolSpec(name="old", fn=answer, eras=frozenset({Era.LEGACY})),
    ResourceSpec(uri="fake://one", name="one", fn=answer),
    PromptSpec(name="greet", fn=answer),
)


def site_with(*routes: RouteSpec) -> tuple[ServerFactory, SiteContent]:
    module = module_of(
        everything_server_tools=lambda: [spec for spec in FEATURES if isinstance(spec, ToolSpec)],
        everything_server_resources=lambda: [spec for spec in FEATURES if isinstance(spec, ResourceSpec)],
        everything_server_prompts=lambda: [spec for spec in FEATURES if isinstance(spec, PromptSpec)],
        everything_server_routes=lambda: list(routes),
    )
    registries = Registries(load([plugin("fake.site", module=module)], strict=True))
    return ServerFactory(registries, Settings()), SiteContent(registries.routes, registries)


def sse(*routes: RouteSpec, **options: Any) -> SseApp:
    factory, site = site_with(*routes)
    return SseApp(factory, SseSettings(site=site, keep_alive=0, **options))


def http(*routes: RouteSpec, **options: Any) -> StreamableHttpApp:
    factory, site = site_with(*routes)
    return StreamableHttpApp(factory, HttpSettings(site=site, keep_alive=0, **options))


both = pytest.mark.parametrize("make", [sse, http], ids=["sse", "streamable-http"])


async def ask(app: App, sent: HttpRequest) -> tuple[Reply, str]:
    async with running(app) as client:
        reply = await client.send(sent)
        return reply, (await reply.body()).decode()


# ---------------------------------------------------------------- the page about the server


async def test_programs_are_told_of_the_server_as_json() -> None:
    reply, body = await ask(http(), INDEX.having({"Host": "localhost:8080"}))
    assert (reply.status, reply.headers.media_type) == (200, "application/json")
    told = json.loads(body)
    assert (told["name"], told["title"]) == ("mcp-servers/everything", "Everything Reference Server")
    assert told["transport"] == "streamable-http"
    assert told["endpoints"] == {"mcp": "http://localhost:8080/mcp"}
    assert told["protocolVersions"]["modern"] == ["2026-07-28"]
    common = {"resources": ["fake://one"], "prompts": ["greet"]}
    assert told["features"] == {
        "legacy": {"tools": ["<b>bold</b>", "old"], **common},
        "modern": {"tools": ["<b>bold</b>"], **common},
    }


async def test_over_sse_there_are_two_endpoints_and_one_era() -> None:
    _, body = await ask(sse(message_path="/messages"), INDEX)
    told = json.loads(body)
    assert told["endpoints"] == {"stream": "http://localhost:3001/sse", "messages": "http://localhost:3001/messages"}
    assert set(told["protocolVersions"]) == set(told["features"]) == {"legacy"}


@pytest.mark.parametrize("options", [{"eras": frozenset({Era.MODERN})}, {"legacy": "reject"}], ids=str)
async def test_an_era_that_is_not_served_is_not_told_of(options: Any) -> None:
    _, body = await ask(http(**options), INDEX)
    assert set(json.loads(body)["features"]) == {"modern"}


@both
async def test_people_get_a_page(make: Callable[..., App]) -> None:
    reply, body = await ask(make(), INDEX.having({"Accept": BROWSER}))
    assert (reply.status, reply.headers.media_type) == (200, "text/html")
    for part in ("Everything Reference Server", "&lt;b&gt;bold&lt;/b&gt;", "fake://one", "http://localhost:3001/"):
        assert part in body
    assert "<b>" not in body  # what plugins call their features is no markup
    assert "<script" not in body
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert "Accept" in reply.headers["vary"]


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("text/event-stream", "application/json"),
        ("text/html", "text/html"),
        ("TEXT/HTML; charset=utf-8", "text/html"),
        ("application/json, text/html", "text/html"),
        ("application/json, text/html;q=0.5", "application/json"),
        ("text/html;q=0", "application/json"),
        ("text/html;q=x", "application/json"),
        ("", "application/json"),
    ],
)
async def test_the_client_decides_the_form(accept: str | None, media: str) -> None:
    reply, _ = await ask(http(), INDEX if accept is None else INDEX.having({"Accept": accept}))
    assert reply.headers.media_type == media


@both
async def test_the_page_is_for_reading_only(make: Callable[..., App]) -> None:
    for sent in (post({}, path="/"), delete().having(path="/")):
        reply, _ = await ask(make(), sent)
        assert (reply.status, reply.headers["allow"]) == (405, "GET")


async def test_an_endpoint_may_take_the_place_of_the_page() -> None:
    reply, body = await ask(http(path="/"), INDEX.having({"Accept": BROWSER}))
    assert reply.status == 400
    assert "jsonrpc" in body


async def test_a_foreign_host_does_not_see_it() -> None:
    reply, _ = await ask(http(), INDEX.having({"Host": "evil.example"}))
    assert reply.status == 421


async def test_behind_another_name_the_endpoints_have_that_name() -> None:
    app = http(front_door=FrontDoorRules(hosts=("gw.example",)))
    _, body = await ask(app, INDEX.having({"Host": "gw.example"}))
    assert json.loads(body)["endpoints"] == {"mcp": "http://gw.example/mcp"}


# ---------------------------------------------------------------- routes of plugins


async def tell_status(request: Request, status: Any) -> dict[str, Any]:
    return {
        "query": request.query_params.get("q"),
        "transport": status.transport,
        "endpoints": status.endpoints,
        "uptime": status.uptime,
        "eras": sorted(status.eras),
    }


async def tell_text(request: Request, status: Any) -> str:
    return "grüezi"


async def make_response(request: Request, status: Any) -> Response:
    return Response(await request.body(), 201, {"x-own": "1"}, media_type="text/csv")


async def fail(request: Request, status: Any) -> str:
    raise RuntimeError("secret-7781")


async def leave(request: Request, status: Any) -> str:
    raise SystemExit(3)


@both
async def test_a_handler_gets_the_request_and_the_status(make: Callable[..., App]) -> None:
    clock = FakeClock()
    async with running(make(RouteSpec(path="/status", handler=tell_status), clock=clock)) as client:
        clock.advance(3)
        reply = await client.send(get().having(path="/status?q=1"))
        assert (reply.status, reply.headers.media_type) == (200, "application/json")
        told = json.loads(await reply.body())
    assert (told["query"], told["uptime"]) == ("1", 3)
    assert (told["transport"], told["eras"]) in (("sse", ["legacy"]), ("streamable-http", ["legacy", "modern"]))


@both
async def test_a_handler_gives_text_or_a_response_of_its_own(make: Callable[..., App]) -> None:
    routes = (
        RouteSpec(path="/text", handler=tell_text),
        RouteSpec(path="/own", handler=make_response, methods=("POST", "PUT")),
    )
    async with running(make(*routes)) as client:
        text = await client.send(get().having(path="/text"))
        assert (text.headers.media_type, (await text.body()).decode()) == ("text/plain", "grüezi")
        own = await client.send(post(b"a,b", path="/own"))
        assert (own.status, own.headers["x-own"], await own.body()) == (201, "1", b"a,b")
        refused = await client.send(get().having(path="/own"))
        assert (refused.status, refused.headers["allow"]) == (405, "POST, PUT")


@pytest.mark.parametrize("handler", [fail, leave])
async def test_a_handler_that_fails_tells_no_details(handler: Any, caplog: pytest.LogCaptureFixture) -> None:
    async with running(http(RouteSpec(path="/fail", handler=handler))) as client:
        reply = await client.send(get().having(path="/fail"))
        assert (reply.status, await reply.body()) == (500, b"Internal error")
        assert (await client.send(INDEX)).status == 200
    assert "the handler of /fail raised" in caplog.text


@both
async def test_the_front_door_stands_before_routes_too(make: Callable[..., App]) -> None:
    async with running(make(RouteSpec(path="/text", handler=tell_text))) as client:
        sent = get().having(path="/text")
        assert (await client.send(sent.having({"Host": "evil.example"}))).status == 421
        assert (await client.send(sent.having({"Origin": "http://evil.example"}))).status == 403
        let_in = await client.send(sent.having({"Origin": "http://localhost:5173"}))
        assert let_in.headers["access-control-allow-origin"] == "http://localhost:5173"
