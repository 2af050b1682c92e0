"""What a plugin may declare. The core compiles and applies it; a hook never receives the server.

A function in a declaration may take a parameter annotated with `everything_server.Context`; it is filled in by the
server and appears in no schema. Functions may be `async` or plain (plain ones run on a worker thread).
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.extension import MethodBinding
from mcp_types import Annotations, ClientCapabilities, Icon, Notification, Result, ToolAnnotations

from everything_server.eras import BOTH_ERAS, Era

CompletionFunction = Callable[[str, Mapping[str, str]], Iterable[str] | Awaitable[Iterable[str]]]
"""Gets what was typed so far and the arguments already settled; gives all matches, best first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSpec:
    """A tool.

    `fn`'s parameters are the arguments: their annotations become the JSON Schema that `tools/list` shows and calls are
    checked against, `Annotated[…, Field(description=…)]` describes them. It may return text, a content block or a list
    of them, a `CallToolResult`, an `InputRequiredResult` to ask the client, or an `ExtensionResult`. It raises
    `ToolError` for a failure that the client should read, and `InvalidArgumentError` for a value it cannot use.

    Example: `ToolSpec(name="echo", fn=echo, title="Echo Tool")`
    """

    name: str
    fn: Callable[..., Any]
    title: str | None = None
    description: str | None = None
    """Defaults to the docstring of `fn`."""
    annotations: ToolAnnotations | None = None
    input_schema: Mapping[str, Any] | None = None
    """Published and checked in place of the schema that the annotations give, for what these cannot say.

    An object schema (JSON Schema 2020-12) whose properties are the parameters of `fn`. Nothing is added to it, so it
    says itself whether other arguments are refused.
    """
    structured: bool = False
    """Publish the return annotation as output schema and the value as `structuredContent`; its JSON is the text.

    A value that is no object is wrapped as `{"result": …}` in the legacy era, whose schema allows objects only.
    """
    eras: frozenset[Era] = BOTH_ERAS
    logs: bool = False
    """It sends log messages; the server then advertises and serves logging."""
    requires: ClientCapabilities | None = None
    """What the client must have declared. Legacy: listed once such a client has initialized. Modern: listed for all,
    and a call without it is answered with -32021."""
    icons: tuple[Icon, ...] = ()
    meta: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceSpec:
    """A resource with a fixed URI; `fn` gives its content as text, as bytes, or as a list of resource contents."""

    uri: str
    name: str
    fn: Callable[..., Any]
    title: str | None = None
    description: str | None = None
    """Defaults to the docstring of `fn`."""
    mime_type: str = "text/plain"
    size: int | None = None
    """In bytes, before any encoding."""
    annotations: Annotations | None = None
    cache: CacheHint | None = None
    """How long a modern client may keep what it read; default: not at all."""
    eras: frozenset[Era] = BOTH_ERAS
    icons: tuple[Icon, ...] = ()
    meta: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceTemplateSpec:
    """A family of resources, named by an RFC 6570 template whose variables are the parameters of `fn`.

    `fn` raises `ResourceNotFoundError` for values that name nothing. `completions` has a function for each variable
    that can be completed.
    """

    uri_template: str
    name: str
    fn: Callable[..., Any]
    title: str | None = None
    description: str | None = None
    """Defaults to the docstring of `fn`."""
    mime_type: str = "text/plain"
    annotations: Annotations | None = None
    cache: CacheHint | None = None
    completions: Mapping[str, CompletionFunction] = field(default_factory=dict[str, CompletionFunction])
    eras: frozenset[Era] = BOTH_ERAS
    icons: tuple[Icon, ...] = ()
    meta: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptSpec:
    """A prompt; `fn` gives its messages from arguments that are always strings.

    It may return text, a content block, an SDK `Message` or a list of these, or an `InputRequiredResult`. It raises
    `InvalidArgumentError` for a value it cannot use. `completions` has a function for each argument that can be
    completed.
    """

    name: str
    fn: Callable[..., Any]
    title: str | None = None
    description: str | None = None
    """Defaults to the docstring of `fn`."""
    completions: Mapping[str, CompletionFunction] = field(default_factory=dict[str, CompletionFunction])
    eras: frozenset[Era] = BOTH_ERAS
    icons: tuple[Icon, ...] = ()
    meta: Mapping[str, Any] | None = None


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


Declaration = ToolSpec | ResourceSpec | ResourceTemplateSpec | PromptSpec | ExtensionSpec
"""Anything with a name of its own. Instructions are plain text and have none."""
