"""Serves `subscriptions/listen`: an honest acknowledgement around the SDK's handler of the streams themselves.

The SDK's handler knows the notifications of the core protocol. Those that extensions add travel on the same streams,
sent by a task beside it.
"""

from dataclasses import dataclass, replace
from typing import Any, cast

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import SUBSCRIPTION_ID_META_KEY, ListenHandler, SubscriptionBus
from mcp_types import (
    Notification,
    RequestId,
    ServerCapabilities,
    SubscriptionFilter,
    SubscriptionsAcknowledgedNotification,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
)
from mcp_types.version import LATEST_MODERN_VERSION

from everything_server.errors import MCPError, invalid_params
from everything_server.extensions import ExtensionSpec, SubscriptionSpec, extensions_of, require_extension

RequestContext = ServerRequestContext[Any, Any]

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

        async def listen(ctx: RequestContext, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
            _check_flags(ctx)
            capabilities = server.get_capabilities(protocol_version=LATEST_MODERN_VERSION)
            narrowed = params.model_copy(update={"notifications": narrow(params.notifications, capabilities)})
            accepted = await _accept(ctx, extensions_of(server))
            return await (self._serve_with(ctx, narrowed, accepted) if accepted else self._handler(ctx, narrowed))

        server.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, listen)

    async def _serve_with(
        self, ctx: RequestContext, params: SubscriptionsListenRequestParams, accepted: "list[_Accepted]"
    ) -> SubscriptionsListenResult:
        """Serve a stream on which extensions have something to say as well."""
        session = _Acknowledging(ctx.session, {one.spec.key: one.value for one in accepted})
        refusal: MCPError | None = None
        result: SubscriptionsListenResult | None = None
        async with anyio.create_task_group() as tasks:
            for one in accepted:
                tasks.start_soon(_tell, ctx, one, session.acknowledged)
            try:
                result = await self._handler(replace(ctx, session=cast(ServerSession, session)), params)
            except MCPError as error:
                refusal = error  # raised below, outside the group, which would wrap it
            tasks.cancel_scope.cancel()
        if result is None:
            assert refusal is not None
            raise refusal
        return result

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


@dataclass(frozen=True)
class _Accepted:
    """What an extension will deliver on a stream."""

    spec: SubscriptionSpec
    value: Any


class _Acknowledging:
    """Stands in for the session of a stream, which it adds the extensions' part of the acknowledgement to."""

    def __init__(self, session: ServerSession, additions: dict[str, Any]) -> None:
        self._session = session
        self._additions = additions
        self.acknowledged = anyio.Event()

    async def send_notification(self, notification: Any, related_request_id: RequestId | None = None) -> None:
        if isinstance(notification, SubscriptionsAcknowledgedNotification):
            for key, value in self._additions.items():  # the model keeps members that it does not know
                setattr(notification.params.notifications, key, value)
        await self._session.send_notification(notification, related_request_id)
        self.acknowledged.set()  # by the first one, which the acknowledgement is


async def _accept(ctx: RequestContext, extensions: tuple[ExtensionSpec, ...]) -> list[_Accepted]:
    """What the extensions will deliver of what the filter asks for."""
    wire_filter = cast("dict[str, Any]", (ctx.params or {}).get("notifications", {}))
    accepted: list[_Accepted] = []
    for extension in extensions:
        for spec in extension.subscriptions:
            if spec.key in wire_filter:
                require_extension(ctx, extension.identifier)
                value = await spec.accept(ctx, wire_filter[spec.key])
                if value is not None:
                    accepted.append(_Accepted(spec, value))
    return accepted


async def _tell(ctx: RequestContext, accepted: _Accepted, acknowledged: anyio.Event) -> None:
    """Let an extension speak on a stream, once that has been acknowledged."""

    async def send(notification: Notification[Any, Any]) -> None:
        await ctx.session.send_notification(_tagged(notification, ctx.request_id), ctx.request_id)

    await acknowledged.wait()
    await accepted.spec.deliver(ctx, accepted.value, send)


def _tagged(notification: Notification[Any, Any], subscription_id: RequestId | None) -> Any:
    """2026-07-28 basic/patterns/subscriptions: every message names the subscription that it belongs to."""
    params = notification.params
    meta = {**cast("dict[str, Any]", params.meta or {}), SUBSCRIPTION_ID_META_KEY: subscription_id}
    return notification.model_copy(update={"params": params.model_copy(update={"meta": meta})})


def _check_flags(ctx: RequestContext) -> None:
    """The SDK's models read `"yes"` as true."""
    wire_filter = (ctx.params or {}).get("notifications", {})
    for flag in _FLAGS:
        if not isinstance(wire_filter.get(flag, False), bool):
            raise invalid_params(f"Invalid params for subscriptions/listen: notifications.{flag}: must be a boolean")
