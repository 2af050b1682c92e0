"""Serves legacy requests over HTTP without sessions: each POST has a fresh server, which nothing outlives."""

from collections.abc import Collection
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    ErrorData,
    JSONRPCMessage,
    JSONRPCRequest,
    RequestId,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from everything_server.context import Publish
from everything_server.eras import BOTH_ERAS, Era
from everything_server.serving.factory import Factory, ServingContext, make_server
from everything_server.serving.http import EventStream, accepts, error_response, frame, refusal, until_disconnected
from everything_server.serving.messages import Batch, Unreadable
from everything_server.serving.modern import OnError, report
from everything_server.serving.routing import RoutingHeaders, requested_version, unsupported_version
from everything_server.serving.units import legacy_unit

MAX_BATCH = 100
"""Messages in one batch."""

Posted = JSONRPCMessage | Batch | Unreadable


def check_version_header(
    headers: RoutingHeaders, eras: Collection[Era], request_id: RequestId | None = None
) -> Response | None:
    """400 for a version header that names no revision with a handshake; having none is fine."""
    if headers.version is None or headers.version in HANDSHAKE_PROTOCOL_VERSIONS:
        return None
    return error_response(400, unsupported_version(headers.version, eras), request_id)


def reject_legacy(posted: Posted, headers: RoutingHeaders) -> Response:
    """The answer to legacy traffic where only the modern era is served."""
    match posted:
        case Unreadable(error=error, request_id=request_id):
            return error_response(400, error, request_id)
        case JSONRPCRequest():
            version = headers.version or requested_version(posted)
            return error_response(400, unsupported_version(version, {Era.MODERN}), posted.id)
        case Batch():
            return refusal(400, "Invalid request: this server speaks 2026-07-28 only, which has no batches")
        case _ if hasattr(posted, "method"):
            return Response(status_code=202)  # a notification is dropped
        case _:
            return refusal(400, "Invalid request: this server has asked nothing that a response could answer")


class StatelessLegacyServing:
    """The legacy leg of an HTTP entry without sessions.

    Args:
        factory: Makes a server for each POST.
        publish: Where changes go.
        keep_alive: Seconds of silence after which an open event stream gets a comment; 0 for never.
        on_error: Told of what goes wrong outside a handler.
    """

    def __init__(self, factory: Factory, publish: Publish, keep_alive: float, on_error: OnError | None) -> None:
        self.keep_alive = keep_alive
        self._factory = factory
        self._publish = publish
        self._on_error = on_error

    async def respond(
        self, posted: Posted, headers: RoutingHeaders, request: Request, auth_info: object | None
    ) -> Response:
        """The answer to a legacy POST."""
        request_id = posted.id if isinstance(posted, JSONRPCRequest) else None
        context = ServingContext(era=Era.LEGACY, publish=self._publish, auth_info=auth_info, request=request)
        try:
            server = await make_server(self._factory, context)
        except Exception as error:
            report("the server factory raised", error, self._on_error)
            internal = ErrorData(code=INTERNAL_ERROR, message="Internal error: the server could not be made")
            return error_response(500, internal, request_id)
        if not all(accepts(request)):
            return refusal(406, "Not acceptable: Accept must admit both application/json and text/event-stream")
        if isinstance(posted, Unreadable):
            return error_response(400, posted.error, posted.request_id)
        if refused := check_version_header(headers, BOTH_ERAS, request_id):
            return refused
        if isinstance(posted, Batch):
            if len(posted.elements) > MAX_BATCH:
                return refusal(400, f"Invalid request: a batch has at most {MAX_BATCH} messages")
            requests = [element for element in posted.elements if isinstance(element, JSONRPCRequest)]
            if any(element.method == "initialize" for element in requests):
                return refusal(400, "Invalid request: initialize must not be part of a batch")
        else:
            requests = [posted] if isinstance(posted, JSONRPCRequest) else []
        if not requests:
            return Response(status_code=202)  # nothing outlives this POST that could use a notification or a response
        return _StatelessExchange(self, server, requests, headers.version, request)


class _StatelessExchange(Response):
    """The requests of one POST, served as the answer is sent: an event stream with an answer to each."""

    def __init__(
        self,
        serving: StatelessLegacyServing,
        server: Server[Any],
        requests: list[JSONRPCRequest],
        version: str | None,
        request: Request,
    ) -> None:
        super().__init__()
        self._serving = serving
        self._server = server
        self._requests = requests
        self._version = version
        self._request = request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        stream = EventStream(send, self._serving.keep_alive)

        async def send_message(message: SessionMessage) -> None:
            await stream.write(frame(message.message))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._cancel_when_gone, receive, tasks.cancel_scope)
            tasks.start_soon(stream.keep_open)
            await stream.open()
            unit = legacy_unit(
                self._server, send_message, stateless_version=self._version or HANDSHAKE_PROTOCOL_VERSIONS[-1]
            )
            async with unit as peer, anyio.create_task_group() as answering:
                for request in self._requests:
                    answering.start_soon(self._answer, peer, request, stream)
            await stream.end()
            tasks.cancel_scope.cancel()

    async def _answer(self, peer: Any, request: JSONRPCRequest, stream: EventStream) -> None:
        metadata = ServerMessageMetadata(request_context=self._request)
        await stream.write(frame(await peer.answer(request, metadata)))

    async def _cancel_when_gone(self, receive: Receive, work: anyio.CancelScope) -> None:
        await until_disconnected(receive)
        work.cancel()  # with no session, nobody could fetch the answer
