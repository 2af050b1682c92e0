"""Handlers made by `create_mcp_handler` with every option, each mounted at its own path, over a plain SDK server.

    python tests/harness/http_server.py [--port N]

`/{mount}/mcp` is the handler; beside it `/{mount}/notify`, `/close`, `/release`, `/until`, `/state` and `/reset`
control it, and `/{mount}/is-legacy` answers whatever it is sent with the verdict of `is_legacy_request`. A whole
server's front door stands around all of it.
"""

import argparse
import logging
import warnings
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from everything_server.serving.factory import Factory, ServingContext
from everything_server.serving.handler import (
    McpHandler,
    create_mcp_handler,
    is_legacy_request,
    legacy_stateless_fallback,
)
from everything_server.transports.front_door import FrontDoor, FrontDoorRules
from everything_server.transports.listen import address_of, bind, serve
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ServerEvent
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
    Tool,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

RequestContext = ServerRequestContext[Any, Any]
PATIENCE = 10.0
"""Seconds that a control request waits for a state at most; then it gives the one there is."""

SECURITY = RequestStateSecurity.ephemeral()
SCHEMAS: Mapping[str, dict[str, Any]] = {
    "echo": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
    "region": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
    "slow": {"type": "object", "properties": {"ms": {"type": "number"}}},
    **{name: {"type": "object"} for name in ("ask", "held", "log", "progress", "progress_slow", "throws")},
}
QUESTION = ElicitRequest(
    params=ElicitRequestFormParams(
        message="What is your name?",
        requested_schema={"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    )
)


class CountingBus(InMemorySubscriptionBus):
    """A bus of the caller's own, which knows how many streams listen."""

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__()
        self.listeners = 0
        self._changed = changed

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        unsubscribe = super().subscribe(listener)
        self.listeners += 1
        self._changed()

        def leave() -> None:
            unsubscribe()
            self.listeners -= 1
            self._changed()

        return leave


@dataclass
class SlowCalls:
    """What became of the calls that take time."""

    started: int = 0
    finished: int = 0
    aborted: int = 0


@dataclass
class Counters:
    """What a mount has done since it was reset."""

    slow: SlowCalls = field(default_factory=SlowCalls)
    eras: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def text(value: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=value)], is_error=is_error)


