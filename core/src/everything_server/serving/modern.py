"""Serves modern requests over HTTP: one request, one fresh server, one answer."""

import logging
from collections.abc import Callable
from typing import Any, Final, Literal, cast

import anyio
import anyio.lowlevel
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_one
from mcp.server.subscriptions import SubscriptionBus
from mcp.shared.dispatcher import DispatchContext
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_NAME_HEADER,
    InboundModernRoute,
    validate_mcp_param_headers,
)
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.shared.transport_context import TransportContext
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, ErrorData, JSONRPCError, JSONRPCRequest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from everything_server.eras import Era
from everything_server.extensions import extensions_of
from everything_server.serving.factory import Factory, ServingContext, make_server
from everything_server.serving.http import EventStream, error_response, frame, until_disconnected
from everything_server.serving.listen import Listener
from everything_server.serving.messages import write_message
from everything_server.serving.peer import LISTEN, Answer, Peer
from everything_server.serving.routing import name_mismatch

logger = logging.getLogger(__name__)

ResponseMode = Literal["auto", "sse", "json"]
OnError = Callable[[Exception], None]

CLOSING: Final = 2.0
"""Seconds that open subscriptions have for their closing result."""


def report(problem: str, error: Exception, on_error: OnError | None) -> None:
    """Log what went wrong outside a handler, and tell the caller's callback, which cannot change the answer."""
    logger.error(problem, exc_info=error)
    if on_error is not None:
        try:
            on_error(error)
        except Exception:
            logger.exception("on_error raised")


class ModernServing:
    """The modern leg of an HTTP entry.

    Args:
        factory: Makes a server for each request.
        bus: Takes changes to the `subscriptions/listen` streams.
        max_subscriptions: How many of those may be open.
        keep_alive: Seconds of silence after which an open event stream gets a comment; 0 for never.
        response_mode: "auto" answers with JSON unless a notification comes before the result, "sse" always with an
            event stream, "json" never (notifications before a result are dropped); subscriptions always stream.
        on_error: Told of what goes wrong outside a handler.
    """

    def __init__(
        self,
        factory: Factory,
        bus: SubscriptionBus,
        *,
        max_subscriptions: int,
        keep_alive: float,
        response_mode: ResponseMode,
        on_error: OnError | None,
    ) -> None:
        self.factory = factory
        self.bus = bus
        self.keep_alive = keep_alive
        self.response_mode = response_mode
        self.listener = Listener(bus, max_subscriptions)
        self._on_error = on_error
        self._exchanges: dict[anyio.CancelScope, bool] = {}
        self._emptied = anyio.Event()
        self._closed = False

    def respond(
        self, message: JSONRPCRequest, route: InboundModernRoute, request: Request, auth_info: object | None
    ) -> Response:
        """The answer to a request whose envelope and headers are in order; it is served when the answer is sent."""
        if self._closed:
            error = ErrorData(code=INTERNAL_ERROR, message="This server is closing")
            return error_response(503, error, message.id)
        return _Exchange(self, message, route, request, auth_info)

    def report(self, problem: str, error: Exception) -> None:
        """Log what went wrong outside a handler, and tell the caller's callback."""
        report(problem, error, self._on_error)

    def enter(self, scope: anyio.CancelScope, is_stream: bool) -> None:
        """Count an exchange in, so that it can be ended."""
        self._exchanges[scope] = is_stream

    def leave(self, scope: anyio.CancelScope) -> None:
        """Count an exchange out."""
        del self._exchanges[scope]
        if not self._exchanges:
            self._emptied.set()

    async def close(self) -> None:
        """End every open subscription with its result, abort what else is being served, and take nothing new."""
        self._closed = True
        self.listener.close()
        for scope, is_stream in list(self._exchanges.items()):
            if not is_stream:
                scope.cancel()
        with anyio.move_on_after(CLOSING):
            while self._exchanges:
                self._emptied = anyio.Event()
                await self._emptied.wait()
        for scope in list(self._exchanges):
            scope.cancel()


