"""`create_mcp_handler`: both eras at one HTTP endpoint, for any factory and any ASGI application."""

from collections.abc import Awaitable, Callable
from typing import Final, Literal

from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    SubscriptionBus,
    ToolsListChanged,
)
from mcp_types import JSONRPCRequest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from everything_server.eras import BOTH_ERAS, Era
from everything_server.serving.factory import Factory
from everything_server.serving.http import (
    BODY_SCOPE_KEY,
    MAX_BODY,
    BodyTooLargeError,
    error_response,
    is_json,
    method_not_allowed,
    read_body,
    too_large,
    unsupported_media_type,
)
from everything_server.serving.legacy import Posted, StatelessLegacyServing, reject_legacy
from everything_server.serving.messages import message_of, read_message
from everything_server.serving.modern import ModernServing, OnError, ResponseMode
from everything_server.serving.routing import Legacy, Modern, Refused, RoutingHeaders, Verdict, classify_post

UNPARSED: Final = object()
"""Stands for a body that nobody has parsed yet; None is a JSON value."""

PARSED_BODY_SCOPE_KEY: Final = "everything_server.parsed_body"
AUTH_INFO_SCOPE_KEY: Final = "everything_server.auth_info"
"""Where middleware in front of a mounted handler leaves the parsed body and the validated auth information."""


class Notifier:
    """Publishes changes to the open subscriptions of a handler; nothing happens where there are none."""

    def __init__(self, bus: SubscriptionBus) -> None:
        self._bus = bus

    async def tools_changed(self) -> None:
        """Say that the list of tools has changed."""
        await self._bus.publish(ToolsListChanged())

    async def prompts_changed(self) -> None:
        """Say that the list of prompts has changed."""
        await self._bus.publish(PromptsListChanged())

    async def resources_changed(self) -> None:
        """Say that the list of resources has changed."""
        await self._bus.publish(ResourcesListChanged())

    async def resource_updated(self, uri: str) -> None:
        """Say that the resource at `uri` has changed."""
        await self._bus.publish(ResourceUpdated(uri=uri))


class McpHandler:
    """An ASGI application made by `create_mcp_handler`, and what controls it.

    It validates neither Host nor Origin and verifies no token: that belongs to what it is mounted in. Validated auth
    information reaches the factory by `handle(…, auth_info=…)`, or from the scope at `AUTH_INFO_SCOPE_KEY`.
    """

    def __init__(
        self,
        modern: ModernServing,
        legacy: StatelessLegacyServing | None,
        max_body: int,
    ) -> None:
        self._modern = modern
        self._legacy = legacy
        self._max_body = max_body
        self._eras = BOTH_ERAS if legacy is not None else frozenset({Era.MODERN})
        self.bus = modern.bus
        """Where changes are published for every open subscription."""
        self.notify = Notifier(modern.bus)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        response = await self.handle(
            Request(scope, receive),
            auth_info=scope.get(AUTH_INFO_SCOPE_KEY),
            parsed_body=scope.get(PARSED_BODY_SCOPE_KEY, UNPARSED),
        )
        await response(scope, receive, send)

    async def handle(
        self, request: Request, *, auth_info: object | None = None, parsed_body: object = UNPARSED
    ) -> Response:
        """The response to a request; it is served while the response is sent.

        Args:
            request: The request.
            auth_info: What the caller has validated about its sender; handed to the factory as it is.
            parsed_body: The body, if the caller has parsed it already.
        """
        if request.method != "POST":
            return method_not_allowed("POST")
        if not is_json(request):
            return unsupported_media_type()
        headers = routing_headers(request)
        try:
            posted = await read_posted(request, parsed_body, self._max_body)
        except BodyTooLargeError:
            return too_large(self._max_body)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is left to read it
        return await self.serve(classify_post(posted, headers, self._eras), headers, request, auth_info)

    async def serve(
        self, verdict: Verdict, headers: RoutingHeaders, request: Request, auth_info: object | None
    ) -> Response:
        """The response to a POST that was classified before."""
        match verdict:
            case Refused(error=error, request_id=request_id):
                return error_response(400, error, request_id)
            case Modern(message=JSONRPCRequest() as message, route=route):
                assert route is not None
                return self._modern.respond(message, route, request, auth_info)
            case Modern():
                return Response(status_code=202)  # the modern era defines no notification that a server acts on
            case Legacy(message=posted):
                assert posted is not None
                if self._legacy is None:
                    return reject_legacy(posted, headers)
                return await self._legacy.respond(posted, headers, request, auth_info)

    async def close(self) -> None:
        """End the modern leg: open subscriptions get their result, other exchanges are aborted. Legacy goes on."""
        await self._modern.close()


