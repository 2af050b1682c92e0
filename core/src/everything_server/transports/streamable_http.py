"""The Streamable HTTP transport of the product: one endpoint for both eras."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from everything_server.clock import Clock, SystemClock
from everything_server.eras import BOTH_ERAS, Era
from everything_server.randomness import Randomness
from everything_server.serving.factory import Factory
from everything_server.serving.handler import UNPARSED, create_mcp_handler, read_posted, routing_headers
from everything_server.serving.http import (
    MAX_BODY,
    BodyTooLargeError,
    is_json,
    method_not_allowed,
    too_large,
    unsupported_media_type,
)
from everything_server.serving.legacy import Posted
from everything_server.serving.received import Observe, observe_http
from everything_server.serving.routing import Legacy, classify_post
from everything_server.serving.session_streams import SESSION_HEADER
from everything_server.serving.sessions import SessionServing
from everything_server.transports.front_door import FrontDoor, FrontDoorRules
from everything_server.transports.site import Site, SiteContent

LegacyPosture = Literal["sessions", "stateless", "reject"]


@dataclass(frozen=True, kw_only=True)
class HttpSettings:
    """What whoever starts the server decides for its HTTP endpoint."""

    path: str = "/mcp"
    eras: frozenset[Era] = BOTH_ERAS
    legacy: LegacyPosture = "sessions"
    session_idle: float = 30 * 60
    """Seconds after which an unused session ends."""
    max_sessions: int = 10_000
    max_body: int = MAX_BODY
    max_subscriptions: int = 1024
    keep_alive: float = 15.0
    """Seconds of silence after which an open event stream gets a comment; 0 for never."""
    front_door: FrontDoorRules = field(default_factory=FrontDoorRules)
    site: SiteContent = field(default_factory=SiteContent)
    clock: Clock = field(default_factory=SystemClock)
    randomness: Randomness = field(default_factory=Randomness)
    """Makes the ids of sessions."""
    observe: Observe | None = None
    """Told of each message before it is served, and of requests that carry none."""


class StreamableHttpApp:
    """The ASGI application: front door, era classification, sessions, modern handler, and what else the site has."""

    def __init__(self, factory: Factory, settings: HttpSettings) -> None:
        self._settings = settings
        rejects = Era.LEGACY not in settings.eras or settings.legacy == "reject"
        self._handler = create_mcp_handler(
            factory,
            legacy="stateless" if settings.legacy == "stateless" and not rejects else "reject",
            max_subscriptions=settings.max_subscriptions,
            keep_alive_ms=round(settings.keep_alive * 1000),
            max_body=settings.max_body,
        )
        self.sessions: SessionServing | None = None
        if settings.legacy == "sessions" and not rejects:
            self.sessions = SessionServing(
                factory,
                self._handler.bus.publish,
                settings.clock,
                eras=settings.eras,
                idle_limit=settings.session_idle,
                max_sessions=settings.max_sessions,
                keep_alive=settings.keep_alive,
                randomness=settings.randomness,
            )
        sessions = self.sessions
        site = Site(
            settings.site,
            transport="streamable-http",
            endpoints={"mcp": settings.path},
            eras=settings.eras - {Era.LEGACY} if rejects else settings.eras,
            clock=settings.clock,
            active_sessions=lambda: 0 if sessions is None else len(sessions),
        )
        routes = [Route(settings.path, endpoint=_Endpoint(self)), *site.routes()]
        app = Starlette(routes=routes, lifespan=self._lifespan)
        app.router.redirect_slashes = False  # other paths are not there
        self._app: ASGIApp = FrontDoor(app, settings.front_door)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or the application's lifespan."""
        await self._app(scope, receive, send)

    async def close(self) -> None:
        """Tell all that is open to end: subscriptions get their result, sessions clean up."""
        if self.sessions is not None:
            self.sessions.close()
        await self._handler.close()

    async def respond(self, request: Request) -> Response:
        """The response to a request to the endpoint."""
        settings, headers = self._settings, routing_headers(request)
        ignores_modern = Era.MODERN not in settings.eras
        if request.method != "POST":
            if self.sessions is None or (headers.is_modern and not ignores_modern):
                return method_not_allowed("POST")
            self._tell(None, Era.LEGACY, request)
            return await self.sessions.respond(None, headers, request, None)
        if not is_json(request):
            return unsupported_media_type()
        try:
            posted = await read_posted(request, UNPARSED, settings.max_body)
        except BodyTooLargeError:
            return too_large(settings.max_body)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is left to read it
        verdict = Legacy(posted) if ignores_modern else classify_post(posted, headers, settings.eras)
        self._tell(posted, Era.LEGACY if isinstance(verdict, Legacy) else Era.MODERN, request)
        if isinstance(verdict, Legacy) and self.sessions is not None:
            return await self.sessions.respond(posted, headers, request, None)
        return await self._handler.serve(verdict, headers, request, None)

    def _tell(self, posted: Posted | None, era: Era, request: Request) -> None:
        if self._settings.observe is not None:
            session = request.headers.get(SESSION_HEADER)
            observe_http(self._settings.observe, "streamable-http", request, posted, era=era, session=session)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncGenerator[None]:
        if self.sessions is None:
            yield
            return
        async with self.sessions.running():
            yield


class _Endpoint:
    """The endpoint as an ASGI application, so that no method is refused by the router."""

    def __init__(self, app: StreamableHttpApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._app.respond(Request(scope, receive))
        await response(scope, receive, send)
