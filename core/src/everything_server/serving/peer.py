"""Dispatches the JSON-RPC messages of one conversation, in both directions.

This stands where the SDK has its `JSONRPCDispatcher`, and serves the same protocols (`Outbound`, `DispatchContext`).
That one takes the ids `"5"` and `5` for the same, lets a second request with an id in flight overwrite the first,
answers an unexpected exception with its text under code 0, and cuts off what it has not answered when input ends.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectSendStream
from mcp.shared.dispatcher import CallOptions, OnNotify, OnRequest, coerce_request_id
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params
from mcp.shared.message import MessageMetadata, ServerMessageMetadata, SessionMessage
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    REQUEST_TIMEOUT,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    ProgressToken,
    RequestId,
)
from pydantic import ValidationError

from everything_server.serving.messages import error_answer

logger = logging.getLogger(__name__)

LISTEN: Final = "subscriptions/listen"

MAX_IN_FLIGHT: Final = 4096
"""Requests and notifications of one conversation that are being served at a time, unwritten answers included."""

Send = Callable[[SessionMessage], Awaitable[None]]
Answer = JSONRPCResponse | JSONRPCError
Reply = Callable[[Answer], Awaitable[None]]

_CLOSED: Final = ErrorData(code=CONNECTION_CLOSED, message="Connection closed")


@dataclass(eq=False, slots=True)
class Exchange:
    """One request or notification from the client, and the channel that belongs to it: a `DispatchContext`."""

    _peer: "Peer"
    method: str
    request_id: RequestId | None
    message_metadata: MessageMetadata
    _progress_token: ProgressToken | None = None
    _reply: Reply | None = None
    _scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    # Made when somebody waits, which is rare.
    _cancel_requested: anyio.Event | None = None
    _done: anyio.Event | None = None
    _is_cancelled: bool = False
    _is_done: bool = False

    @property
    def cancel_requested(self) -> anyio.Event:
        """Set when the client does not want the answer any more."""
        if self._cancel_requested is None:
            self._cancel_requested = anyio.Event()
            if self._is_cancelled:
                self._cancel_requested.set()
        return self._cancel_requested

    @property
    def transport(self) -> TransportContext:
        """What handlers may know of the transport."""
        return TransportContext(kind="jsonrpc", can_send_request=self.can_send_request)

    @property
    def can_send_request(self) -> bool:
        """Whether the client can be asked something while this is being served."""
        return self._peer.can_send_requests and not self._is_done

    @property
    def is_stream(self) -> bool:
        """Whether it stays open by nature, so that nobody waits for its end."""
        return self.method == LISTEN

    def cancel(self) -> None:
        """Stop the work; it will not be answered."""
        self._is_cancelled = True
        if self._cancel_requested is not None:
            self._cancel_requested.set()
        self._scope.cancel()

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Send a notification that belongs to this request; none once it has been answered."""
        if not self._is_done:
            await self._peer.send_notification(method, params, self.request_id)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Ask the client something that belongs to this request.

        Raises:
            MCPError: See `Peer.send_raw_request`; also when this request is over.
        """
        if not self.can_send_request:
            raise NoBackChannelError(method)
        return await self._peer.request(method, params, opts or {}, self.request_id)

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Report progress, if the client gave a token to report it under."""
        if self._progress_token is None:
            return
        params: dict[str, Any] = {"progressToken": self._progress_token, "progress": progress}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = message
        await self.notify("notifications/progress", params)

    async def serve(self, on_request: OnRequest, request: JSONRPCRequest) -> None:
        """Run the handler and answer with what comes of it, unless it was cancelled."""
        answer: Answer | None = None
        with self._scope:
            try:
                answer = _result(request.id, await on_request(self, request.method, request.params))
            except MCPError as error:
                answer = error_answer(error.error, request.id)
            except ValidationError:
                answer = error_answer(ErrorData(code=INVALID_PARAMS, message="Invalid request parameters"), request.id)
            except (Exception, SystemExit):  # a plugin's code may do anything, exit() included
                logger.exception("the handler of %s raised", request.method)
                answer = error_answer(ErrorData(code=INTERNAL_ERROR, message="Internal error"), request.id)
        self._is_done = True
        if self._done is not None:
            self._done.set()
        # From here on it cannot be cancelled: it is in flight no more, so an answer is written whole or not at all.
        self._peer.settled(self)
        if self._reply is not None and answer is not None and not self._is_cancelled:
            await self._reply(answer)
        elif isinstance(self.message_metadata, ServerMessageMetadata):
            unanswered = self.message_metadata.on_request_unanswered
            if unanswered is not None:
                await unanswered()  # a transport on which something must end all the same

    async def wait(self) -> None:
        """Until the handler has come to its end."""
        if not self._is_done:
            self._done = self._done or anyio.Event()
            await self._done.wait()


