"""`create_mcp_handler`, `is_legacy_request` and `legacy_stateless_fallback` as a Python caller has them.

What they answer is in the tables; here is what the caller hands in, is told, and can count on.
"""

from collections.abc import Callable
from typing import Any

import anyio
import anyio.lowlevel
import everything_server
import pytest
from everything_server import Era, ServingContext
from everything_server.serving.handler import (
    AUTH_INFO_SCOPE_KEY,
    PARSED_BODY_SCOPE_KEY,
    McpHandler,
    create_mcp_handler,
    is_legacy_request,
    legacy_stateless_fallback,
)
from harness.asgi import AsgiClient, Reply, running
from harness.raw_http import (
    HttpRequest,
    call,
    get,
    initialize,
    listen,
    modern,
    modern_call,
    post,
)
from harness.stage import RESOURCE, Stage
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

LEGACY = post(call("echo", {"message": "hi"}))
MODERN = modern_call("echo", {"message": "hi"})
CHANGED = "notifications/tools/list_changed"


class Recorder:
    """A factory that remembers what it was told."""

    def __init__(self, stage: Stage | None = None) -> None:
        self.contexts: list[ServingContext] = []
        self._composed = (stage or Stage()).factory()

    def __call__(self, context: ServingContext) -> Any:
        self.contexts.append(context)
        return self._composed(context)


def raising(context: ServingContext) -> Any:
    raise LookupError(f"no server for the {context.era} era")


def endpoint(respond: Callable[[Request], Any], close: Any = None) -> Any:
    """An application that answers with what a function makes of the request."""

    class Endpoint:
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            response: Response = await respond(Request(scope, receive))
            await response(scope, receive, send)

        async def close(self) -> None:
            if close is not None:
                await close()

    return Endpoint()


def with_scope(app: ASGIApp, **members: Any) -> ASGIApp:
    """An application behind middleware that leaves something in the scope."""

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, **members}, receive, send)

    return wrapped


async def answer(app: Any, sent: HttpRequest) -> Reply:
    async with running(app, lifespan=False) as client:
        reply = await client.send(sent)
        await reply.done()
        return reply


# ---------------------------------------------------------------- what the caller hands in


@pytest.mark.parametrize("sent", [LEGACY, MODERN], ids=["legacy", "modern"])
async def test_auth_information_reaches_the_factory_as_it_is(sent: HttpRequest) -> None:
    factory, auth_info = Recorder(), object()
    handler = create_mcp_handler(factory)
    app = endpoint(lambda request: handler.handle(request, auth_info=auth_info))
    assert await (await answer(app, sent)).text() == "hi"
    assert [context.auth_info for context in factory.contexts] == [auth_info]


@pytest.mark.parametrize("sent", [LEGACY, MODERN], ids=["legacy", "modern"])
async def test_middleware_may_leave_auth_information_in_the_scope(sent: HttpRequest) -> None:
    factory, auth_info = Recorder(), object()
    app = with_scope(create_mcp_handler(factory), **{AUTH_INFO_SCOPE_KEY: auth_info})
    assert await (await answer(app, sent)).text() == "hi"
    assert [context.auth_info for context in factory.contexts] == [auth_info]


async def test_the_fallback_hands_on_auth_information_too() -> None:
    factory, auth_info = Recorder(), object()
    app = with_scope(endpoint(legacy_stateless_fallback(factory)), **{AUTH_INFO_SCOPE_KEY: auth_info})
    assert await (await answer(app, LEGACY)).text() == "hi"
    assert [context.auth_info for context in factory.contexts] == [auth_info]


@pytest.mark.parametrize("sent", [LEGACY, MODERN], ids=["legacy", "modern"])
async def test_auth_information_is_never_read_from_the_request(sent: HttpRequest) -> None:
    factory = Recorder()
    await answer(create_mcp_handler(factory), sent.having({"Authorization": "Bearer secret"}))
    assert [context.auth_info for context in factory.contexts] == [None]
    assert factory.contexts[0].request is not None
    assert factory.contexts[0].request.headers["authorization"] == "Bearer secret"


