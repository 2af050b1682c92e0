"""Which hosts the server answers to, and which web pages may use it: on both HTTP transports, for every method."""

from collections.abc import Callable
from typing import Any

import pytest
from everything_server.transports.front_door import FrontDoorRules
from everything_server.transports.sse import SseApp
from everything_server.transports.streamable_http import StreamableHttpApp
from harness.asgi import Reply, running
from harness.raw_http import HttpRequest, delete, get, initialize, modern, modern_call, post, request
from harness.stage import Stage

App = StreamableHttpApp | SseApp
MakeApp = Callable[..., App]

UI = "https://ui.example"
RULES = FrontDoorRules(hosts=("gw.example", "proxy.example:8443"), origins=(UI,))

HTTP: dict[str, HttpRequest] = {
    "initialize": post(initialize()),
    "modern": modern("tools/list"),
    "GET": get("some-session"),
    "DELETE": delete("some-session"),
    "PUT": post(initialize()).having(method="PUT"),
    "OPTIONS": HttpRequest(method="OPTIONS"),
    "page": get().having(path="/"),
    "another path": get().having(path="/elsewhere"),
}
SSE: dict[str, HttpRequest] = {
    "SSE stream": get().having(path="/sse"),
    "SSE message": post(initialize(), path="/message?sessionId=some-session"),
    "SSE DELETE": delete().having(path="/sse"),
    "SSE OPTIONS": HttpRequest(method="OPTIONS", path="/message"),
}
EVERY_REQUEST = [pytest.param(Stage.http, sent, id=name) for name, sent in HTTP.items()] + [
    pytest.param(Stage.sse, sent, id=name) for name, sent in SSE.items()
]
"""Requests that are answered by different parts of the two applications."""

FOREIGN_HOSTS = [
    "evil.example",
    "evil.example:3001",
    "localhost.evil.example",
    "evil.localhost",
    "127.0.0.1.evil.example:3001",
    "localhost@evil.example",
    "evil.example#localhost",
    "[::1].evil.example",
    "[::2]",
    "127.0.0.2",
    "0.0.0.0:3001",
    "localhost:port",
    "localhost:3001:3001",
    "",
]
OWN_HOSTS = [
    "localhost",
    "localhost:3001",
    "LocalHost:80",
    "127.0.0.1",
    "127.0.0.1:3001",
    "[::1]",
    "[::1]:3001",
    " localhost:3001\t",
]
FOREIGN_ORIGINS = [
    "http://evil.example",
    "null",
    "",
    "http://localhost.evil.example",
    "http://evil.localhost",
    "https://127.0.0.1.evil.example",
    "http://localhost@evil.example",
    "http://localhost:3001.evil.example",
    "http://localhost/",
    "http://evil.example, http://localhost",
    "localhost",
    "file://",
    "chrome-extension://abcdef",
]
OWN_ORIGINS = ["http://localhost:6274", "https://localhost", "http://127.0.0.1:5173", "http://[::1]:80"]


async def answer(app: App, sent: HttpRequest) -> Reply:
    """The answer to one request, whose stream, if it is one, is left."""
    async with running(app) as client:
        reply = await client.send(sent)
        if not reply.is_stream:
            await reply.body()
        return reply


def allow_headers(reply: Reply) -> list[str]:
    """The headers by which a web page is let in."""
    return [name for name, _ in reply.headers.lines if name.startswith("access-control-")]


# ---------------------------------------------------------------- hosts


@pytest.mark.parametrize(("make", "sent"), EVERY_REQUEST)
async def test_a_foreign_host_is_refused_on_every_request(make: MakeApp, sent: HttpRequest) -> None:
    reply = await answer(make(Stage()), sent.having({"Host": "evil.example"}))
    assert reply.status == 421
    assert allow_headers(reply) == []


@pytest.mark.parametrize(("make", "sent"), EVERY_REQUEST)
async def test_a_loopback_host_is_let_in_on_every_request(make: MakeApp, sent: HttpRequest) -> None:
    assert (await answer(make(Stage()), sent.having({"Host": "[::1]:3001"}))).status not in (403, 421)


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
async def test_a_host_that_is_not_this_server_is_refused(host: str) -> None:
    assert (await answer(Stage().http(), modern("tools/list").having({"Host": host}))).status == 421


@pytest.mark.parametrize("host", OWN_HOSTS)
async def test_loopback_names_are_let_in_with_any_port(host: str) -> None:
    assert (await answer(Stage().http(), modern("tools/list").having({"Host": host}))).status == 200


