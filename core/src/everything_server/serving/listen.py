"""Serves `subscriptions/listen`: an honest acknowledgement around the SDK's handler of the streams themselves."""

from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import ListenHandler, SubscriptionBus
from mcp_types import (
    ServerCapabilities,
    SubscriptionFilter,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
)
from mcp_types.version import LATEST_MODERN_VERSION

from everything_server.errors import invalid_params

_FLAGS = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")


class Listener:
    """The open subscriptions of one serving entry, over one bus.

    Args:
        bus: Where changes are published.
        max_subscriptions: A further stream is refused with -32603, before its acknowledgement.
    """

    def __init__(self, bus: SubscriptionBus, max_subscriptions: int) -> None:
        self._handler = ListenHandler(bus, max_subscriptions=max_subscriptions)

    def install(self, server: Server[Any]) -> None:
        """Let a modern server serve `subscriptions/listen` from here."""

        async def listen(
            ctx: ServerRequestContext[Any, Any], params: SubscriptionsListenRequestParams
        ) -> SubscriptionsListenResult:
            _check_flags(ctx)
            capabilities = server.get_capabilities(protocol_version=LATEST_MODERN_VERSION)
            narrowed = params.model_copy(update={"notifications": narrow(params.notifications, capabilities)})
            return await self._handler(ctx, narrowed)

        server.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, listen)

    def close(self) -> None:
        """End every stream with its result (2026-07-28 basic/patterns/subscriptions, Graceful Closure)."""
        self._handler.close()


def narrow(requested: SubscriptionFilter, capabilities: ServerCapabilities) -> SubscriptionFilter:
    """The part of a filter that a server with these capabilities will deliver."""
    tools, prompts, resources = capabilities.tools, capabilities.prompts, capabilities.resources
    changes: dict[str, Any] = {}
    if not (tools and tools.list_changed):
        changes["tools_list_changed"] = None
    if not (prompts and prompts.list_changed):
        changes["prompts_list_changed"] = None
    if not (resources and resources.list_changed):
        changes["resources_list_changed"] = None
    if not (resources and resources.subscribe):
        changes["resource_subscriptions"] = None
    return requested.model_copy(update=changes)


def _check_flags(ctx: ServerRequestContext[Any, Any]) -> None:
    """The SDK's models read `"yes"` as true."""
    wire_filter = (ctx.params or {}).get("notifications", {})
    for flag in _FLAGS:
        if not isinstance(wire_filter.get(flag, False), bool):
            raise invalid_params(f"Invalid params for subscriptions/listen: notifications.{flag}: must be a boolean")
