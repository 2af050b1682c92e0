"""`echo`: gives back what it was given, the simplest sign of life."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import ToolSpec, hookimpl
from mcp_types import ToolAnnotations
from pydantic import Field


async def echo(message: Annotated[str, Field(description="What to repeat")]) -> str:
    """Repeat a message."""
    return f"Echo: {message}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="echo",
        title="Echo Tool",
        fn=echo,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