@pytest.mark.parametrize("hosts", [("localhost", "evil.example"), ("evil.example", "localhost")])
async def test_of_two_hosts_both_must_be_this_server(hosts: tuple[str, str]) -> None:
    sent = modern("tools/list").adding(*(("Host", host) for host in hosts))
    assert (await answer(Stage().http(), sent)).status in (400, 421)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("gw.example", 200),
        ("gw.example:443", 200),
        ("GW.Example", 200),
        ("proxy.example:8443", 200),
        ("proxy.example", 421),
        ("proxy.example:1", 421),
        ("www.gw.example", 421),
        ("localhost:1", 200),
    ],
)
async def test_further_hosts_are_an_option(host: str, status: int) -> None:
    app = Stage().http(front_door=RULES)
    assert (await answer(app, modern("tools/list").having({"Host": host}))).status == status


# ---------------------------------------------------------------- origins


@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
@pytest.mark.parametrize(("make", "sent"), EVERY_REQUEST)
async def test_a_foreign_origin_is_forbidden_on_every_request(make: MakeApp, sent: HttpRequest, origin: str) -> None:
    reply = await answer(make(Stage()), sent.having({"Origin": origin}))
    assert reply.status == 403
    assert allow_headers(reply) == []


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
async def test_an_origin_that_is_not_on_this_machine_is_forbidden(origin: str) -> None:
    reply = await answer(Stage().http(), modern("tools/list").having({"Origin": origin}))
    assert reply.status == 403
    assert allow_headers(reply) == []


@pytest.mark.parametrize("origin", OWN_ORIGINS)
async def test_pages_on_this_machine_are_let_in(origin: str) -> None:
    reply = await answer(Stage().http(), modern("tools/list").having({"Origin": origin}))
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, origin)


async def test_what_is_no_web_page_has_no_origin_and_is_let_in() -> None:
    reply = await answer(Stage().http(), modern("tools/list"))
    assert (reply.status, "access-control-allow-origin" in reply.headers) == (200, False)


@pytest.mark.parametrize("origins", [("http://localhost", "http://evil.example"), ("null", "http://localhost")])
async def test_of_two_origins_both_must_be_allowed(origins: tuple[str, str]) -> None:
    sent = modern("tools/list").adding(*(("Origin", origin) for origin in origins))
    assert (await answer(Stage().http(), sent)).status == 403


async def test_nothing_is_done_for_a_foreign_origin() -> None:
    stage = Stage()
    app = stage.http()
    async with running(app) as client:
        for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
            for sent in (post(initialize()), modern_call("hold", {"name": "held"})):
                refused = await client.send(sent.having(headers))
                assert refused.status in (403, 421)
                assert refused.bytes_taken == 0
        assert len(app.sessions or ()) == 0
    assert not stage.held


@pytest.mark.parametrize("origin", [UI, *OWN_ORIGINS])
async def test_further_origins_are_an_option(origin: str) -> None:
    reply = await answer(Stage().http(front_door=RULES), modern("tools/list").having({"Origin": origin}))
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, origin)


@pytest.mark.parametrize("origin", ["http://ui.example", f"{UI}:8443", "https://www.ui.example", f"{UI}/"])
async def test_a_further_origin_lets_in_no_other_one(origin: str) -> None:
    reply = await answer(Stage().http(front_door=RULES), modern("tools/list").having({"Origin": origin}))
    assert (reply.status, allow_headers(reply)) == (403, [])


@pytest.mark.parametrize("origin", ["http://evil.example", "null", UI])
@pytest.mark.parametrize("headers", [{}, {"Cookie": "a=b"}, {"Authorization": "Bearer x"}])
async def test_every_origin_may_be_let_in_but_never_with_credentials(origin: str, headers: dict[str, str]) -> None:
    app = Stage().http(front_door=FrontDoorRules(origins=("*",)))
    reply = await answer(app, modern("tools/list").having({"Origin": origin, **headers}))
    assert reply.status == 200
    assert reply.headers["access-control-allow-origin"] in ("*", origin)
    assert "access-control-allow-credentials" not in reply.headers


# ---------------------------------------------------------------- cross-origin requests

ASKED = [
    "content-type",
    "accept",
    "authorization",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "mcp-name",
    "last-event-id",
    "mcp-param-region",
]


def preflight(path: str, origin: str, method: str) -> HttpRequest:
    headers = (
        ("Origin", origin),
        ("Access-Control-Request-Method", method),
        ("Access-Control-Request-Headers", ", ".join(ASKED)),
    )
    return HttpRequest(method="OPTIONS", path=path, headers=headers)


PREFLIGHTS = [
    pytest.param(Stage.http, "/mcp", "POST", id="POST"),
    pytest.param(Stage.http, "/mcp", "GET", id="GET"),
    pytest.param(Stage.http, "/mcp", "DELETE", id="DELETE"),
    pytest.param(Stage.sse, "/sse", "GET", id="SSE stream"),
    pytest.param(Stage.sse, "/message", "POST", id="SSE message"),
]


