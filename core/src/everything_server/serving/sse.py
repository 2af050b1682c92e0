"""The deprecated HTTP+SSE transport: a server for each event stream, to which the client posts its messages.

2024-11-05 basic/transports, HTTP with SSE.
"""

import logging
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, ErrorData, JSONRPCRequest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from everything_server.context import Publish
from everything_server.eras import Era
from everything_server.randomness import Randomness
from everything_server.serving.factory import Factory, ServingContext, make_server
from everything_server.serving.http import (
    BodyTooLargeError,
    EventStream,
    error_response,
    frame,
    is_json,
    method_not_allowed,
    read_body,
    refusal,
    too_large,
    unsupported_media_type,
    until_disconnected,
)
from everything_server.serving.messages import Batch, Unreadable, read_message
from everything_server.serving.received import Observe, observe_http
from everything_server.serving.units import BATCHING_VERSION, LegacyPeer, legacy_unit

logger = logging.getLogger(__name__)

SESSION_PARAMETER = "sessionId"


class SseServing:
    """All open streams of the transport, by their session ids.

    Args:
        factory: Makes a server for each stream.
        publish: Where changes go that are not one stream's own.
        message_path: Where clients post.
        handshake_required: Whether calls before `initialize` are refused.
        max_body: The largest body that is read, in bytes.
        max_sessions: How many streams may be open; a further one is refused with 503.
        keep_alive: Seconds of silence after which an open stream gets a comment; 0 for never.
        randomness: Makes the session ids.
        observe: Told of each message before it is served, and of each stream.
    """

    def __init__(
        self,
        factory: Factory,
        publish: Publish,
        *,
        message_path: str,
        handshake_required: bool,
        max_body: int,
        max_sessions: int,
        keep_alive: float,
        randomness: Randomness | None = None,
        observe: Observe | None = None,
    ) -> None:
        self.message_path = message_path
        self.handshake_required = handshake_required
        self.keep_alive = keep_alive
        self.randomness = randomness or Randomness()
        self.sessions: dict[str, LegacyPeer] = {}
        self.closed = anyio.Event()
        self._factory = factory
        self._publish = publish
        self._max_body = max_body
        self._max_sessions = max_sessions
        self._observe = observe

    def close(self) -> None:
        """End every stream, and with it its server."""
        self.closed.set()

    async def open(self, request: Request) -> Response:
        """The response to a request for a stream."""
        if request.method != "GET":
            return method_not_allowed("GET")
        if self._observe is not None:
            observe_http(self._observe, "sse", request, None, era=Era.LEGACY, session=None)
        if self.closed.is_set() or len(self.sessions) >= self._max_sessions:
            return refusal(
                503, "This server has as many streams as it may have; try again later", {"retry-after": "10"}
            )
        context = ServingContext(era=Era.LEGACY, publish=self._publish, request=request)
        try:
            server = await make_server(self._factory, context)
        except Exception:
            logger.exception("the server factory raised")
            error = ErrorData(code=INTERNAL_ERROR, message="Internal error: the server could not be made")
            return error_response(500, error)
        return _Stream(self, server)

    async def post(self, request: Request) -> Response:
        """The response to a posted message: 202, the answer comes on the stream."""
        if request.method != "POST":
            return method_not_allowed("POST")
        session_id = request.query_params.get(SESSION_PARAMETER)
        if session_id is None:
            return refusal(400, f"Bad request: the query parameter {SESSION_PARAMETER} is missing")
        peer = self.sessions.get(session_id)
        if peer is None:
            return refusal(404, "Not found: there is no such session, or its stream has ended")
        if not is_json(request):
            return unsupported_media_type()
        try:
            posted = read_message(await read_body(request, self._max_body))
        except BodyTooLargeError:
            return too_large(self._max_body)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is left to read it
        if self._observe is not None:
            observe_http(self._observe, "sse", request, posted, era=Era.LEGACY, session=session_id)
        if isinstance(posted, Unreadable):
            return error_response(400, posted.error, posted.request_id)
        if isinstance(posted, Batch) and peer.protocol_version != BATCHING_VERSION:
            return refusal(400, f"Invalid request: batches exist only in a session of revision {BATCHING_VERSION}")
        messages = posted.elements if isinstance(posted, Batch) else (posted,)
        for message in messages:
            if isinstance(message, Unreadable):
                return error_response(400, message.error, message.request_id)
            if isinstance(posted, Batch) and isinstance(message, JSONRPCRequest) and message.method == "initialize":
                error = ErrorData(code=INVALID_REQUEST, message="Invalid request: initialize in a batch")
                return error_response(400, error, message.id)
        for message in messages:
            assert not isinstance(message, Unreadable)
            await peer.receive(message, ServerMessageMetadata(request_context=request))
        return Response("Accepted", 202, media_type="text/plain")


class _Stream(Response):
    """One event stream and the server behind it; both end together."""

    def __init__(self, serving: SseServing, server: Server[Any]) -> None:
        super().__init__()
        self._serving = serving
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        stream = EventStream(send, self._serving.keep_alive)
        session_id = self._serving.randomness.token()

        async def send_message(message: SessionMessage) -> None:
            await stream.write(frame(message.message))

        async def end_when(event: anyio.Event) -> None:
            await event.wait()
            tasks.cancel_scope.cancel()

        async def end_when_gone() -> None:
            await until_disconnected(receive)
            tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(end_when_gone)
            tasks.start_soon(end_when, self._serving.closed)
            tasks.start_soon(stream.keep_open)
            unit = legacy_unit(
                self._server,
                send_message,
                session_id=session_id,
                refuse_modern=False,
                handshake_required=self._serving.handshake_required,
            )
            async with unit as peer:
                self._serving.sessions[session_id] = peer
                try:
                    path: str = scope.get("root_path", "") + self._serving.message_path
                    endpoint = f"event: endpoint\ndata: {path}?{SESSION_PARAMETER}={session_id}\n\n"
                    await stream.write(endpoint.encode())
                    await anyio.sleep_forever()
                finally:
                    del self._serving.sessions[session_id]
        await stream.end()
