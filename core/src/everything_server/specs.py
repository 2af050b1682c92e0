"""What a plugin may declare. The core compiles and applies it; a hook never receives the server.

A function in a declaration may take a parameter annotated with `everything_server.Context`; it is filled in by the
server and appears in no schema. Functions may be `async` or plain (plain ones run on a worker thread).
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from mcp.server.caching import CacheHint
from mcp_types import Annotations, ClientCapabilities, Icon, ToolAnnotations

from everything_server.eras import BOTH_ERAS, Era
from everything_server.extensions import ExtensionSpec

if TYPE_CHECKING:
    from starlette.requests import Request  # which stdio does without

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


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerStatus:
    """What a route may tell the world of the server: nothing of its machine, its process or its clients."""

    name: str
    title: str
    version: str
    transport: Literal["sse", "streamable-http"]
    endpoints: Mapping[str, str]
    """The paths of the protocol's own endpoints, by what they are for."""
    eras: frozenset[Era]
    """The eras that are served."""
    active_sessions: int
    """Legacy conversations that are open now."""
    uptime: float
    """Seconds since the server was made, by its clock."""


RouteHandler = Callable[["Request", ServerStatus], Awaitable[Any]]
"""Gives a Starlette response, or text, or something that can be written as JSON."""

METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
"""What a route can serve; HEAD comes with GET, and OPTIONS belongs to the front door."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RouteSpec:
    """A path of the HTTP transports that is no part of the protocol, such as `/health`.

    `handler` is an async function of the request and a `ServerStatus`. The front door stands before it as before the
    endpoints: foreign hosts and origins do not reach it. Over stdio it does not exist.

    Raises:
        ValueError: The path is not a fixed one, or a method has no such name.
    """

    path: str
    """Fixed, from its first slash on: `/health`."""
    handler: RouteHandler
    methods: tuple[str, ...] = ("GET",)

    def __post_init__(self) -> None:
        if not self.path.startswith("/") or set(self.path) & set("{}?#"):
            raise ValueError(f"the path {self.path!r} must begin with a slash, and have no variables and no query")
        if not self.methods or not METHODS.issuperset(self.methods):
            raise ValueError(f"the methods of {self.path} must be some of {', '.join(sorted(METHODS))}")


Declaration = ToolSpec | ResourceSpec | ResourceTemplateSpec | PromptSpec | ExtensionSpec
"""Anything with a name of its own. Instructions are plain text and have none."""
