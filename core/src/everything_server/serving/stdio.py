"""`serve_stdio`: one client on the process's standard streams, in the era it opens with."""

import logging
from collections.abc import Collection
from contextlib import AsyncExitStack
from typing import Final, Literal

import anyio
import anyio.lowlevel
from mcp.server.subscriptions import InMemorySubscriptionBus, SubscriptionBus
from mcp.shared.inbound import InboundModernRoute
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
)

from everything_server.eras import Era
from everything_server.serving.factory import Factory, ServingContext, make_server
from everything_server.serving.lines import LineReader, LineSink, LineSource, LineWriter, TooLong
from everything_server.serving.listen import Listener
from everything_server.serving.messages import (
    Batch,
    Unreadable,
    read_message,
    unreadable,
    write_batch,
    write_message,
)
from everything_server.serving.peer import Answer, Peer
from everything_server.serving.received import Observe, observe_line
from everything_server.serving.routing import check_envelope, era_of_request, requested_version, unsupported_version
from everything_server.serving.units import BATCHING_VERSION, LegacyPeer, legacy_unit, modern_unit
from everything_server.standard_streams import claim_standard_streams

logger = logging.getLogger(__name__)

NEXT_ANSWER: Final = 1.5
"""Seconds that the next answer may take once input has ended."""

ALL_ANSWERS: Final = 3.0
"""Seconds that all answers together may take once input has ended."""

TURN: Final = 32
"""Lines that are taken in a row before what they have started gets its turn."""

CLOSING: Final = 0.5
"""Seconds for the last messages of open subscriptions, and again for what is still to be written."""


async def serve_stdio(
    factory: Factory,
    *,
    legacy: Literal["serve", "reject"] = "serve",
    modern: Literal["serve", "ignore"] = "serve",
    malformed: Literal["answer", "drop"] = "answer",
    bus: SubscriptionBus | None = None,
    max_subscriptions: int = 1024,
    stop: anyio.Event | None = None,
    observe: Observe | None = None,
) -> None:
    """Serve the client on stdin and stdout until its input ends or `stop` is set.

    The first request decides the era: one with the modern envelope opens the modern era, anything else the legacy one;
    a notification decides nothing. `server/discover` is answered without deciding, so that a client may still fall
    back to `initialize`, and a refused opening decides nothing either (2026-07-28 basic/versioning, and
    basic/transports/stdio, Backward Compatibility).

    A client that does not read what it is sent is not read either, once `lines.BACKLOG` bytes wait for it, until it
    reads again; one that reads may have `peer.MAX_IN_FLIGHT` messages in flight, and gets -32603 for a further request.

    When input ends, requests that had arrived are answered first, as long as the next answer comes within
    `NEXT_ANSWER` seconds and all within `ALL_ANSWERS`. On `stop`, open subscriptions get their closing result.

    Args:
        factory: Makes the server for the era that the client opens; once more if it falls back after a probe.
        legacy: "reject" answers legacy requests with -32022 and keeps the connection open for modern ones.
        modern: "ignore" behaves as a server that has never heard of 2026-07-28.
        malformed: What a line gets that is no message: an error answer, or, as from the TypeScript SDK, none.
        bus: Takes changes to `subscriptions/listen` streams; by default within this connection.
        max_subscriptions: How many of those may be open.
        stop: Ends the serving in an orderly way when set.
        observe: Told of each message before it is served.

    Raises:
        OSError: A standard stream is closed.
    """
    with claim_standard_streams() as wire:
        await serve_lines(
            LineReader(wire.stdin),
            LineWriter(wire.stdout),
            factory,
            legacy=legacy,
            modern=modern,
            malformed=malformed,
            bus=bus,
            max_subscriptions=max_subscriptions,
            stop=stop,
            observe=observe,
        )


async def serve_lines(
    reader: LineSource,
    writer: LineSink,
    factory: Factory,
    *,
    legacy: Literal["serve", "reject"] = "serve",
    modern: Literal["serve", "ignore"] = "serve",
    malformed: Literal["answer", "drop"] = "answer",
    bus: SubscriptionBus | None = None,
    max_subscriptions: int = 1024,
    stop: anyio.Event | None = None,
    observe: Observe | None = None,
) -> None:
    """`serve_stdio` on descriptors that were claimed before, as by a process that loads plugins first."""
    served = {Era.LEGACY: legacy == "serve", Era.MODERN: modern == "serve"}
    eras = frozenset(era for era in Era if served[era])
    conversation = _Conversation(
        writer, factory, eras, malformed, bus or InMemorySubscriptionBus(), max_subscriptions, observe
    )

    async def stop_when(event: anyio.Event, scope: anyio.CancelScope) -> None:
        await event.wait()
        if event is stop:
            await conversation.end_streams()
        scope.cancel()

    async with anyio.create_task_group() as watchers:
        with anyio.CancelScope() as serving:
            for event in (writer.broken, stop):
                if event is not None:
                    watchers.start_soon(stop_when, event, serving)
            async with conversation:
                taken = 0
                while (line := await reader.receive()) is not None:
                    await conversation.take(line)
                    taken += 1
                    if taken % TURN == 0:
                        await anyio.lowlevel.checkpoint()
                    if not await _room(reader, writer):
                        break
                await conversation.answer_the_rest()
        watchers.cancel_scope.cancel()
    await writer.flush(CLOSING)


async def _room(reader: LineSource, writer: LineSink) -> bool:
    """Wait while the client does not read, so that what it causes stays bounded; False once it is hopeless.

    Everything else that it sends waits as well then, but nothing of it could be acted upon that it would notice.
    """
    while writer.is_full:
        with anyio.move_on_after(NEXT_ANSWER) as patience:
            await writer.room()
        if patience.cancelled_caught and reader.ended:
            return False
    return True