def listed(reply: Reply, name: str) -> set[str]:
    return {item.strip().lower() for item in reply.headers[name].split(",")}


@pytest.mark.parametrize("origin", [OWN_ORIGINS[0], UI])
@pytest.mark.parametrize(("make", "path", "method"), PREFLIGHTS)
async def test_a_preflight_of_an_allowed_page_is_granted(make: MakeApp, path: str, method: str, origin: str) -> None:
    reply = await answer(make(Stage(), front_door=RULES), preflight(path, origin, method))
    assert 200 <= reply.status < 300
    assert reply.headers["access-control-allow-origin"] == origin
    assert {"get", "post", "delete"} <= listed(reply, "access-control-allow-methods")
    assert set(ASKED) <= listed(reply, "access-control-allow-headers")
    assert "origin" in listed(reply, "vary")
    assert "access-control-allow-credentials" not in reply.headers


@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
@pytest.mark.parametrize(("make", "path", "method"), PREFLIGHTS)
async def test_a_preflight_of_a_foreign_page_is_forbidden(make: MakeApp, path: str, method: str, origin: str) -> None:
    reply = await answer(make(Stage(), front_door=RULES), preflight(path, origin, method))
    assert (reply.status, allow_headers(reply)) == (403, [])


async def test_every_answer_lets_the_page_read_it() -> None:
    origin = {"Origin": UI}
    async with running(Stage().http(front_door=RULES, max_body=5000, max_sessions=1)) as client:
        session = await client.open_session()
        await session.get()
        ping = post(request("ping"), session.id)
        expected = [
            (200, modern("tools/list")),
            (200, ping),
            (202, post({"jsonrpc": "2.0", "method": "notifications/initialized"}, session.id)),
            (400, post(b"{")),
            (400, modern("tools/list").having({"Mcp-Method": "x"})),
            (404, ping.having({"Mcp-Session-Id": "gone"})),
            (404, modern("no/such-method")),
            (404, get().having(path="/elsewhere")),
            (405, ping.having(method="PUT")),
            (405, HttpRequest(method="OPTIONS")),
            (406, ping.having({"Accept": "text/html"})),
            (409, get(session.id)),
            (413, post(b"x" * 6000)),
            (415, ping.having({"Content-Type": "text/plain"})),
            (503, post(initialize())),
        ]
        for status, sent in expected:
            reply = await client.send(sent.having(origin))
            assert reply.status == status, sent
            check_readable(reply, status)


async def test_every_answer_of_the_other_transport_lets_the_page_read_it() -> None:
    origin = {"Origin": UI}
    async with running(Stage().sse(front_door=RULES, max_body=5000, max_sessions=1)) as client:
        stream = await client.send(get().having({**origin, "Accept": "text/event-stream"}, path="/sse"))
        check_readable(stream, 200)
        event = await stream.event()
        assert event is not None
        assert event.data is not None
        message = post(initialize(), path=event.data)
        expected = [
            (202, message),
            (400, post(b"{", path=event.data)),
            (400, post(initialize(), path="/message")),
            (404, post(initialize(), path="/message?sessionId=gone")),
            (404, get().having(path="/mcp")),
            (405, post(initialize(), path="/sse")),
            (413, post(b"x" * 6000, path=event.data)),
            (415, message.having({"Content-Type": "text/plain"})),
            (503, get().having(path="/sse")),
        ]
        for status, sent in expected:
            reply = await client.send(sent.having(origin))
            assert reply.status == status, sent
            check_readable(reply, status)


async def test_an_answer_that_went_wrong_lets_the_page_read_it() -> None:
    def factory(context: Any) -> Any:
        raise RuntimeError("this factory always raises")

    for app, sent in (
        (StreamableHttpApp(factory, Stage().http()._settings), post(initialize())),  # pyright: ignore[reportPrivateUsage]
        (StreamableHttpApp(factory, Stage().http()._settings), modern("tools/list")),  # pyright: ignore[reportPrivateUsage]
    ):
        check_readable(await answer(app, sent.having({"Origin": OWN_ORIGINS[0]})), 500, OWN_ORIGINS[0])


def check_readable(reply: Reply, status: int, origin: str = UI) -> None:
    assert reply.status == status
    assert reply.headers["access-control-allow-origin"] == origin
    assert "mcp-session-id" in listed(reply, "access-control-expose-headers")
    assert "origin" in {item.strip().lower() for value in reply.headers.all("vary") for item in value.split(",")}
