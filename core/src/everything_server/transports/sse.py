"""The deprecated HTTP+SSE transport of the product: an endpoint for streams and one for messages."""

from dataclasses import dataclass, field
from typing import Literal

from mcp.server.subscriptions import InMemorySubscriptionBus
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from everything_server.clock import Clock, SystemClock
from everything_server.eras import Era
from everything_server.randomness import Randomness
from everything_server.serving.factory import Factory
from everything_server.serving.http import MAX_BODY
from everything_server.serving.received import Observe
from everything_server.serving.sse import SseServing
from everything_server.transports.front_door import FrontDoor, FrontDoorRules
from everything_server.transports.site import Site, SiteContent


@dataclass(frozen=True, kw_only=True)
class SseSettings:
    """What whoever starts the server decides for its SSE endpoints."""

    path: str = "/sse"
    message_path: str = "/message"
    handshake: Literal["optional", "required"] = "optional"
    """Whether a call that comes before `initialize` is served. A client SHOULD not send one (2024-11-05
    basic/lifecycle); people who try the transport with curl do, and nothing of it depends on the handshake."""
    max_body: int = MAX_BODY
    max_sessions: int = 10_000
    keep_alive: float = 15.0
    """Seconds of silence after which an open event stream gets a comment; 0 for never."""
    front_door: FrontDoorRules = field(default_factory=FrontDoorRules)
    site: SiteContent = field(default_factory=SiteContent)
    clock: Clock = field(default_factory=SystemClock)
    randomness: Randomness = field(default_factory=Randomness)
    """Makes the ids of sessions."""
    observe: Observe | None = None
    """Told of each message before it is served, and of requests that carry none."""


class SseApp:
    """The ASGI application: front door, both endpoints, and what the site has beside them."""

    def __init__(self, factory: Factory, settings: SseSettings) -> None:
        self._serving = SseServing(
            factory,
            InMemorySubscriptionBus().publish,
            message_path=settings.message_path,
            handshake_required=settings.handshake == "required",
            max_body=settings.max_body,
            max_sessions=settings.max_sessions,
            keep_alive=settings.keep_alive,
            randomness=settings.randomness,
            observe=settings.observe,
        )
        site = Site(
            settings.site,
            transport="sse",
            endpoints={"stream": settings.path, "messages": settings.message_path},
            eras=frozenset({Era.LEGACY}),
            clock=settings.clock,
            active_sessions=lambda: len(self._serving.sessions),
        )
        routes = [
            Route(settings.path, endpoint=_Endpoint(self._serving, is_stream=True)),
            Route(settings.message_path, endpoint=_Endpoint(self._serving, is_stream=False)),
            *site.routes(),
        ]
        app = Starlette(routes=routes)
        app.router.redirect_slashes = False  # other paths are not there
        self._app: ASGIApp = FrontDoor(app, settings.front_door)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or the application's lifespan."""
        await self._app(scope, receive, send)

    async def close(self) -> None:
        """End all streams."""
        self._serving.close()


class _Endpoint:
    """An endpoint as an ASGI application, so that no method is refused by the router."""

    def __init__(self, serving: SseServing, *, is_stream: bool) -> None:
        self._respond = serving.open if is_stream else serving.post

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._respond(Request(scope, receive))
        await response(scope, receive, send)