class _Conversation:
    """What was said so far: whether the era is decided, and the unit that serves it."""

    def __init__(
        self,
        writer: LineSink,
        factory: Factory,
        eras: Collection[Era],
        malformed: Literal["answer", "drop"],
        bus: SubscriptionBus,
        max_subscriptions: int,
        observe: Observe | None,
    ) -> None:
        self._writer = writer
        self._factory = factory
        self._eras = eras
        self._answer_malformed = malformed == "answer"
        self._bus = bus
        self._observe = observe
        self._listener = Listener(bus, max_subscriptions)
        self._unit = AsyncExitStack()
        self._peer: Peer | None = None
        self._decided = False

    async def __aenter__(self) -> "_Conversation":
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self._unit.aclose()

    async def end_streams(self) -> None:
        """End the open subscriptions with their results, before the rest is cancelled."""
        if self._peer is not None:
            self._listener.close()
            await self._peer.drain_streams(CLOSING)

    async def answer_the_rest(self) -> None:
        """Input has ended: wait for the answers to what had arrived. Open subscriptions then just end."""
        if self._peer is not None:
            self._peer.end_input()
            await self._peer.drain(NEXT_ANSWER, ALL_ANSWERS)
            self._peer.close()

    async def take(self, line: bytes | TooLong) -> None:
        """Take one line, in the order of arrival."""
        if isinstance(line, TooLong):
            await self._refuse(unreadable(PARSE_ERROR, "Parse error: the line is too long to be read"))
            return
        read = read_message(line)
        if self._observe is not None:
            observe_line(self._observe, read, self._era_of)
        match read:
            case Unreadable() as nothing:
                await self._refuse(nothing)
            case Batch() as batch:
                await self._take_batch(batch)
            case message:
                await self._take_message(message)

    def _era_of(self, message: JSONRPCMessage) -> Era | None:
        if self._decided:
            return Era.LEGACY if isinstance(self._peer, LegacyPeer) else Era.MODERN
        if isinstance(message, JSONRPCRequest):
            return era_of_request(message) if Era.MODERN in self._eras else Era.LEGACY
        return None

    async def _take_message(self, message: JSONRPCMessage) -> None:
        if not self._decided and isinstance(message, JSONRPCRequest):
            problem = await self._open(message)
            if problem is not None:
                await self._write(SessionMessage(JSONRPCError(jsonrpc="2.0", id=message.id, error=problem)))
                return
        if self._peer is not None:
            await self._peer.receive(message)

    async def _open(self, request: JSONRPCRequest) -> ErrorData | None:
        """Have the unit that serves this request, which may decide the era; or say why there is none."""
        era = era_of_request(request) if Era.MODERN in self._eras else Era.LEGACY
        if era not in self._eras:
            return unsupported_version(requested_version(request), self._eras)
        if era is Era.MODERN:
            route = check_envelope(request, self._eras)
            if not isinstance(route, InboundModernRoute):
                return route
        try:
            if era is Era.LEGACY:
                await self._close_probe()
                await self._open_legacy()
            elif self._peer is None:
                await self._open_modern()
        except Exception:
            logger.exception("the server factory raised")
            return ErrorData(code=INTERNAL_ERROR, message="Internal error: the server could not be made")
        self._decided = request.method != "server/discover" or era is Era.LEGACY
        return None

    async def _open_legacy(self) -> None:
        server = await make_server(self._factory, ServingContext(era=Era.LEGACY, publish=self._bus.publish))
        unit = legacy_unit(server, self._write, refuse_modern=Era.MODERN in self._eras)
        self._peer = await self._unit.enter_async_context(unit)

    async def _open_modern(self) -> None:
        server = await make_server(self._factory, ServingContext(era=Era.MODERN, publish=self._bus.publish))
        self._listener.install(server)
        self._peer = await self._unit.enter_async_context(modern_unit(server, self._write, self._eras))

    async def _close_probe(self) -> None:
        if self._peer is not None:
            await self._peer.drain(NEXT_ANSWER, ALL_ANSWERS)
            self._peer = None
            await self._unit.aclose()

    async def _take_batch(self, batch: Batch) -> None:
        peer = self._peer
        if not isinstance(peer, LegacyPeer) or peer.protocol_version != BATCHING_VERSION:
            problem = f"Invalid request: batches exist only in a session of revision {BATCHING_VERSION}"
            await self._refuse(unreadable(INVALID_REQUEST, problem))
            return
        answers: list[Answer] = []
        expected = sum(isinstance(element, JSONRPCRequest | Unreadable) for element in batch.elements)

        async def collect(answer: Answer) -> None:
            answers.append(answer)
            await finish()

        async def do_without() -> None:
            nonlocal expected
            expected -= 1  # cancelled
            await finish()

        async def finish() -> None:
            if answers and len(answers) == expected:
                await self._writer.send(write_batch(answers))

        metadata = ServerMessageMetadata(on_request_unanswered=do_without)

        for element in batch.elements:
            if isinstance(element, Unreadable):
                await collect(element.answer)
            elif isinstance(element, JSONRPCRequest) and element.method == "initialize":
                problem = "Invalid request: initialize must not be part of a batch"
                await collect(unreadable(INVALID_REQUEST, problem, element.id).answer)
            else:
                await peer.receive(element, metadata, reply=collect)

    async def _refuse(self, nothing: Unreadable) -> None:
        if self._answer_malformed:
            await self._write(SessionMessage(nothing.answer))
        else:
            logger.info("dropped a line that is no message: %s", nothing.error.message)

    async def _write(self, message: SessionMessage) -> None:
        await self._writer.send(write_message(message.message))
