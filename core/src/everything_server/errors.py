"""What may go wrong, and how it reaches the one who can do something about it.

Three audiences: a plugin author raises `ToolError` or `InvalidArgumentError` to speak to the client; the person who
starts the server reads a `PluginError`; everything else is a protocol error, built by the functions at the end.
"""

from typing import Any

from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    ClientCapabilities,
    MissingRequiredClientCapabilityErrorData,
)

from everything_server.eras import Era

__all__ = [
    "InvalidArgumentError",
    "MCPError",
    "PluginError",
    "ResourceNotFoundError",
    "ToolError",
    "invalid_params",
    "missing_capability",
    "resource_not_found",
]

RESOURCE_NOT_FOUND = -32002
"""The legacy code for an unknown resource (2025-11-25 server/resources, Error Handling); 2026-07-28 forbids it."""


class PluginError(Exception):
    """A plugin cannot be used as asked for. The message says which, whose, why, and what to type."""


class InvalidArgumentError(Exception):
    """An argument has a value that its schema allows and the feature does not.

    A tool answers with an `isError` result, a prompt with -32602; both name the argument.
    """

    def __init__(self, argument: str, problem: str) -> None:
        super().__init__(f"{argument}: {problem}")
        self.argument = argument
        self.problem = problem


def invalid_params(message: str, data: Any = None) -> MCPError:
    """-32602: the params name something that is not there, or have the wrong form."""
    return MCPError(INVALID_PARAMS, message, data)


def resource_not_found(uri: str, era: Era) -> MCPError:
    """The era's error for an unknown resource, with the URI as data.

    -32002 in the legacy era, -32602 in the modern one (2026-07-28 server/resources, Error Handling).
    """
    code = RESOURCE_NOT_FOUND if era is Era.LEGACY else INVALID_PARAMS
    return MCPError(code, f"Resource not found: {uri}", {"uri": uri})


def missing_capability(required: ClientCapabilities) -> MCPError:
    """-32021: the request needs a capability that its client did not declare (2026-07-28 basic/index, Error Codes)."""
    data = MissingRequiredClientCapabilityErrorData(required_capabilities=required)
    names = ", ".join(_names(required))
    return MCPError(
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        f"This needs a client capability that the request did not declare: {names}",
        data.model_dump(by_alias=True, mode="json", exclude_none=True),
    )


def _names(capabilities: ClientCapabilities) -> list[str]:
    """`elicitation.form`, `sampling`, …: each declared leaf."""
    names: list[str] = []
    for name, value in capabilities.model_dump(by_alias=True, mode="json", exclude_none=True).items():
        names.extend(f"{name}.{inner}" for inner in value) if value else names.append(name)
    return names
