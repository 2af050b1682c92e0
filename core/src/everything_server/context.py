"""What a function of a plugin can reach: its server instance, its request, its client."""

import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any, Protocol, TypeVar, cast

from anyio.abc import TaskGroup
from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context as SDKContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp_types import InputResponseRequestParams, ReadResourceResult
from pydantic import AnyUrl

from everything_server.clock import Clock
from everything_server.eras import Era

logger = logging.getLogger(__name__)

T = TypeVar("T")

Publish = Callable[[ServerEvent], Awaitable[None]]
"""Where the changes of a modern instance go: the bus behind every `subscriptions/listen` stream."""


class Catalogue(Protocol):
    """What a feature may ask about the features it runs beside."""

    @property
    def instructions(self) -> str:
        """The instructions that clients of this era are given."""
        ...

    async def read_resource(self, uri: str, context: "Context") -> ReadResourceResult:
        """The contents of a resource, as `resources/read` would give them."""
        ...


class ServerContext:
    """The state of one server instance: of one connection, or of one modern HTTP request.

    Nothing in here is shared with another instance. What a feature keeps for the length of a connection it keeps in
    `state`; what it starts it starts with `start`, and what it must undo it registers on `exit_stack`: both end with
    the instance, however that ends.
    """

    def __init__(self, era: Era, catalogue: Catalogue, clock: Clock, publish: Publish) -> None:
        self.era = era
        self.catalogue = catalogue
        self.clock = clock
        self.exit_stack = AsyncExitStack()
        self.subscriptions: set[str] = set()
        """The URIs that the client of a legacy connection has subscribed to."""
        self.session: ServerSession | None = None
        """The channel of a legacy connection that belongs to no request, once the client has initialized."""
        self._publish = publish
        self._state: dict[type[Any], Any] = {}
        self._tasks: TaskGroup | None = None

    def state(self, kind: type[T]) -> T:
        """This instance's one object of `kind`, made without arguments when first asked for."""
        if kind not in self._state:
            self._state[kind] = kind()
        return cast(T, self._state[kind])

    def start(self, function: Callable[..., Coroutine[Any, Any, None]], *args: object) -> None:
        """Run `function(*args)` beside the requests of a legacy connection, until it ends or the connection does.

        Raises:
            RuntimeError: The instance is modern: none of its work may outlive the request.
        """
        if self._tasks is None:
            raise RuntimeError("only a legacy connection can have work of its own")
        self._tasks.start_soon(_logged, function, *args)

    async def publish(self, event: ServerEvent) -> None:
        """Tell those who asked for it that something has changed.

        Legacy: this connection's own client, and an updated resource only if it has subscribed to that. Modern: every
        `subscriptions/listen` stream of the process that asked for this kind.
        """
        if self.era is Era.MODERN:
            await self._publish(event)
            return
        if self.session is None:
            return  # not initialized: the client has seen no list and no resource that could have changed
        match event:
            case ToolsListChanged():
                await self.session.send_tool_list_changed()
            case PromptsListChanged():
                await self.session.send_prompt_list_changed()
            case ResourcesListChanged():
                await self.session.send_resource_list_changed()
            case ResourceUpdated(uri=uri):
                if uri in self.subscriptions:
                    await self.session.send_resource_updated(uri)
            case _:
                pass  # events that only an extension's listen streams know

    def attach(self, tasks: TaskGroup | None) -> None:
        """Give the instance the task group that `start` uses; its serving entry owns it."""
        self._tasks = tasks


async def _logged(function: Callable[..., Coroutine[Any, Any, None]], *args: object) -> None:
    """Work of a plugin that fails must not take the connection with it, whose requests know nothing of it."""
    try:
        await function(*args)
    except Exception:
        logger.exception("%s raised", getattr(function, "__qualname__", function))


class Context(SDKContext[ServerContext, Any]):
    """The request that a function serves; the SDK's own context, at home on this core.

    Beside what the SDK's offers (`report_progress`, `input_responses`, `request_state`, `client_capabilities`,
    `headers`, …) it reaches the server instance and reads sibling resources.
    """

    _uri: str | None

    def __init__(
        self,
        request_context: ServerRequestContext[ServerContext, Any],
        input_params: InputResponseRequestParams | None = None,
        uri: str | None = None,
    ) -> None:
        super().__init__(request_context=request_context, input_params=input_params)
        self._uri = uri

    @property
    def server(self) -> ServerContext:
        """The instance that serves this request."""
        return self.request_context.lifespan_context

    @property
    def era(self) -> Era:
        """The era of this request."""
        return self.server.era

    @property
    def uri(self) -> str | None:
        """The URI being read, as the client spelled it; None outside a resource."""
        return self._uri

    async def read_resource(self, uri: str | AnyUrl) -> ReadResourceResult:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The contents of any resource of this server, asked for by one of its own functions.

        Raises:
            MCPError: There is no such resource.
        """
        return await self.server.catalogue.read_resource(str(uri), Context(self.request_context))

    async def notify_tools_changed(self) -> None:
        """Say that the list of tools has changed."""
        await self.server.publish(ToolsListChanged())

    async def notify_prompts_changed(self) -> None:
        """Say that the list of prompts has changed."""
        await self.server.publish(PromptsListChanged())

    async def notify_resources_changed(self) -> None:
        """Say that the list of resources has changed."""
        await self.server.publish(ResourcesListChanged())

    async def notify_resource_updated(self, uri: str | AnyUrl) -> None:
        """Say that the resource at `uri` has changed."""
        await self.server.publish(ResourceUpdated(uri=str(uri)))
