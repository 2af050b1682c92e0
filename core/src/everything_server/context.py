"""What a function of a plugin can reach: its server instance, its request, its client."""

import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any, Final, Literal, Protocol, TypeVar, cast, get_args

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
from mcp_types import (
    LOG_LEVEL_META_KEY,
    ClientCapabilities,
    InputResponseRequestParams,
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    ReadResourceResult,
    Root,
)
from pydantic import AnyUrl

from everything_server.capabilities import satisfies
from everything_server.clock import Clock
from everything_server.eras import Era
from everything_server.randomness import Randomness
from everything_server.specs import PromptSpec, ResourceSpec, ToolSpec

logger = logging.getLogger(__name__)

T = TypeVar("T")

LEVELS: Final[tuple[LoggingLevel, ...]] = get_args(LoggingLevel)
"""The log levels, the least severe first."""

Publish = Callable[[ServerEvent], Awaitable[None]]
"""Where the changes of a modern instance go: the bus behind every `subscriptions/listen` stream."""


class Features(Protocol):
    """What a feature may ask about the features it runs beside, and do to them."""

    @property
    def instructions(self) -> str:
        """The instructions that clients of this era are given."""
        ...

    @property
    def logs(self) -> bool:
        """Whether logging is served."""
        ...

    def serves(self, kind: Literal["tools", "resources", "prompts"]) -> bool:
        """Whether there is a list of this kind, to which something could be added."""
        ...

    def serves_extension(self, identifier: str) -> bool:
        """Whether a protocol extension is served; the legacy era has none."""
        ...

    def add(self, declaration: ToolSpec | ResourceSpec | PromptSpec) -> None:
        """Offer something more from now on; one that was added under its name before is replaced.

        Legacy: to this connection's client. Modern, whose lists are the same for all: to every client of the process.
        Say so with the context's `notify_…_changed`.

        Raises:
            ValueError: A plugin declares that name already.
        """
        ...

    def remove(self, declaration: ToolSpec | ResourceSpec | PromptSpec) -> bool:
        """Take back what was added under the name of `declaration`; False when nothing was."""
        ...

    async def read_resource(self, uri: str, context: "Context") -> ReadResourceResult:
        """The contents of a resource, as `resources/read` would give them."""
        ...


class State:
    """Objects by their type, made when first asked for: what features keep, without knowing of each other."""

    def __init__(self) -> None:
        self._objects: dict[type[Any], Any] = {}

    def get(self, kind: type[T]) -> T:
        """The one object of `kind`, made without arguments."""
        if kind not in self._objects:
            self._objects[kind] = kind()
        return cast(T, self._objects[kind])


class ServerContext:
    """The state of one server instance: of one connection, or of one modern HTTP request.

    What a feature keeps for the length of a connection it keeps in `state`; what must outlive a modern request, and
    nothing else, in `process_state`, under handles that cannot be guessed and within bounds. What it starts it starts
    with `start`, and what it must undo it registers on `exit_stack`: both end with the instance, however that ends.
    """

    def __init__(
        self,
        era: Era,
        features: Features,
        clock: Clock,
        publish: Publish,
        process_state: State,
        randomness: Randomness | None = None,
    ) -> None:
        self.era = era
        self.features = features
        self.clock = clock
        self.randomness = randomness or Randomness()
        self.state = State()
        """This instance's own."""
        self.process_state = process_state
        """Shared by all instances of the process."""
        self.exit_stack = AsyncExitStack()
        self.subscriptions: set[str] = set()
        """The URIs that the client of a legacy connection has subscribed to."""
        self.session: ServerSession | None = None
        """The channel of a legacy connection that belongs to no request, once the client has initialized."""
        self.log_level: LoggingLevel = "debug"
        """The least severe level that the client of a legacy connection wants to see."""
        self.roots: list[Root] | None = None
        """The roots of a legacy client, as last received; None until then."""
        self._publish = publish
        self._tasks: TaskGroup | None = None

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

    async def log(self, level: LoggingLevel, data: Any, logger_name: str | None = None) -> None:
        """Send a log message that belongs to no request; only a legacy client can get one.

        2025-11-25 server/utilities/logging: messages below the level that the client has set are not sent.
        """
        if self.session is not None and self.shows(level):
            await self.session.send_notification(log_message(level, data, logger_name))

    def shows(self, level: LoggingLevel) -> bool:
        """Whether the client of a legacy connection wants to see messages of this level."""
        return self.features.logs and LEVELS.index(level) >= LEVELS.index(self.log_level)

    def attach(self, tasks: TaskGroup | None) -> None:
        """Give the instance the task group that `start` uses; its serving entry owns it."""
        self._tasks = tasks


def log_message(level: LoggingLevel, data: Any, logger_name: str | None) -> LoggingMessageNotification:
    """A log message for the client."""
    return LoggingMessageNotification(
        params=LoggingMessageNotificationParams(level=level, data=data, logger=logger_name)
    )


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

    def client_can(self, capabilities: ClientCapabilities) -> bool:
        """Whether the client has declared all of these, such as `SAMPLING`, so that it may be asked for it."""
        return satisfies(self.request_context.session.client_capabilities, capabilities)

    async def log(self, level: LoggingLevel, data: Any, *, logger_name: str | None = None) -> None:
        """Send a log message on the channel of this request, if its client wants to see that level.

        Legacy: by the level that the session has set. Modern: by the request's own, and none without one (2026-07-28
        server/utilities/logging).
        """
        session = self.request_context.session
        if self.era is Era.MODERN:
            wanted = (self.request_context.meta or {}).get(LOG_LEVEL_META_KEY)
            shown = wanted in LEVELS and LEVELS.index(level) >= LEVELS.index(wanted)
        else:
            shown = self.server.shows(level)
        if shown:
            await session.send_notification(log_message(level, data, logger_name), self.request_context.request_id)

    async def read_resource(self, uri: str | AnyUrl) -> ReadResourceResult:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The contents of any resource of this server, asked for by one of its own functions.

        Raises:
            MCPError: There is no such resource.
        """
        return await self.server.features.read_resource(str(uri), Context(self.request_context))

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
