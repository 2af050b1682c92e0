"""`get-mirrored-headers`: arguments that a client repeats in the headers of its request (modern era, HTTP)."""

from collections.abc import Iterator
from typing import Annotated, Final

from everything_server import Context, Era, ToolSpec, hookimpl
from mcp_types import ToolAnnotations
from pydantic import Field

TOKENS: Final = {"region": "Region", "count": "Count", "urgent": "Urgent"}
"""Each argument's name in `Mcp-Param-…`: one of every type that may be mirrored."""


def _mirrored(argument: str) -> dict[str, str]:
    return {"x-mcp-header": TOKENS[argument]}


async def get_mirrored_headers(
    ctx: Context,
    region: Annotated[str, Field(description="Any text", json_schema_extra={**_mirrored("region")})],
    count: Annotated[int, Field(ge=1, le=100, description="Any number", json_schema_extra={**_mirrored("count")})] = 1,
    urgent: Annotated[bool, Field(description="Yes or no", json_schema_extra={**_mirrored("urgent")})] = False,
) -> str:
    """Show the headers that this call's arguments were mirrored to, as they have arrived.

    Over HTTP a header that does not agree with its argument is refused before the tool is called; on stdio there are
    no headers.
    """
    if ctx.headers is None:
        return "This transport has no headers."
    names = (f"Mcp-Param-{token}" for token in TOKENS.values())
    return "\n".join(f"{name}: {ctx.headers.get(name.lower(), '(not sent)')}" for name in names)


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that mirrors arguments."""
    yield ToolSpec(
        name="get-mirrored-headers",
        title="Get Mirrored Headers Tool",
        fn=get_mirrored_headers,
        eras=frozenset({Era.MODERN}),
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
