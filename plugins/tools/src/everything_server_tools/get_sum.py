"""`get-sum`: adds two numbers, exactly where both are integers."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import ToolError, ToolSpec, hookimpl
from everything_server.content.numbers import Number, number_text
from mcp_types import ToolAnnotations
from pydantic import Field


async def get_sum(
    a: Annotated[Number, Field(description="The first number")],
    b: Annotated[Number, Field(description="The second number")],
) -> str:
    """Add two numbers. Integers are added exactly, however large; other numbers as double precision floats."""
    try:
        return f"The sum of {number_text(a)} and {number_text(b)} is {number_text(a + b)}."
    except (OverflowError, ValueError):
        raise ToolError("The sum of a and b is no finite number that could be shown") from None


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-sum",
        title="Get Sum Tool",
        fn=get_sum,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
