"""Protocol extensions: how one is declared, and what a serving entry asks of a server that has some.

2026-07-28 basic/index, Extensions. A server may come from any factory, so what it has is read from an attribute.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.extension import MethodBinding
from mcp.server.lowlevel import Server
from mcp_types import Notification, Result

from everything_server.capabilities import extension_capability, satisfies
from everything_server.eras import Era
from everything_server.errors import missing_capability


class ExtensionResult(Result):
    """A result of `tools/call` that an extension defines; only clients that declared the extension may get one.

    2026-07-28 basic/index, ResultType: the extension owns the shape, and `result_type` tells it from the core's own.
    """

    result_type: str


SendNotification = Callable[[Notification[Any, Any]], Awaitable[None]]
"""Sends a notification on the stream that asked for it, marked with the stream's id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SubscriptionSpec:
    """A kind of notification that an extension adds to `subscriptions/listen`.

    Both functions get the SDK's request context first, like the handler of a method. (2026-07-28
    basic/patterns/subscriptions)
    """

    key: str
    """The member of the filter that asks for it, such as `taskIds`."""
    accept: Callable[[ServerRequestContext[Any, Any], Any], Awaitable[Any]]
    """Gets the member's value and gives the part that will be delivered, which the acknowledgement repeats; None for
    nothing. Raises `MCPError` for a value that is malformed."""
    deliver: Callable[[ServerRequestContext[Any, Any], Any, SendNotification], Awaitable[None]]
    """Gets what `accept` gave, once that is acknowledged, and sends what the client is to be told until there is
    nothing left to tell. It is cancelled when the stream ends."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExtensionSpec:
    """A protocol extension of the modern era: advertised by its identifier, served by its methods.

    Its methods and subscriptions are for clients that declared it on the request; others are answered with -32021. A
    method's handler gets the SDK's request context, whose `lifespan_context` is the `ServerContext`.
    """

    identifier: str
    """Reverse-DNS prefix and name, as in `io.modelcontextprotocol/tasks`."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    methods: tuple[MethodBinding, ...] = ()
    name_headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """For methods whose requests can be routed by a name: the member of the params that `Mcp-Name` repeats over HTTP;
    a request whose header differs is answered with -32020."""
    subscriptions: tuple[SubscriptionSpec, ...] = ()

    @property
    def eras(self) -> frozenset[Era]:
        """Extensions exist in the modern era only."""
        return frozenset({Era.MODERN})


def extensions_of(server: Server[Any]) -> tuple[ExtensionSpec, ...]:
    """The extensions that a server serves: its `extensions_served`, and none if it has no such attribute."""
    return getattr(server, "extensions_served", ())


def require_extension(ctx: ServerRequestContext[Any, Any], identifier: str) -> None:
    """Refuse a request whose client did not declare an extension.

    Raises:
        MCPError: -32021.
    """
    required = extension_capability(identifier)
    if not satisfies(ctx.session.client_capabilities, required):
        raise missing_capability(required)