class _Exchange(Response):
    """One request being served as its answer is sent."""

    def __init__(
        self,
        serving: ModernServing,
        message: JSONRPCRequest,
        route: InboundModernRoute,
        request: Request,
        auth_info: object | None,
    ) -> None:
        super().__init__()
        self._serving = serving
        self._message = message
        self._route = route
        self._request = request
        self._auth_info = auth_info
        self._is_kept_open = self._is_answered = self._is_gone = False
        self._streams = message.method == LISTEN or serving.response_mode != "json"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        stream = EventStream(send, self._serving.keep_alive)
        answer: Answer | Response | None = None
        async with anyio.create_task_group() as tasks:
            self._serving.enter(tasks.cancel_scope, self._message.method == LISTEN)
            try:
                tasks.start_soon(self._cancel_when_gone, receive, tasks.cancel_scope)
                answer = await self._serve(stream, tasks)
            finally:
                self._serving.leave(tasks.cancel_scope)
            if not self._is_kept_open:
                self._is_answered = True
                await self._send_answer(answer, stream, scope, receive, send)
                # An ASGI server tells the end of the response like a disconnection. So the task that waits for one
                # ends by itself, which is a fifth of a small request cheaper than to cancel it.
                await anyio.lowlevel.checkpoint()
            if not self._is_gone:
                tasks.cancel_scope.cancel()
        if self._is_answered:
            return
        if answer is not None:
            await self._send_answer(answer, stream, scope, receive, send)
        elif stream.is_open:
            await stream.end()  # aborted: the stream ends without a result
        else:
            error = ErrorData(code=INTERNAL_ERROR, message="The request was aborted")
            await error_response(503, error, self._message.id)(scope, receive, send)

    async def _cancel_when_gone(self, receive: Receive, work: anyio.CancelScope) -> None:
        """Closing the response stream is how a modern client cancels (2026-07-28 streamable-http, Cancellation)."""
        await until_disconnected(receive)
        self._is_gone = True
        if not self._is_answered:
            work.cancel()

    async def _serve(self, stream: EventStream, tasks: anyio.abc.TaskGroup) -> Answer | Response:
        message, serving = self._message, self._serving
        context = ServingContext(
            era=Era.MODERN, publish=serving.bus.publish, auth_info=self._auth_info, request=self._request
        )
        try:
            server = await make_server(serving.factory, context)
        except Exception as error:
            serving.report("the server factory raised", error)
            internal = ErrorData(code=INTERNAL_ERROR, message="Internal error: the server could not be made")
            return error_response(500, internal, message.id)
        rejected = _check_name_header(server, message, self._request)
        if rejected := rejected or _check_param_headers(server, message, self._request):
            return error_response(400, rejected, message.id)
        serving.listener.install(server)

        async def send_notification(notification: SessionMessage) -> None:
            if self._streams:
                if not self._is_kept_open:  # most answers are not streamed, and need no task for that
                    self._is_kept_open = True
                    tasks.start_soon(stream.keep_open)
                await stream.write(frame(notification.message))

        async with server.lifespan(server) as state:

            async def on_request(
                exchange: DispatchContext[TransportContext], method: str, params: Any
            ) -> dict[str, Any]:
                connection = Connection.from_envelope(
                    self._route.protocol_version, self._route.client_info, self._route.client_capabilities
                )
                return await serve_one(server, exchange, method, params, connection=connection, lifespan_state=state)

            async def on_notify(exchange: DispatchContext[TransportContext], method: str, params: Any) -> None:
                pass  # a request is all that one exchange carries

            peer = Peer(send_notification, tasks, can_send_requests=False)
            peer.serve(on_request, on_notify)
            return await peer.answer(message, ServerMessageMetadata(request_context=self._request))

    async def _send_answer(
        self, answer: Answer | Response, stream: EventStream, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if isinstance(answer, Response):
            await answer(scope, receive, send)
            return
        status = 200
        if isinstance(answer, JSONRPCError):
            status = ERROR_CODE_HTTP_STATUS.get(answer.error.code, 200)
        in_stream = status == 200 or (isinstance(answer, JSONRPCError) and answer.error.code == INVALID_PARAMS)
        if stream.is_open or (self._serving.response_mode == "sse" and in_stream):
            await stream.write(frame(answer))
            await stream.end()
        else:
            await Response(write_message(answer), status, media_type="application/json")(scope, receive, send)


def _check_name_header(server: Server[Any], message: JSONRPCRequest, request: Request) -> ErrorData | None:
    """Compare `Mcp-Name` with what it repeats, for methods of extensions (ext-tasks tasks, Routing Headers)."""
    members = (extension.name_headers.get(message.method) for extension in extensions_of(server))
    member = next(filter(None, members), None)
    return name_mismatch(message, member, request.headers.get(MCP_NAME_HEADER))


def _check_param_headers(server: Server[Any], message: JSONRPCRequest, request: Request) -> ErrorData | None:
    """Compare `Mcp-Param-*` headers with the arguments they mirror (2026-07-28 server/tools, x-mcp-header)."""
    params = message.params or {}
    name, arguments = params.get("name"), params.get("arguments", {})
    if message.method != "tools/call" or server.get_tool_input_schema is None:
        return None
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    schema = server.get_tool_input_schema(name)
    sent = cast("dict[str, Any]", arguments)
    rejection = None if schema is None else validate_mcp_param_headers(schema, sent, request.headers)
    return None if rejection is None else ErrorData(code=rejection.code, message=rejection.message)
