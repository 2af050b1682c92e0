"""What an HTTP server has beside the protocol's endpoints: a page about itself, and the routes of plugins."""

import inspect
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import pydantic_core
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from everything_server.clock import Clock
from everything_server.eras import Era
from everything_server.registry import Registry
from everything_server.server import NAME, TITLE
from everything_server.serving.http import method_not_allowed
from everything_server.specs import RouteSpec, ServerStatus
from everything_server.transports.index_page import index
from everything_server.version import __version__

logger = logging.getLogger(__name__)

INDEX_PATH: Final = "/"
"""The path of the page about the server, unless an endpoint has it."""

NO_STORE: Final = {"cache-control": "no-store"}


@dataclass(frozen=True)
class SiteContent:
    """What whoever starts a server puts beside its endpoints."""

    routes: tuple[RouteSpec, ...] = ()
    registry: Callable[[Era], Registry] | None = None
    """What is served, for the page that lists it."""


class Site:
    """The routes of one server's application, besides its endpoints.

    Args:
        content: What is served.
        transport: How the protocol is carried.
        endpoints: The paths of its endpoints, by what they are for.
        eras: The eras that are served.
        clock: Counts how long the server has been up.
        active_sessions: How many legacy conversations are open.
    """

    def __init__(
        self,
        content: SiteContent,
        *,
        transport: Literal["sse", "streamable-http"],
        endpoints: Mapping[str, str],
        eras: frozenset[Era],
        clock: Clock,
        active_sessions: Callable[[], int],
    ) -> None:
        self._content = content
        self._transport: Literal["sse", "streamable-http"] = transport
        self._endpoints = endpoints
        self._eras = eras
        self._clock = clock
        self._active_sessions = active_sessions
        self._made_at = clock.monotonic()

    def routes(self) -> list[Route]:
        """The routes; those of endpoints have to stand before them."""
        registry = self._content.registry
        registries = {} if registry is None else {era: registry for era in Era if era in self._eras}

        async def show_index(request: Request, status: ServerStatus) -> Response:
            return index(request, status, {era: compiled(era) for era, compiled in registries.items()})

        specs = (*self._content.routes, RouteSpec(path=INDEX_PATH, handler=show_index))
        return [Route(spec.path, endpoint=_Served(self, spec)) for spec in specs]

    @property
    def status(self) -> ServerStatus:
        """How the server is now."""
        return ServerStatus(
            name=NAME,
            title=TITLE,
            version=__version__,
            transport=self._transport,
            endpoints=self._endpoints,
            eras=self._eras,
            active_sessions=self._active_sessions(),
            uptime=self._clock.monotonic() - self._made_at,
        )


class _Served:
    """A path as an ASGI application, so that a method it has not got is refused in our words."""

    def __init__(self, site: Site, spec: RouteSpec) -> None:
        self._site = site
        self._spec = spec

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = await self._respond(request)
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        # The server that sends it leaves out the body of an answer to HEAD.
        if ("GET" if request.method == "HEAD" else request.method) not in self._spec.methods:
            return method_not_allowed(", ".join(self._spec.methods))
        try:
            answer = self._spec.handler(request, self._site.status)
            return _response(await answer if inspect.isawaitable(answer) else answer)
        except (Exception, SystemExit):  # code of others, which may do anything, exit() included
            logger.exception("the handler of %s raised", request.url.path)
            return PlainTextResponse("Internal error", 500)


def _response(answer: Any) -> Response:
    match answer:
        case Response():
            return answer
        case str():
            return PlainTextResponse(answer, headers=NO_STORE)
        case _:
            return Response(pydantic_core.to_json(answer), headers=NO_STORE, media_type="application/json")
