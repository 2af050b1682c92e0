"""`get-large-result`: a text of exactly as many bytes as are asked for."""

from collections.abc import Iterator
from typing import Annotated, Final

from everything_server import ToolSpec, hookimpl
from mcp_types import ToolAnnotations
from pydantic import Field

MOST_BYTES: Final = 1024 * 1024
PIECE: Final = 16


async def get_large_result(
    size: Annotated[
        int,
        Field(ge=0, le=MOST_BYTES, description="How many bytes the text has, in UTF-8 and between its quotes in JSON"),
    ] = 64 * 1024,
) -> str:
    """Get one text of exactly `size` bytes, up to 1 MiB; what surrounds it in the message comes on top.

    It is ASCII without anything that JSON escapes. Each 16 bytes are their own offset as 15 digits and a space, the
    last of them cut off where the text ends, so that a missing part shows.
    """
    return "".join(f"{offset:015} " for offset in range(0, size, PIECE))[:size]


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-large-result",
        title="Get Large Result Tool",
        fn=get_large_result,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