def create_mcp_handler(
    factory: Factory,
    *,
    legacy: Literal["stateless", "reject"] = "stateless",
    bus: SubscriptionBus | None = None,
    max_subscriptions: int = 1024,
    keep_alive_ms: int = 15_000,
    response_mode: ResponseMode = "auto",
    on_error: OnError | None = None,
    max_body: int = MAX_BODY,
) -> McpHandler:
    """An ASGI application that serves 2026-07-28 requests and, by default, legacy ones without sessions.

    Args:
        factory: Makes a fresh server for each request.
        legacy: "reject" answers legacy requests with -32022. To serve them otherwise, with sessions for example,
            route with `is_legacy_request` in front of a handler that rejects them.
        bus: Takes changes to the subscriptions; one of another process's pub/sub serves several processes.
        max_subscriptions: How many subscriptions may be open; a further one is refused with -32603.
        keep_alive_ms: Milliseconds of silence after which an event stream gets a comment; 0 for never.
        response_mode: "auto" answers with JSON unless a notification comes before the result, "sse" always with an
            event stream, "json" never (notifications before a result are dropped); subscriptions always stream.
        on_error: Told of what goes wrong outside a handler; it cannot change an answer.
        max_body: The largest body that is read, in bytes.
    """
    bus = bus or InMemorySubscriptionBus()
    keep_alive = keep_alive_ms / 1000
    modern = ModernServing(
        factory,
        bus,
        max_subscriptions=max_subscriptions,
        keep_alive=keep_alive,
        response_mode=response_mode,
        on_error=on_error,
    )
    stateless = StatelessLegacyServing(factory, bus.publish, keep_alive, on_error) if legacy == "stateless" else None
    return McpHandler(modern, stateless, max_body)


async def is_legacy_request(request: Request, parsed_body: object = UNPARSED) -> bool:
    """Whether `create_mcp_handler` would give this request to its legacy serving.

    It is the handler's own classification: the body first, the headers second. What is false has to go to a modern
    handler, which owns the error answers for it too. The media type is not looked at. The request stays readable, by
    this object and by an application that gets its scope.

    Args:
        request: The request.
        parsed_body: The body, if the caller has parsed it already; then nothing is read.
    """
    if request.method != "POST":
        return True
    try:
        posted = await read_posted(request, parsed_body, MAX_BODY)
    except BodyTooLargeError:
        return False
    if parsed_body is UNPARSED:
        _read_again(request)
    return isinstance(classify_post(posted, routing_headers(request), BOTH_ERAS), Legacy)


def _read_again(request: Request) -> None:
    """Let this object, and whoever gets its scope and its `receive`, read the body once more."""
    body: bytes = request.scope[BODY_SCOPE_KEY]
    receive = request.receive
    unread = [body]

    async def replay() -> Message:
        if unread:
            return {"type": "http.request", "body": unread.pop(), "more_body": False}
        return await receive()

    request._body = body  # pyright: ignore[reportPrivateUsage]
    request._receive = replay  # pyright: ignore[reportPrivateUsage]


def legacy_stateless_fallback(
    factory: Factory, on_error: OnError | None = None
) -> Callable[[Request], Awaitable[Response]]:
    """The legacy serving of `create_mcp_handler` on its own, as a Starlette endpoint.

    GET and DELETE, which only sessions have, are answered with 405.
    """
    serving = StatelessLegacyServing(factory, InMemorySubscriptionBus().publish, 15.0, on_error)

    async def fallback(request: Request) -> Response:
        if request.method != "POST":
            return method_not_allowed("POST")
        if not is_json(request):
            return unsupported_media_type()
        try:
            posted = await read_posted(request, UNPARSED, MAX_BODY)
        except BodyTooLargeError:
            return too_large(MAX_BODY)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is left to read it
        auth_info: object | None = request.scope.get(AUTH_INFO_SCOPE_KEY)
        return await serving.respond(posted, routing_headers(request), request, auth_info)

    return fallback


def routing_headers(request: Request) -> RoutingHeaders:
    """The headers that classification looks at."""
    return RoutingHeaders.read(request.headers.items())


async def read_posted(request: Request, parsed_body: object, limit: int) -> Posted:
    """What was posted, from the parsed body if there is one.

    Raises:
        BodyTooLargeError: The body is over the limit.
        ClientDisconnect: The client went away while sending it.
    """
    return read_message(await read_body(request, limit)) if parsed_body is UNPARSED else message_of(parsed_body)
