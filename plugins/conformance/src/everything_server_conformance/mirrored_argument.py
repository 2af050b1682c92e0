"""`test_mirrored_argument`, for the scenario `http-custom-header-server-validation`, which takes any such tool."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import Era, ToolSpec, hookimpl
from pydantic import Field


async def mirrored_argument(
    region: Annotated[str, Field(description="Any text", json_schema_extra={"x-mcp-header": "Region"})],
) -> str:
    """Take an argument that clients repeat in the header `Mcp-Param-Region` (SEP-2243)."""
    return f"Region: {region}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that mirrors arguments."""
    yield ToolSpec(name="test_mirrored_argument", fn=mirrored_argument, eras=frozenset({Era.MODERN}))
