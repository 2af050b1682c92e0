"""Everything a plugin, a test or another server needs from the core.

Names are loaded when first used: importing this package must cost nothing where only a small part of it is wanted
(the command line's help, the pytest plugin of someone who does not use it), and the SDK takes half a second.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server.caching import CacheHint as CacheHint
    from mcp.server.extension import MethodBinding as MethodBinding

    from everything_server.asking import Form as Form
    from everything_server.asking import answer_of as answer_of
    from everything_server.asking import ask as ask
    from everything_server.asking import form_answer as form_answer
    from everything_server.capabilities import FORM_ELICITATION as FORM_ELICITATION
    from everything_server.capabilities import ROOTS as ROOTS
    from everything_server.capabilities import SAMPLING as SAMPLING
    from everything_server.capabilities import URL_ELICITATION as URL_ELICITATION
    from everything_server.capabilities import all_of as all_of
    from everything_server.capabilities import answer_type as answer_type
    from everything_server.capabilities import extension_capability as extension_capability
    from everything_server.capabilities import needed_for as needed_for
    from everything_server.capabilities import satisfies as satisfies
    from everything_server.clock import Clock as Clock
    from everything_server.clock import SystemClock as SystemClock
    from everything_server.context import Context as Context
    from everything_server.context import ServerContext as ServerContext
    from everything_server.eras import BOTH_ERAS as BOTH_ERAS
    from everything_server.eras import Era as Era
    from everything_server.eras import era_of as era_of
    from everything_server.errors import InvalidArgumentError as InvalidArgumentError
    from everything_server.errors import MCPError as MCPError
    from everything_server.errors import PluginError as PluginError
    from everything_server.errors import ResourceNotFoundError as ResourceNotFoundError
    from everything_server.errors import ToolError as ToolError
    from everything_server.errors import invalid_params as invalid_params
    from everything_server.errors import missing_capability as missing_capability
    from everything_server.extensions import ExtensionResult as ExtensionResult
    from everything_server.extensions import ExtensionSpec as ExtensionSpec
    from everything_server.extensions import SendNotification as SendNotification
    from everything_server.extensions import SubscriptionSpec as SubscriptionSpec
    from everything_server.hookspecs import hookimpl as hookimpl
    from everything_server.manager import PluginManager as PluginManager
    from everything_server.manager import Status as Status
    from everything_server.presets import preset_command as preset_command
    from everything_server.randomness import Randomness as Randomness
    from everything_server.registry import Registries as Registries
    from everything_server.registry import Registry as Registry
    from everything_server.server import create_server as create_server
    from everything_server.serving.factory import Factory as Factory
    from everything_server.serving.factory import ServerFactory as ServerFactory
    from everything_server.serving.factory import ServingContext as ServingContext
    from everything_server.serving.handler import create_mcp_handler as create_mcp_handler
    from everything_server.serving.handler import is_legacy_request as is_legacy_request
    from everything_server.serving.handler import legacy_stateless_fallback as legacy_stateless_fallback
    from everything_server.serving.stdio import serve_stdio as serve_stdio
    from everything_server.settings import Settings as Settings
    from everything_server.specs import PromptSpec as PromptSpec
    from everything_server.specs import ResourceSpec as ResourceSpec
    from everything_server.specs import ResourceTemplateSpec as ResourceTemplateSpec
    from everything_server.specs import RouteSpec as RouteSpec
    from everything_server.specs import ServerStatus as ServerStatus
    from everything_server.specs import ToolSpec as ToolSpec
    from everything_server.version import __version__ as __version__

_HOME = {
    "asking": ("Form", "answer_of", "ask", "form_answer"),
    "capabilities": (
        "FORM_ELICITATION",
        "ROOTS",
        "SAMPLING",
        "URL_ELICITATION",
        "all_of",
        "answer_type",
        "extension_capability",
        "needed_for",
        "satisfies",
    ),
    "clock": ("Clock", "SystemClock"),
    "context": ("Context", "ServerContext"),
    "eras": ("BOTH_ERAS", "Era", "era_of"),
    "errors": (
        "InvalidArgumentError",
        "MCPError",
        "PluginError",
        "ResourceNotFoundError",
        "ToolError",
        "invalid_params",
        "missing_capability",
    ),
    "extensions": ("ExtensionResult", "ExtensionSpec", "MethodBinding", "SendNotification", "SubscriptionSpec"),
    "hookspecs": ("hookimpl",),
    "manager": ("PluginManager", "Status"),
    "presets": ("preset_command",),
    "randomness": ("Randomness",),
    "registry": ("Registries", "Registry"),
    "server": ("create_server",),
    "serving.factory": ("Factory", "ServerFactory", "ServingContext"),
    "serving.handler": ("create_mcp_handler", "is_legacy_request", "legacy_stateless_fallback"),
    "serving.stdio": ("serve_stdio",),
    "settings": ("Settings",),
    "specs": (
        "CacheHint",
        "PromptSpec",
        "ResourceSpec",
        "ResourceTemplateSpec",
        "RouteSpec",
        "ServerStatus",
        "ToolSpec",
    ),
    "version": ("__version__",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE_OF)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value
