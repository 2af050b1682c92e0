"""What a serving entry needs from its caller: a factory of servers. Any factory will do, ours is one of them."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.lowlevel import Server
from starlette.requests import Request

from everything_server.context import Publish
from everything_server.eras import Era
from everything_server.registry import Registry
from everything_server.server import create_server
from everything_server.settings import Settings


@dataclass(frozen=True, kw_only=True)
class ServingContext:
    """What a factory is told about the server it is to make."""

    era: Era
    """The era that this server will serve: one modern request or connection, or one legacy connection."""
    publish: Publish
    """Takes change events to the open `subscriptions/listen` streams of the serving entry."""
    auth_info: object | None = None
    """Whatever the caller of an HTTP entry has validated and handed in; never read from the request."""
    request: Request | None = None
    """The HTTP request; None over stdio."""


Factory = Callable[[ServingContext], Server[Any] | Awaitable[Server[Any]]]
"""Makes a fresh SDK low-level server for one serving unit. The entry enters and leaves the server's lifespan."""


async def make_server(factory: Factory, context: ServingContext) -> Server[Any]:
    """Call a factory, which may be `async`."""
    made = factory(context)
    return await made if inspect.isawaitable(made) else made


@dataclass(frozen=True)
class ServerFactory:
    """Our factory: composes servers from registries."""

    registry: Callable[[Era], Registry]
    settings: Settings

    def create_server(self, era: Era, publish: Publish) -> Server[Any]:
        """A fresh server of an era; its modern instances publish their changes with `publish`."""
        return create_server(self.registry(era), publish, self.settings)

    def __call__(self, context: ServingContext) -> Server[Any]:
        """Make the server that a serving entry asks for."""
        return self.create_server(context.era, context.publish)
