"""`toggle-subscriber-updates`: updates of the subscribed resources that come by themselves."""

from collections.abc import Iterator

from everything_server import Context, Era, ServerContext, ToolSpec, hookimpl
from everything_server.content.repeating import INTERVAL, toggle_rounds
from mcp.server.subscriptions import ResourceUpdated
from mcp_types import ToolAnnotations


async def toggle_subscriber_updates(ctx: Context) -> str:
    """Start or stop updates of all subscribed resources, which come at once and then every five seconds."""
    if toggle_rounds(ctx.server, _send_updates):
        return f"Started simulated resource updates: one round now and another every {INTERVAL:g} seconds."
    return "Stopped simulated resource updates."


async def _send_updates(server: ServerContext, number: int) -> None:
    for uri in sorted(server.subscriptions):
        await server.publish(ResourceUpdated(uri=uri))


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool; modern clients listen, and trigger-resource-updates reaches those."""
    yield ToolSpec(
        name="toggle-subscriber-updates",
        title="Toggle Subscriber Updates",
        fn=toggle_subscriber_updates,
        eras=frozenset({Era.LEGACY}),
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
    )


@hookimpl
def everything_server_instructions(era: Era) -> str | None:
    """Say what has to come first."""
    return (
        "Subscribe to a resource before calling toggle-subscriber-updates; it sends updates until it is called again."
        if era is Era.LEGACY
        else None
    )
