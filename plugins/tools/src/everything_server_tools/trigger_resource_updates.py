"""`trigger-resource-updates`: says that resources have changed, to those who asked to be told."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import Context, ToolSpec, hookimpl
from mcp_types import ToolAnnotations
from pydantic import Field


async def trigger_resource_updates(
    ctx: Context,
    uris: Annotated[list[str], Field(description="The resources that have changed")],
    count: Annotated[int, Field(ge=1, le=100, description="In how many rounds to say so")] = 1,
    intervalMs: Annotated[int, Field(ge=0, le=10_000, description="Milliseconds between two rounds")] = 0,
) -> str:
    """Announce that resources have changed: to this client if it has subscribed, or to all who listen for them."""
    for number in range(count):
        if number:
            await ctx.server.clock.sleep(intervalMs / 1000)
        for uri in uris:
            await ctx.notify_resource_updated(uri)
    return f"Announced {len(uris)} resources in {count} rounds."


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="trigger-resource-updates",
        title="Trigger Resource Updates Tool",
        fn=trigger_resource_updates,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