@pytest.mark.parametrize("sent", [LEGACY, MODERN], ids=["legacy", "modern"])
async def test_the_factory_is_told_the_era_and_the_request(sent: HttpRequest) -> None:
    factory = Recorder()
    await answer(create_mcp_handler(factory), sent.having({"X-Test": "yes"}))
    (context,) = factory.contexts
    assert context.era is (Era.LEGACY if sent is LEGACY else Era.MODERN)
    assert context.request is not None
    assert context.request.headers["x-test"] == "yes"


async def test_a_body_that_was_parsed_already_is_not_read_again(era: Era) -> None:
    handler = create_mcp_handler(Stage().factory())
    sent = LEGACY if era is Era.LEGACY else MODERN

    async def respond(request: Request) -> Response:
        parsed = await request.json()  # as a framework's middleware does
        parsed["params"]["arguments"] = {"message": "parsed"}
        return await handler.handle(request, parsed_body=parsed)

    reply = await answer(endpoint(respond, handler.close), sent)
    assert await reply.text() == "parsed"


async def test_the_bytes_of_a_body_are_not_touched_when_it_is_handed_in_parsed() -> None:
    handler = create_mcp_handler(Stage().factory())
    parsed = call("echo", {"message": "parsed"})
    app = with_scope(handler, **{PARSED_BODY_SCOPE_KEY: parsed})
    async with running(app, lifespan=False) as client:
        reply = await client.send(post(b"{" * 100_000))
        assert await reply.text() == "parsed"
        assert reply.status == 200


@pytest.mark.parametrize(("parsed", "status"), [(None, 400), ([], 400), (42, 400), ({"jsonrpc": "2.0"}, 400)])
async def test_a_parsed_body_is_checked_like_any_other(parsed: Any, status: int) -> None:
    handler = create_mcp_handler(Stage().factory())
    app = endpoint(lambda request: handler.handle(request, parsed_body=parsed), handler.close)
    reply = await answer(app, post(b""))
    assert (reply.status, (await reply.error())["code"]) == (status, -32600)


async def test_a_handler_can_be_mounted_anywhere() -> None:
    handler = create_mcp_handler(Stage().factory())
    app = Starlette(routes=[Mount("/some/where", app=handler)])
    async with running(app) as client:
        for sent in (LEGACY, MODERN):
            assert await (await client.send(sent.having(path="/some/where/"))).text() == "hi"
        await handler.close()


async def test_the_factory_may_be_asynchronous() -> None:
    composed = Stage().factory()

    async def factory(context: ServingContext) -> Any:
        await anyio.lowlevel.checkpoint()
        return composed(context)

    for sent in (LEGACY, MODERN):
        assert await (await answer(create_mcp_handler(factory), sent)).text() == "hi"


# ---------------------------------------------------------------- whose request it is


@pytest.mark.parametrize(
    ("sent", "verdict"),
    [
        (LEGACY, True),
        (MODERN, False),
        (post(initialize()), True),
        (post(b"{"), True),
        (get(), True),
        (modern("tools/list").having({"Mcp-Method": None}), False),
        (post(b"x" * (5 << 20)), False),
        (post(b"x" * (5 << 20)).having(chunked=True), False),
    ],
    ids=["legacy", "modern", "initialize", "no JSON", "GET", "refused", "too large", "too large, chunked"],
)
async def test_a_request_stays_whole_when_it_was_asked_whose_it_is(sent: HttpRequest, verdict: bool) -> None:
    seen: list[Any] = []

    async def respond(request: Request) -> Response:
        seen.append(await is_legacy_request(request))
        if len(sent.body) < 1 << 20:
            seen.append(await request.body())
        return JSONResponse({})

    await answer(endpoint(respond), sent)
    assert seen == [verdict, sent.body][: len(seen)]


