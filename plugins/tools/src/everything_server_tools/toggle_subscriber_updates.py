"""`toggle-subscriber-updates`: updates of the subscribed resources that come by themselves."""

from collections.abc import Iterator
from typing import Final

import anyio
from everything_server import Context, Era, ServerContext, ToolSpec, hookimpl
from mcp.server.subscriptions import ResourceUpdated
from mcp_types import ToolAnnotations

INTERVAL: Final = 5.0
"""Seconds between two rounds of updates."""


class _Updates:
    """Whether updates are being sent on a connection."""

    def __init__(self) -> None:
        self.running: anyio.CancelScope | None = None


async def toggle_subscriber_updates(ctx: Context) -> str:
    """Start or stop updates of all subscribed resources, which come at once and then every five seconds."""
    updates = ctx.server.state.get(_Updates)
    if updates.running is not None:
        updates.running.cancel()
        updates.running = None
        return "Stopped simulated resource updates."
    updates.running = anyio.CancelScope()
    ctx.server.start(_send_updates, ctx.server, updates.running)
    return "Started simulated resource updates: one round now and another every 5 seconds."


async def _send_updates(server: ServerContext, running: anyio.CancelScope) -> None:
    with running:
        while True:
            for uri in sorted(server.subscriptions):
                await server.publish(ResourceUpdated(uri=uri))
            await server.clock.sleep(INTERVAL)


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
