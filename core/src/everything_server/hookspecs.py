"""The hooks a plugin may implement: all of them, in one place.

Hooks return declarations. They are called plugin by plugin and once per era (routes belong to none, and are asked for
once), so an implementation takes `era` only when its answer depends on it. A plugin module implements those it needs,
decorated with `hookimpl`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import pluggy

if TYPE_CHECKING:
    from mcp_types import Icon

    from everything_server.eras import Era
    from everything_server.extensions import ExtensionSpec
    from everything_server.specs import PromptSpec, ResourceSpec, ResourceTemplateSpec, RouteSpec, ToolSpec

PROJECT: Final = "everything_server"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def everything_server_tools(era: "Era") -> "Iterable[ToolSpec]":  # pyright: ignore[reportReturnType]
    """Declare the tools that this plugin adds for one era.

    Example: `yield ToolSpec(name="echo", fn=echo)`
    """


@hookspec
def everything_server_resources(era: "Era") -> "Iterable[ResourceSpec | ResourceTemplateSpec]":  # pyright: ignore[reportReturnType]
    """Declare the resources and resource templates that this plugin adds for one era.

    Example: `yield ResourceSpec(uri="demo://motd", name="motd", fn=read_motd)`
    """


@hookspec
def everything_server_prompts(era: "Era") -> "Iterable[PromptSpec]":  # pyright: ignore[reportReturnType]
    """Declare the prompts that this plugin adds for one era.

    Example: `yield PromptSpec(name="greet", fn=greet, completions={"name": complete_name})`
    """


@hookspec
def everything_server_extensions(era: "Era") -> "Iterable[ExtensionSpec]":  # pyright: ignore[reportReturnType]
    """Declare the protocol extensions that this plugin serves; the legacy era has none, whatever is declared.

    Example: `yield ExtensionSpec(identifier="com.example/clock", methods=(MethodBinding("clock/now", …),))`
    """


@hookspec
def everything_server_routes() -> "Iterable[RouteSpec]":  # pyright: ignore[reportReturnType]
    """Declare paths that the HTTP transports serve beside the protocol's endpoints; called once, for both eras.

    Example: `yield RouteSpec(path="/health", handler=tell_health)`
    """


@hookspec
def everything_server_icons(era: "Era") -> "Iterable[Icon]":  # pyright: ignore[reportReturnType]
    """Declare icons of the server itself; it has those of all active plugins, in the order of their names.

    Keep them small: the modern era repeats what the server says of itself with every result.

    Example: `yield Icon(src="data:image/svg+xml;base64,…", mime_type="image/svg+xml", sizes=["any"])`
    """


@hookspec
def everything_server_instructions(era: "Era") -> "str | None":  # pyright: ignore[reportReturnType]
    """Say what a model should know about this plugin's features; one paragraph, plain text.

    The server's instructions are put together from those of the active plugins, in the order of their names. Name a
    feature that needs a client capability only conditionally.

    Example: `return "Call echo first to check the connection."`
    """