async def test_another_application_can_serve_a_request_that_was_asked_whose_it_is() -> None:
    async def foreign(scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        await JSONResponse({"jsonrpc": "2.0", "result": {"size": len(body)}})(scope, receive, send)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        assert await is_legacy_request(request)
        await foreign(request.scope, request.receive, send)

    assert await (await answer(app, LEGACY)).result() == {"size": len(LEGACY.body)}


async def test_nothing_is_read_when_the_body_was_parsed_already() -> None:
    verdicts: list[bool] = []

    async def respond(request: Request) -> Response:
        verdicts.append(await is_legacy_request(request, call("echo")))
        verdicts.append(await is_legacy_request(request, None))
        return JSONResponse({})

    reply = await answer(endpoint(respond), MODERN)
    assert verdicts == [False, False]  # a call under the modern version header, and null
    assert reply.bytes_taken == 0


async def test_the_two_legs_can_be_put_together_by_hand() -> None:
    factory = Recorder()
    handler = create_mcp_handler(factory, legacy="reject")
    fallback = legacy_stateless_fallback(factory)

    async def respond(request: Request) -> Response:
        return await (fallback(request) if await is_legacy_request(request) else handler.handle(request))

    async with running(endpoint(respond, handler.close), lifespan=False) as client:
        for sent in (LEGACY, MODERN):
            assert await (await client.send(sent)).text() == "hi"
        assert (await client.send(post(b"{"))).status == 400
        assert (await client.send(modern("tools/list").having({"Mcp-Method": None}))).status == 400
        assert (await client.send(get())).status == 405
        assert (await client.send(post(b" " * (5 << 20)).having(chunked=True))).status == 413
    assert [context.era for context in factory.contexts if context.era is Era.MODERN] == [Era.MODERN]


# ---------------------------------------------------------------- changes


class ForeignBus:
    """A bus as one over another process's pub/sub would be: it only has the two methods."""

    def __init__(self) -> None:
        self.published: list[ServerEvent] = []
        self.listeners: list[Callable[[ServerEvent], None]] = []

    async def publish(self, event: ServerEvent) -> None:
        self.published.append(event)
        for listener in self.listeners:
            listener(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)


async def subscribe(client: AsgiClient, **notifications: Any) -> Reply:
    stream = await client.send(listen(**notifications))
    assert (await stream.message())["method"] == "notifications/subscriptions/acknowledged"
    return stream


async def test_the_notifier_publishes_on_the_bus() -> None:
    bus = ForeignBus()
    handler = create_mcp_handler(Stage().factory(), bus=bus)
    assert handler.bus is bus
    await handler.notify.tools_changed()
    await handler.notify.prompts_changed()
    await handler.notify.resources_changed()
    await handler.notify.resource_updated(RESOURCE)
    assert bus.published == [
        ToolsListChanged(),
        PromptsListChanged(),
        ResourcesListChanged(),
        ResourceUpdated(uri=RESOURCE),
    ]


async def test_a_bus_of_the_callers_own_carries_the_changes() -> None:
    bus = ForeignBus()
    handler = create_mcp_handler(Stage().factory(), bus=bus)
    async with running(handler, lifespan=False) as client:
        stream = await subscribe(client, toolsListChanged=True)
        assert len(bus.listeners) == 1
        assert await (await client.send(modern_call("change"))).text() == "changed"
        assert (await stream.message())["method"] == CHANGED
        await bus.publish(ToolsListChanged())  # as if from another process
        assert (await stream.message())["method"] == CHANGED
        stream.leave()
        await stream.done()
        assert bus.listeners == []


async def test_handlers_that_share_a_bus_share_its_changes_and_nothing_else() -> None:
    bus = InMemorySubscriptionBus()
    first, second = [create_mcp_handler(Stage().factory(), bus=bus, max_subscriptions=1) for _ in range(2)]
    async with running(first, lifespan=False) as client, running(second, lifespan=False) as other:
        stream, other_stream = (
            await subscribe(client, toolsListChanged=True),
            await subscribe(other, toolsListChanged=True),
        )
        assert await (await client.send(modern_call("change"))).text() == "changed"
        for each in (stream, other_stream):
            assert (await each.message())["method"] == CHANGED
        await first.close()
        assert "result" in await stream.answer()
        await second.notify.tools_changed()
        assert (await other_stream.message())["method"] == CHANGED


async def test_handlers_of_their_own_share_no_changes() -> None:
    first, second = (create_mcp_handler(Stage().factory()) for _ in range(2))
    async with running(first, lifespan=False) as client:
        stream = await subscribe(client, toolsListChanged=True, resourceSubscriptions=[RESOURCE])
        await second.notify.tools_changed()
        await first.notify.resource_updated(RESOURCE)
        assert (await stream.message())["method"] == "notifications/resources/updated"
        await second.close()


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize("sent", [LEGACY, MODERN], ids=["legacy", "modern"])
async def test_on_error_is_told_of_a_factory_that_raises(sent: HttpRequest) -> None:
    errors: list[Exception] = []
    reply = await answer(create_mcp_handler(raising, on_error=errors.append), sent)
    assert (reply.status, (await reply.error())["code"]) == (500, -32603)
    assert [str(error) for error in errors] == [f"no server for the {'legacy' if sent is LEGACY else 'modern'} era"]


async def test_on_error_of_the_fallback_is_told_too() -> None:
    errors: list[Exception] = []
    reply = await answer(endpoint(legacy_stateless_fallback(raising, errors.append)), LEGACY)
    assert reply.status == 500
    assert [type(error) for error in errors] == [LookupError]


@pytest.mark.parametrize("sent", [LEGACY, MODERN], ids=["legacy", "modern"])
async def test_on_error_cannot_change_an_answer(sent: HttpRequest) -> None:
    def broken(error: Exception) -> None:
        raise RuntimeError("this callback raises as well")

    reply = await answer(create_mcp_handler(raising, on_error=broken), sent)
    assert (reply.status, (await reply.error())["code"]) == (500, -32603)


@pytest.mark.parametrize("make", [lambda factory: endpoint(legacy_stateless_fallback(factory)), create_mcp_handler])
async def test_a_client_that_goes_away_while_it_sends_leaves_nothing(make: Callable[[Any], Any]) -> None:
    factory = Recorder()
    async with running(make(factory), lifespan=False) as client:
        reply = client.start(post(b'{"jsonrpc": "2.0",'), unfinished=True)
        reply.leave()
        await reply.done()
    assert factory.contexts == []


# ---------------------------------------------------------------- the end


async def test_close_waits_until_what_was_aborted_is_cleaned_up() -> None:
    stage = Stage()
    factory = Recorder(stage)
    handler = create_mcp_handler(factory)
    async with running(handler, lifespan=False) as client:
        held = client.start(modern_call("hold", {"name": "held"}))
        legacy = client.start(post(call("hold", {"name": "legacy"})))
        await stage.began("held")
        await stage.began("legacy")
        await handler.close()
        assert stage.held["held"].was_cancelled
        assert not stage.held["legacy"].is_over
        assert (await held.head()).status == 503
        stage.release("legacy")
        assert await legacy.text() == "legacy"


async def test_nothing_is_served_in_the_modern_era_after_close() -> None:
    factory = Recorder()
    handler = create_mcp_handler(factory)
    async with running(handler, lifespan=False) as client:
        await handler.close()
        for sent in (MODERN, listen(toolsListChanged=True)):
            refused = await client.send(sent)
            assert (refused.status, (await refused.error())["code"]) == (503, -32603)
        assert factory.contexts == []
        assert await (await client.send(LEGACY)).text() == "hi"
        await handler.notify.tools_changed()  # to nobody


async def test_close_can_be_called_before_anything_and_more_than_once() -> None:
    handler = create_mcp_handler(Stage().factory())
    await handler.close()
    await handler.close()
    assert isinstance(handler, McpHandler)


@pytest.mark.parametrize("name", ["create_mcp_handler", "is_legacy_request", "legacy_stateless_fallback"])
def test_the_serving_entries_are_part_of_the_public_api(name: str) -> None:
    assert name in everything_server.__all__