class Mount:
    """One handler with its options, made anew by a reset."""

    def __init__(self, options: dict[str, Any], *, tools_only: bool = False, raises: bool = False) -> None:
        self._options = options
        self._tools_only = tools_only
        self._raises = raises
        self._change = anyio.Event()
        self.reset()
        self.fallback = legacy_stateless_fallback(self.factory, self._on_error)

    @property
    def factory(self) -> Factory:
        return self._make_server

    @property
    def state(self) -> dict[str, Any]:
        """What has happened since the reset."""
        slow = self.counters.slow
        return {
            "slow": {"started": slow.started, "finished": slow.finished, "aborted": slow.aborted},
            "eras": self.counters.eras,
            "errors": self.counters.errors,
            "listeners": self.bus.listeners,
        }

    def reset(self) -> None:
        """A new handler, and nothing counted."""
        self.counters = Counters()
        self.released = anyio.Event()
        self.bus = CountingBus(self.changed)
        self.handler: McpHandler = create_mcp_handler(
            self._make_server, bus=self.bus, on_error=self._on_error, **self._options
        )

    def changed(self) -> None:
        """Something was counted."""
        self._change.set()
        self._change = anyio.Event()

    async def until(self, state: Mapping[str, Any]) -> None:
        """Wait until the state is this one, as far as it is given."""
        with anyio.move_on_after(PATIENCE):
            while not _includes(self.state, state):
                await self._change.wait()

    def _on_error(self, error: Exception) -> None:
        self.counters.errors.append(f"{type(error).__name__}: {error}")

    async def _make_server(self, context: ServingContext) -> Server[Any]:
        self.counters.eras.append(context.era)
        if self._raises:
            raise RuntimeError("this factory always raises")
        everything = not self._tools_only
        server: Server[Any] = Server(
            "handler-table",
            version="1.0.0",
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_prompts=self._list_prompts if everything else None,
            on_list_resources=self._list_resources if everything else None,
            on_read_resource=self._read_resource if everything else None,
            get_tool_input_schema=SCHEMAS.get,
        )
        server.middleware.append(RequestStateBoundary(SECURITY, default_audience="handler-table"))
        return server

    async def _list_tools(self, ctx: RequestContext, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[Tool(name=name, input_schema=schema) for name, schema in SCHEMAS.items()])

    async def _list_prompts(self, ctx: RequestContext, params: PaginatedRequestParams | None) -> ListPromptsResult:
        return ListPromptsResult(prompts=[])

    async def _list_resources(self, ctx: RequestContext, params: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=[])

    async def _read_resource(self, ctx: RequestContext, params: ReadResourceRequestParams) -> ReadResourceResult:
        if params.uri != "test://static":
            raise MCPError(INVALID_PARAMS, f"Resource not found: {params.uri}", {"uri": params.uri})
        return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, text="static")])

    async def _call_tool(
        self, ctx: RequestContext, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        arguments = params.arguments or {}
        match params.name:
            case "echo":
                return text(f"Echo: {arguments['message']}")
            case "region":
                return text(arguments["region"])
            case "throws":
                return text("It went wrong", is_error=True)
            case "progress":
                await ctx.session.report_progress(1, 2)
                await ctx.session.report_progress(2, 2)
                return text("done")
            case "progress_slow":
                await ctx.session.report_progress(1, 1)
                await anyio.sleep(0.7)
                return text("done")
            case "log":
                await ctx.session.send_log_message("info", "a message", related_request_id=ctx.request_id)  # pyright: ignore[reportDeprecated]
                return text("logged")
            case "slow":
                return await self._counted(anyio.sleep, arguments.get("ms", 0) / 1000)
            case "held":
                if arguments.get("progress"):
                    await ctx.session.report_progress(1, 1)
                return await self._counted(self.released.wait)
            case "ask":
                return self._ask(ctx, params)
            case _:
                raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name}")

    async def _counted(self, wait: Callable[..., Awaitable[object]], *arguments: float) -> CallToolResult:
        slow = self.counters.slow
        slow.started += 1
        self.changed()
        try:
            await wait(*arguments)
        except BaseException:
            slow.aborted += 1
            self.changed()
            raise
        slow.finished += 1
        self.changed()
        return text("slept")

    def _ask(self, ctx: RequestContext, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        answer = (params.input_responses or {}).get("name")
        if isinstance(answer, ElicitResult) and answer.content is not None:
            return text(f"Hello {answer.content['name']}")
        capabilities = ctx.session.client_capabilities
        if capabilities is None or capabilities.elicitation is None:
            raise MCPError(-32021, "elicitation is needed", {"requiredCapabilities": {"elicitation": {"form": {}}}})
        return InputRequiredResult(input_requests={"name": QUESTION}, request_state="asked")


def build(options: Mapping[str, Mount]) -> Starlette:
    """All mounts, with their control routes."""
    routes: list[Route] = []
    for name, mount in options.items():
        routes += [
            Route(f"/{name}/mcp", endpoint=_Served(mount, is_fallback=name.endswith("fallback"))),
            Route(f"/{name}/is-legacy", endpoint=_IsLegacy()),
            Route(f"/{name}/{{action}}", endpoint=_control(mount), methods=["GET", "POST"]),
        ]
    return Starlette(routes=routes)


class _Served:
    def __init__(self, mount: Mount, *, is_fallback: bool) -> None:
        self._mount = mount
        self._is_fallback = is_fallback

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self._is_fallback:
            response = await self._mount.fallback(Request(scope, receive))
            await response(scope, receive, send)
        else:
            await self._mount.handler(scope, receive, send)


class _IsLegacy:
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        await JSONResponse({"legacy": await is_legacy_request(request)})(scope, receive, send)


def _control(mount: Mount) -> Callable[[Request], Any]:
    async def control(request: Request) -> Response:
        match request.path_params["action"]:
            case "until":
                await mount.until(await request.json())
            case "release":
                mount.released.set()
            case "notify":
                body = await request.json()
                notify = mount.handler.notify
                await {
                    "tools": notify.tools_changed,
                    "prompts": notify.prompts_changed,
                    "resources": notify.resources_changed,
                    "resource": lambda: notify.resource_updated(body["uri"]),
                }[body["kind"]]()
            case "close":
                await mount.handler.close()
            case "reset":
                mount.reset()
            case _:
                pass
        return JSONResponse(mount.state)

    return control


def _includes(state: Any, part: Any) -> bool:
    if isinstance(part, dict):
        return all(_includes(state[name], inner) for name, inner in part.items())
    return state == part


MOUNTS: Mapping[str, Callable[[], Mount]] = {
    "stateless": lambda: Mount({}),
    "reject": lambda: Mount({"legacy": "reject"}),
    "sse": lambda: Mount({"response_mode": "sse"}),
    "json": lambda: Mount({"response_mode": "json"}),
    "ka": lambda: Mount({"keep_alive_ms": 100}),
    "limit2": lambda: Mount({"max_subscriptions": 2}),
    "small": lambda: Mount({"max_body": 2000}),
    "nolist": lambda: Mount({}, tools_only=True),
    "boom": lambda: Mount({}, raises=True),
    "fallback": lambda: Mount({}),
    "boom-fallback": lambda: Mount({}, raises=True),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    port: int = parser.parse_args().port
    logging.disable(logging.ERROR)  # the factory that raises is meant to
    warnings.simplefilter("ignore", MCPDeprecationWarning)  # so is the tool that logs
    mounts = {name: make() for name, make in MOUNTS.items()}
    listening = bind("127.0.0.1", port)

    async def close() -> None:
        for mount in mounts.values():
            await mount.handler.close()

    app = FrontDoor(build(mounts), FrontDoorRules())
    serve(app, listening, f"everything-server: listening on http://{address_of(listening)}", close)


if __name__ == "__main__":
    main()