class Peer:
    """The client, as a server instance sees it: hand it what arrives with `receive`, it sends through `send`.

    Args:
        send: Writes one message; called in the order in which messages must arrive.
        tasks: Runs the handlers; whoever owns it ends the conversation with it.
        can_send_requests: Whether the era allows requests to the client.
    """

    def __init__(self, send: Send, tasks: TaskGroup, *, can_send_requests: bool) -> None:
        self.can_send_requests = can_send_requests
        self._send = send
        self._tasks = tasks
        self._in_flight: dict[tuple[type, RequestId], Exchange] = {}
        self._pending: dict[RequestId, MemoryObjectSendStream[dict[str, Any] | ErrorData]] = {}
        self._last_id = 0
        self._serving = 0
        """How much runs that a message of the client has started; what was cancelled and goes on counts."""
        self._ended = False
        self._change: anyio.Event | None = None
        """Made by whoever waits for a request to come to its end."""
        self._on_request: OnRequest | None = None
        self._on_notify: OnNotify | None = None

    def serve(self, on_request: OnRequest, on_notify: OnNotify) -> None:
        """Set what serves the requests and notifications that arrive from now on."""
        self._on_request, self._on_notify = on_request, on_notify

    async def receive(
        self, message: JSONRPCMessage, metadata: MessageMetadata = None, reply: Reply | None = None
    ) -> None:
        """Take one message from the client, in the order of arrival; returns before a request has been answered.

        A client with `MAX_IN_FLIGHT` messages being served gets -32603 for a further request, and a notification is
        dropped. What makes room, its answers and cancellations, is always taken.

        Args:
            message: The message.
            metadata: What the transport knows about it.
            reply: Where the answer goes, if not to `send`.
        """
        match message:
            case JSONRPCRequest():
                await self._receive_request(message, metadata, reply or self._answer)
            case JSONRPCNotification(method="notifications/cancelled"):
                self._cancel((message.params or {}).get("requestId"))
            case JSONRPCNotification():
                if self._serving < MAX_IN_FLIGHT:
                    self._serve(self._notify, message, metadata)
                else:
                    logger.warning("dropped a %s: the client has too much in flight", message.method[:200])
            case JSONRPCResponse():
                self._resolve(message.id, message.result)
            case JSONRPCError():
                self._resolve(message.id, message.error)

    async def answer(self, request: JSONRPCRequest, metadata: MessageMetadata = None) -> Answer:
        """Serve the one request of a conversation here and now, and give its answer instead of sending it."""
        assert self._on_request is not None
        answers: list[Answer] = []

        async def keep(answer: Answer) -> None:
            answers.append(answer)

        await self._exchange(request, metadata, keep).serve(self._on_request, request)
        return answers[0]

    def is_in_flight(self, request_id: RequestId) -> bool:
        """Whether a request with this id is being served."""
        return _key(request_id) in self._in_flight

    @property
    def is_busy(self) -> bool:
        """Whether anything is being served that will end by itself."""
        return any(not exchange.is_stream for exchange in self._in_flight.values())

    def end_input(self) -> None:
        """No more messages will come: whoever waits for an answer from the client waits in vain."""
        self._ended = True
        for stream in self._pending.values():
            _put(stream, _CLOSED)

    async def drain(self, patience: float, limit: float) -> None:
        """Wait while requests are being answered.

        Args:
            patience: Seconds to wait for the next answer.
            limit: Seconds to wait in all.
        """
        with anyio.move_on_after(limit):
            while self.is_busy:
                with anyio.move_on_after(patience) as scope:
                    await self._next_change()
                if scope.cancelled_caught:
                    return

    async def drain_streams(self, limit: float) -> None:
        """Wait until the open streams have written their last message, at most `limit` seconds."""
        with anyio.move_on_after(limit):
            while any(exchange.is_stream for exchange in self._in_flight.values()):
                await self._next_change()

    def close(self) -> None:
        """Stop all that is still being served, unanswered."""
        self.end_input()
        for exchange in list(self._in_flight.values()):
            exchange.cancel()

    def settled(self, exchange: Exchange) -> None:
        """Forget a request that has come to its end."""
        key = _key(exchange.request_id)
        if self._in_flight.get(key) is exchange:
            del self._in_flight[key]
        if self._change is not None:
            self._change.set()
            self._change = None

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Send a notification that belongs to no request."""
        await self.send_notification(method, params, None)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Ask the client something that belongs to no request.

        Raises:
            MCPError: The client answered with an error, did not answer within `opts["timeout"]`, or is gone.
        """
        return await self.request(method, params, opts or {}, None)

    async def send_notification(self, method: str, params: Mapping[str, Any] | None, related: RequestId | None) -> None:
        """Send a notification on the channel of the request `related`, or on the conversation's own."""
        if params is None:  # an explicit null is no JSON-RPC, so it must not count as set
            message = JSONRPCNotification(jsonrpc="2.0", method=method)
        else:
            message = JSONRPCNotification(jsonrpc="2.0", method=method, params=dict(params))
        await self._send(SessionMessage(message, _related(related)))

    async def request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions, related: RequestId | None
    ) -> dict[str, Any]:
        """Ask the client something on the channel of the request `related`, or on the conversation's own."""
        if not self.can_send_requests:
            raise NoBackChannelError(method)
        if self._ended:
            raise MCPError.from_error_data(_CLOSED)
        self._last_id += 1
        request_id = self._last_id
        send, receive = anyio.create_memory_object_stream[dict[str, Any] | ErrorData](1)
        self._pending[request_id] = send
        if params:
            message = JSONRPCRequest(jsonrpc="2.0", id=request_id, method=method, params=dict(params))
        else:
            message = JSONRPCRequest(jsonrpc="2.0", id=request_id, method=method)
        try:
            with anyio.fail_after(opts.get("timeout")):
                await self._send(SessionMessage(message, _related(related)))
                outcome = await receive.receive()
        except TimeoutError:
            await self._withdraw(request_id, "timed out", related)
            raise MCPError(REQUEST_TIMEOUT, f"no answer within {opts.get('timeout')} seconds") from None
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True), anyio.move_on_after(1):
                await self._withdraw(request_id, "the request it belonged to was cancelled", related)
            raise
        finally:
            del self._pending[request_id]
            send.close()
            receive.close()
        if isinstance(outcome, ErrorData):
            raise MCPError.from_error_data(outcome)
        return outcome

    async def _next_change(self) -> None:
        self._change = self._change or anyio.Event()
        await self._change.wait()

    async def _receive_request(self, request: JSONRPCRequest, metadata: MessageMetadata, reply: Reply) -> None:
        assert self._on_request is not None
        key = _key(request.id)
        if (earlier := self._in_flight.get(key)) is not None:
            if not (earlier.is_stream and request.method == LISTEN):
                # 2026-07-28 basic, Requests: an id must not match one that is still unanswered.
                problem = f"Invalid request: id {request.id!r} belongs to a request that is still being served"
                await reply(error_answer(ErrorData(code=INVALID_REQUEST, message=problem), request.id))
                return
            earlier.cancel()  # a client that listens again under the same id has replaced its filter
        if self._serving >= MAX_IN_FLIGHT:
            problem = f"{MAX_IN_FLIGHT} messages are being served, as many as may be; wait for answers, or cancel"
            await reply(error_answer(ErrorData(code=INTERNAL_ERROR, message=problem), request.id))
            return
        exchange = self._exchange(request, metadata, reply)
        self._serve(exchange.serve, self._on_request, request)
        if request.method == "initialize":
            await exchange.wait()  # what a hasty client sends right behind it must find the handshake done

    def _serve(self, function: Callable[..., Awaitable[None]], *args: object) -> None:
        async def serve() -> None:
            try:
                await function(*args)
            finally:
                self._serving -= 1

        self._serving += 1
        self._tasks.start_soon(serve)

    def _exchange(self, request: JSONRPCRequest, metadata: MessageMetadata, reply: Reply) -> Exchange:
        token = progress_token_from_params(request.params)
        exchange = Exchange(self, request.method, request.id, metadata, token, reply)
        self._in_flight[_key(request.id)] = exchange
        return exchange

    async def _notify(self, message: JSONRPCNotification, metadata: MessageMetadata) -> None:
        assert self._on_notify is not None
        try:
            await self._on_notify(Exchange(self, message.method, None, metadata), message.method, message.params)
        except Exception:
            logger.exception("the handler of %s raised", message.method)

    def _cancel(self, request_id: object) -> None:
        """2026-07-28 basic/patterns/cancellation: unknown and finished requests are ignored."""
        exchange = self._in_flight.get(_key(request_id)) if isinstance(request_id, str | int) else None
        if exchange is not None and exchange.method != "initialize":  # which must not be cancelled
            exchange.cancel()
            self.settled(exchange)  # it will not be answered, so its id is free

    def _resolve(self, request_id: RequestId | None, outcome: dict[str, Any] | ErrorData) -> None:
        # Our own ids are integers; some clients give them back as strings.
        stream = None if request_id is None else self._pending.get(coerce_request_id(request_id))
        if stream is None:
            logger.debug("no question of ours has the id %r", request_id)
        else:
            _put(stream, outcome)

    async def _answer(self, answer: Answer) -> None:
        await self._send(SessionMessage(answer, _related(answer.id)))

    async def _withdraw(self, request_id: RequestId, reason: str, related: RequestId | None) -> None:
        params = {"requestId": request_id, "reason": reason}
        await self.send_notification("notifications/cancelled", params, related)


def _key(request_id: RequestId | None) -> tuple[type, RequestId]:
    """Ids are equal only if their JSON types are: `"5"` is not `5`."""
    assert request_id is not None
    return type(request_id), request_id


def _related(request_id: RequestId | None) -> MessageMetadata:
    return None if request_id is None else ServerMessageMetadata(related_request_id=request_id)


def _result(request_id: RequestId, result: dict[str, Any]) -> JSONRPCResponse:
    return JSONRPCResponse(jsonrpc="2.0", id=request_id, result=result)


def _put(stream: MemoryObjectSendStream[dict[str, Any] | ErrorData], outcome: dict[str, Any] | ErrorData) -> None:
    try:
        stream.send_nowait(outcome)
    except (anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
        logger.debug("an answer came after another, or too late")
