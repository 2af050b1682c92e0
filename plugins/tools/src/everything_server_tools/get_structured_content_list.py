"""`get-structured-content-list`: a list as structured content, which the legacy era has to wrap in an object."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import ToolSpec, hookimpl
from everything_server.content.weather import City, DayWeather, forecast
from mcp_types import ToolAnnotations
from pydantic import Field


async def get_structured_content_list(
    location: Annotated[City, Field(description="Where")],
    days: Annotated[int, Field(ge=1, le=5, description="For how many days")] = 3,
) -> list[DayWeather]:
    """Get the weather in a city for some days, as structured content that is a list."""
    return forecast(location, days)


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-structured-content-list",
        title="Get Structured Content List Tool",
        fn=get_structured_content_list,
        structured=True,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
