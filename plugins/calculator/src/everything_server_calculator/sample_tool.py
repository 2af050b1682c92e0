"""An echo under a name of the owner's choice: there only when `SAMPLE_TOOL_NAME` is set."""

import os
import re
from collections.abc import Iterator
from typing import Annotated, Final

from everything_server import PluginError, ToolSpec, hookimpl
from mcp_types import ToolAnnotations
from pydantic import Field

VARIABLE: Final = "SAMPLE_TOOL_NAME"

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
"""2025-11-25 server/tools, Tool Names."""


async def sample_tool(message: Annotated[str, Field(description="What to give back")]) -> str:
    """Give a message back: the smallest tool there can be."""
    return f"Echo: {message}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, if it has a name.

    Raises:
        PluginError: The name is none that a tool can have.
    """
    name = os.environ.get(VARIABLE)
    if not name:
        return
    if not _NAME.fullmatch(name):
        raise PluginError(
            f"{VARIABLE} must be the name of a tool: 1 to 128 letters, digits, '_', '-' or '.' and no blanks; "
            "correct it, or unset it to do without the sample tool"
        )
    yield ToolSpec(
        name=name,
        title="Sample Tool",
        fn=sample_tool,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
