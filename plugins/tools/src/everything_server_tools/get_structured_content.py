"""`get-structured-content`: an object with a schema, beside its JSON as text."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import ToolSpec, hookimpl
from everything_server.content.weather import WEATHER, City, Weather
from mcp_types import ToolAnnotations
from pydantic import Field


async def get_structured_content(location: Annotated[City, Field(description="Where")]) -> Weather:
    """Get the weather in a city as structured content that fits the output schema."""
    return WEATHER[location]


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-structured-content",
        title="Get Structured Content Tool",
        fn=get_structured_content,
        structured=True,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
