"""Composes a server from a registry: microseconds, so that every connection and every modern request has its own."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, Final

import anyio
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import MethodBinding
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.request_state import RequestStateBoundary
from mcp.server.subscriptions import ServerEvent
from mcp_types import (
    CallToolRequestParams,
    CompleteRequestParams,
    CompleteResult,
    DiscoverResult,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    InputResponseRequestParams,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    NotificationParams,
    PaginatedRequestParams,
    PromptReference,
    ReadResourceRequestParams,
    ReadResourceResult,
    RequestParams,
    ServerCapabilities,
    SetLevelRequestParams,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)
from pydantic import ValidationError

from everything_server.capabilities import ROOTS, satisfies
from everything_server.catalogue import Additions, Catalogue
from everything_server.completion import complete
from everything_server.context import Context, Publish, ServerContext
from everything_server.eras import Era, versions_of
from everything_server.errors import ToolError, invalid_params, missing_capability
from everything_server.extensions import ExtensionSpec, require_extension
from everything_server.functions import explain
from everything_server.input_required import sync_roots, with_answers
from everything_server.pagination import page
from everything_server.registry import Registry
from everything_server.settings import Settings
from everything_server.specs import CompletionFunction
from everything_server.tools import ToolResult, error_result
from everything_server.version import __version__

logger = logging.getLogger(__name__)

NAME: Final = "mcp-servers/everything"
TITLE: Final = "Everything Reference Server"

_PUBLIC_MINUTE = CacheHint(ttl_ms=60_000, scope="public")
CACHE_HINTS: Final[Mapping[CacheableMethod, CacheHint]] = {
    "server/discover": _PUBLIC_MINUTE,
    "tools/list": _PUBLIC_MINUTE,
    "prompts/list": _PUBLIC_MINUTE,
    "resources/list": _PUBLIC_MINUTE,
    "resources/templates/list": _PUBLIC_MINUTE,
}

CLEANUP_TIMEOUT: Final = 1.0
"""Seconds that the cleanup of one instance may take."""

RequestContext = ServerRequestContext[ServerContext, Any]


async def publish_nowhere(event: ServerEvent) -> None:
    """For a server that no listen stream belongs to."""


def create_server(
    registry: Registry, publish: Publish = publish_nowhere, settings: Settings | None = None
) -> Server[ServerContext]:
    """Compose a fresh server for one connection, or for one modern HTTP request.

    Its lifespan is the instance's: whoever serves it enters `server.lifespan(server)`, hands what that yields (the
    `ServerContext`) to the SDK's runner, and by leaving it stops and undoes all that the instance started.

    Args:
        registry: What the server offers, and in which era.
        publish: Where a modern instance's changes go.
        settings: What the process decided; by default all that it makes share one, so that a modern client can go on
            with what an earlier request began.
    """
    return _ComposedServer(registry, publish, settings or _default_settings())


@cache
def _default_settings() -> Settings:
    return Settings()


class _ComposedServer(Server[ServerContext]):
    """The SDK's server with handlers over a registry. It only refers to the registry, so its size does not matter."""

    def __init__(self, registry: Registry, publish: Publish, settings: Settings) -> None:
        self._registry = registry
        self._settings = settings
        # Lists are one legacy client's own, and the same for every modern client (2026-07-28 server/utilities/caching).
        additions = Additions() if registry.era is Era.LEGACY else settings.process_state.get(Additions)
        self._catalogue = Catalogue(registry, additions)
        self._context = ServerContext(
            registry.era,
            self._catalogue,
            settings.clock,
            publish,
            settings.process_state,
            settings.randomness,
        )
        has_completions = registry.capabilities.completions is not None
        legacy_resources = registry.has_resources and registry.era is Era.LEGACY
        super().__init__(
            NAME,
            version=__version__,
            title=TITLE,
            instructions=registry.instructions or None,
            icons=list(registry.icons) or None,
            cache_hints=CACHE_HINTS,
            lifespan=_lifespan,
            get_tool_input_schema=self._input_schema,
            on_list_tools=self._list_tools if registry.tools else None,
            on_list_resources=self._list_resources if registry.has_resources else None,
            on_list_resource_templates=self._list_templates if registry.has_resources else None,
            on_read_resource=self._read_resource if registry.has_resources else None,
            on_subscribe_resource=self._subscribe if legacy_resources else None,
            on_unsubscribe_resource=self._unsubscribe if legacy_resources else None,
            on_list_prompts=self._list_prompts if registry.prompts else None,
            on_get_prompt=self._get_prompt if registry.prompts else None,
            on_completion=self._complete if has_completions else None,
        )
        if registry.tools:  # not by the parameter, whose type has no room for the results of extensions
            self.add_request_handler("tools/call", CallToolRequestParams, self._call_tool)
        self.middleware.append(_name_what_was_wrong)
        if registry.era is Era.LEGACY:
            self.add_notification_handler("notifications/initialized", NotificationParams, self._initialized)
            if registry.logs:
                self.add_request_handler("logging/setLevel", SetLevelRequestParams, self._set_level)
            if registry.uses_roots:
                self.add_notification_handler(
                    "notifications/roots/list_changed", NotificationParams, self._roots_changed
                )
            return
        self.middleware.append(RequestStateBoundary(settings.sealing, default_audience=NAME))
        self.add_request_handler("server/discover", RequestParams, self._discover)
        for extension in registry.extensions:
            for method in extension.methods:
                handler = _for_declared(extension.identifier, method)
                self.add_request_handler(method.method, method.params_type, handler)

    @property
    def context(self) -> ServerContext:
        """The state of this instance."""
        return self._context

    @property
    def extensions_served(self) -> tuple[ExtensionSpec, ...]:
        """What the serving entries read: see `extensions_of`."""
        return self._registry.extensions

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> ServerCapabilities:
        """What the active plugins serve; the SDK would derive other flags from which handlers exist."""
        return self._registry.capabilities

    async def _discover(self, ctx: RequestContext, params: RequestParams) -> DiscoverResult:
        return DiscoverResult(
            supported_versions=versions_of(self._settings.eras),
            capabilities=self._registry.capabilities,
            instructions=self.instructions,
        )

    async def _initialized(self, ctx: RequestContext, params: NotificationParams) -> None:
        """Only now the client's capabilities are known and it may be sent notifications (2025-11-25 lifecycle)."""
        self._context.session = ctx.session
        declared = ctx.session.client_capabilities
        if any(satisfies(declared, tool.spec.requires) for tool in self._registry.gated_tools if tool.spec.requires):
            await ctx.session.send_tool_list_changed()
        if self._registry.uses_roots and satisfies(declared, ROOTS):
            self._context.start(sync_roots, self._context)

    async def _roots_changed(self, ctx: RequestContext, params: NotificationParams) -> None:
        if satisfies(ctx.session.client_capabilities, ROOTS):
            await sync_roots(self._context)

    async def _set_level(self, ctx: RequestContext, params: SetLevelRequestParams) -> EmptyResult:
        self._context.log_level = params.level
        return EmptyResult()

    async def _list_tools(self, ctx: RequestContext, params: PaginatedRequestParams | None) -> ListToolsResult:
        if self._registry.era is Era.MODERN:
            tools = self._catalogue.tools()  # the same for every client, so that it can be cached
        else:
            # Until it has initialized, a client has not finished saying what it can do.
            ready = self._context.session is not None
            tools = self._catalogue.tools_for(ctx.session.client_capabilities if ready else None)
        shown, next_cursor = page(tools, "tools", _cursor(params), self._settings.page_size)
        return ListToolsResult(tools=[tool.wire for tool in shown], next_cursor=next_cursor)

    async def _call_tool(self, ctx: RequestContext, params: CallToolRequestParams) -> ToolResult:
        tool = self._catalogue.tool(params.name)
        required = None if tool is None else tool.spec.requires
        if required is not None and not satisfies(ctx.session.client_capabilities, required):
            if self._registry.era is Era.MODERN:
                raise missing_capability(required)
            tool = None  # an unlisted tool is an unknown one
        if tool is None:
            raise invalid_params(f"Unknown tool: {params.name[:200]}")
        _refuse_null_arguments(ctx)

        async def call(round_params: InputResponseRequestParams) -> ToolResult:
            return await tool.call(params.arguments or {}, Context(ctx, round_params))

        try:
            return await with_answers(ctx, params, call)
        except ToolError as error:
            return error_result(str(error))

    async def _list_resources(self, ctx: RequestContext, params: PaginatedRequestParams | None) -> ListResourcesResult:
        resources = self._catalogue.resources()
        shown, next_cursor = page(resources, "resources", _cursor(params), self._settings.page_size)
        return ListResourcesResult(resources=[resource.wire for resource in shown], next_cursor=next_cursor)

    async def _list_templates(
        self, ctx: RequestContext, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        templates = list(self._registry.templates.values())
        shown, next_cursor = page(templates, "templates", _cursor(params), self._settings.page_size)
        return ListResourceTemplatesResult(
            resource_templates=[template.wire for template in shown], next_cursor=next_cursor
        )

    async def _read_resource(
        self, ctx: RequestContext, params: ReadResourceRequestParams
    ) -> ReadResourceResult | InputRequiredResult:
        async def read(round_params: InputResponseRequestParams) -> ReadResourceResult | InputRequiredResult:
            return await self._catalogue.read(params.uri, Context(ctx, round_params, uri=params.uri))

        return await _as_protocol_error(with_answers(ctx, params, read))

    async def _subscribe(self, ctx: RequestContext, params: SubscribeRequestParams) -> EmptyResult:
        self._context.subscriptions.add(params.uri)
        await Context(ctx).log("info", f"Subscribed to {params.uri}", logger_name="resources")
        return EmptyResult()

    async def _unsubscribe(self, ctx: RequestContext, params: UnsubscribeRequestParams) -> EmptyResult:
        self._context.subscriptions.discard(params.uri)
        await Context(ctx).log("info", f"Unsubscribed from {params.uri}", logger_name="resources")
        return EmptyResult()

    async def _list_prompts(self, ctx: RequestContext, params: PaginatedRequestParams | None) -> ListPromptsResult:
        prompts = self._catalogue.prompts()
        shown, next_cursor = page(prompts, "prompts", _cursor(params), self._settings.page_size)
        return ListPromptsResult(prompts=[prompt.wire for prompt in shown], next_cursor=next_cursor)

    async def _get_prompt(
        self, ctx: RequestContext, params: GetPromptRequestParams
    ) -> GetPromptResult | InputRequiredResult:
        prompt = self._catalogue.prompt(params.name)
        if prompt is None:
            raise invalid_params(f"Unknown prompt: {params.name[:200]}")
        _refuse_null_arguments(ctx)

        async def render(round_params: InputResponseRequestParams) -> GetPromptResult | InputRequiredResult:
            return await prompt.render(params.arguments or {}, Context(ctx, round_params))

        return await _as_protocol_error(with_answers(ctx, params, render))

    async def _complete(self, ctx: RequestContext, params: CompleteRequestParams) -> CompleteResult:
        if isinstance(params.ref, PromptReference):
            prompt = self._catalogue.prompt(params.ref.name)
            if prompt is None:
                raise invalid_params(f"Unknown prompt: {params.ref.name[:200]}")
            functions = prompt.spec.completions
        elif template := self._registry.templates.get(params.ref.uri):
            functions = template.spec.completions
        elif self._catalogue.resource(params.ref.uri):
            functions = dict[str, CompletionFunction]()
        else:
            raise invalid_params(f"Unknown resource template: {params.ref.uri[:200]}")
        settled = (params.context and params.context.arguments) or {}
        return await complete(functions, params.argument.name, params.argument.value, settled)

    def _input_schema(self, name: str) -> Mapping[str, Any] | None:
        """What `Mcp-Param-*` headers are checked against; None where there is nothing to check."""
        tool = self._catalogue.tool(name)
        return tool.wire.input_schema if tool is not None and tool.mirrors_arguments else None


def _for_declared(identifier: str, method: MethodBinding) -> Callable[..., Awaitable[HandlerResult]]:
    async def handler(ctx: RequestContext, params: Any) -> HandlerResult:
        require_extension(ctx, identifier)
        return await method.handler(ctx, params)

    return handler


@asynccontextmanager
async def _lifespan(server: Server[ServerContext]) -> AsyncGenerator[ServerContext]:
    assert isinstance(server, _ComposedServer)
    context = server.context
    try:
        if context.era is Era.MODERN:
            yield context  # none of its work may outlive the request, so it has no tasks of its own
            return
        async with anyio.create_task_group() as tasks:
            context.attach(tasks)
            yield context
            context.attach(None)
            tasks.cancel_scope.cancel()
    finally:
        # Also when the connection was cut off: what a feature must undo, it must be able to wait for.
        with anyio.move_on_after(CLEANUP_TIMEOUT, shield=True) as cleanup:
            try:
                await context.exit_stack.aclose()
            except Exception:  # a plugin's; what the others registered has been undone all the same
                logger.exception("cleanup raised")
        if cleanup.cancelled_caught:
            logger.warning("cleanup took over %s seconds and was given up", CLEANUP_TIMEOUT)


def _cursor(params: PaginatedRequestParams | None) -> str | None:
    return None if params is None else params.cursor


def _refuse_null_arguments(ctx: RequestContext) -> None:
    """The SDK's models read an explicit null as absent; JSON Schema does not."""
    if ctx.params is not None and ctx.params.get("arguments", {}) is None:
        raise invalid_params(f"Invalid params for {ctx.method}: arguments: must be an object, not null")


async def _as_protocol_error(result: Any) -> Any:
    """For results that know no `isError`: the question that went wrong is the request's own fault."""
    try:
        return await result
    except ToolError as error:
        raise invalid_params(str(error)) from None


async def _name_what_was_wrong(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware: the SDK answers malformed params with "Invalid request parameters"; say which, and how."""
    try:
        return await call_next(ctx)
    except ValidationError as error:
        if ctx.request_id is None:
            raise
        problems = "; ".join(explain(error))
        raise invalid_params(f"Invalid params for {ctx.method}: {problems}") from None
