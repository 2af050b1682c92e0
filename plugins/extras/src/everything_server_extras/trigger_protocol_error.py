"""`trigger-protocol-error`: a call that is answered with an error instead of a result."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal, NoReturn

from everything_server import MCPError, ToolSpec, hookimpl
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, ToolAnnotations
from pydantic import Field

NAME: Final = "trigger-protocol-error"
Kind = Literal["server-defined", "invalid-params", "internal-error"]

SERVER_DEFINED: Final = -32010
"""From the range that is left to implementations, -32000 to -32019 (2026-07-28 basic/index, Error Codes)."""

CODES: Final[Mapping[Kind, int]] = {
    "server-defined": SERVER_DEFINED,
    "invalid-params": INVALID_PARAMS,
    "internal-error": INTERNAL_ERROR,
}


async def trigger_protocol_error(
    kind: Annotated[Kind, Field(description="Which error")] = "server-defined",
) -> NoReturn:
    """Have the call answered with a JSON-RPC error.

    Its code is -32010 (server-defined), -32602 (invalid-params) or -32603 (internal-error), and its data name the
    tool and the kind.
    """
    raise MCPError(CODES[kind], f"This error was asked for: {kind}", {"tool": NAME, "kind": kind})


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name=NAME,
        title="Trigger Protocol Error Tool",
        fn=trigger_protocol_error,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
