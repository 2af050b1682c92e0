"""Runs an ASGI application in this process, as a server would, and is its client.

    async with running(app) as client:
        reply = await client.send(post(initialize()))
        assert reply.status == 200

No socket is between the two, so a test decides when the client stalls or goes away, and sees what that leaves behind.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, MutableMapping
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import anyio
import anyio.lowlevel
import uvicorn
from anyio.abc import TaskGroup
from everything_server.transports.listen import address_of, bind
from starlette.types import ASGIApp, Scope

from harness.raw_http import (
    CHUNK,
    GUARD,
    INITIALIZED,
    SESSION,
    Event,
    EventParser,
    Headers,
    HttpRequest,
    delete,
    get,
    initialize,
    post,
)
from harness.wire import LEGACY_VERSION, Message

HOST = "localhost:3001"

AsgiMessage = MutableMapping[str, Any]


class Changes:
    """Lets tasks wait for conditions; whoever changes something they are about says so."""

    def __init__(self) -> None:
        self._change = anyio.Event()

    def happened(self) -> None:
        """Have the conditions looked at again."""
        self._change.set()
        self._change = anyio.Event()

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until a condition holds."""
        while not condition():
            await self._change.wait()


class Reply:
    """What the application answers one request with, as it comes."""

    def __init__(self, sent: HttpRequest, *, unfinished: bool) -> None:
        self.gone = False
        """Whether the client has gone away."""
        self.returned = False
        """Whether the application is done with the request."""
        self.ended = False
        """Whether the body has come to its end."""
        self.bytes_taken = 0
        """How much of the body that was posted the application has read."""
        self._request = sent
        self._unfinished = unfinished
        self._stalled = False
        self._changes = Changes()
        self._to_send = deque(sent.body[at : at + CHUNK] for at in range(0, len(sent.body), CHUNK) or (0,))
        self._head: tuple[int, Headers] | None = None
        self._chunks: deque[bytes] = deque()
        self._parser = EventParser()
        self._events: deque[Event] = deque()

    @property
    def status(self) -> int:
        """The status, which must be there."""
        assert self._head is not None, "nothing was answered yet"
        return self._head[0]

    @property
    def headers(self) -> Headers:
        """The headers, which must be there."""
        assert self._head is not None, "nothing was answered yet"
        return self._head[1]

    @property
    def is_stream(self) -> bool:
        """Whether the body is an event stream."""
        return self.headers.media_type == "text/event-stream"

    async def head(self) -> "Reply":
        """Wait for the status and the headers."""
        await self._until(lambda: self._head is not None)
        return self

    async def event(self) -> Event | None:
        """The next event, but for those that only prime; None when the body has ended."""
        while (event := await self.any_event()) is not None and event.is_priming:
            pass
        return event

    async def any_event(self) -> Event | None:
        """The next event; None when the body has ended."""
        while not self._events:
            await self._until(lambda: self._chunks or self.ended)
            if not self._chunks:
                return None
            self._events.extend(self._parser.feed(self._take()))
        return self._events.popleft()

    async def message(self) -> Message:
        """The next message on an event stream; comments are skipped."""
        while (event := await self.event()) is not None:
            if event.comment is None:
                return event.message
        raise AssertionError("the stream ended without a further message")

    async def messages(self) -> list[Message]:
        """All messages up to the end of the answer, whether it is JSON or an event stream."""
        await self.head()
        if not self.is_stream:
            body = await self.body()
            return [json.loads(body)] if body else []
        messages: list[Message] = []
        while (event := await self.event()) is not None:
            if event.comment is None:
                messages.append(event.message)
        return messages

    async def answer(self) -> Message:
        """The last message of the answer."""
        return (await self.messages())[-1]

    async def result(self) -> Message:
        """The result in it, which must be one."""
        answer = await self.answer()
        assert "result" in answer, answer
        return answer["result"]

    async def text(self) -> str:
        """The text of a tool's result."""
        (content,) = (await self.result())["content"]
        return content["text"]

    async def error(self) -> Message:
        """The error in it, which must be one."""
        answer = await self.answer()
        assert "error" in answer, answer
        return answer["error"]

    async def body(self) -> bytes:
        """The body, up to its end."""
        await self._until(lambda: self.ended)
        return b"".join(self._take() for _ in range(len(self._chunks)))

    def waiting(self) -> list[Event]:
        """The events that have been written and not been looked at."""
        while self._chunks:
            self._events.extend(self._parser.feed(self._take()))
        return [event for event in self._events if not event.is_priming]

    def stall(self) -> None:
        """Read nothing more, so that the application has to wait with writing."""
        self._stalled = True

    def resume(self) -> None:
        """Read on."""
        self._stalled = False
        self._changes.happened()

    def leave(self) -> None:
        """Go away: what the application writes from now on reaches nobody."""
        self.gone = True
        self._changes.happened()

    async def done(self) -> None:
        """Wait until the application is done with the request."""
        await self._until(lambda: self.returned)

    async def run(self, app: ASGIApp, scope: Scope) -> None:
        """Have the request served."""
        try:
            await app(scope, self._receive, self._send)
        finally:
            self.returned = True
            self._changes.happened()
        assert self.ended or self.gone, "the application returned without completing the response"

    async def _receive(self) -> AsgiMessage:
        if self._to_send and not self.gone:
            piece = self._to_send.popleft()
            self.bytes_taken += len(piece)
            return {"type": "http.request", "body": piece, "more_body": bool(self._to_send) or self._unfinished}
        # As uvicorn does it: the end of the answer counts as the end of the connection.
        await self._changes.until(lambda: self.gone or self.ended)
        return {"type": "http.disconnect"}

    async def _send(self, message: AsgiMessage) -> None:
        await self._changes.until(lambda: not self._stalled or self.gone)
        if self.gone:
            return  # as uvicorn does it
        assert not self.ended, f"{message['type']} after the end of the answer"
        if message["type"] == "http.response.start":
            assert self._head is None
            lines = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in message["headers"]]
            self._head = message["status"], Headers(lines)
        else:
            assert self._head is not None
            self._chunks.append(message.get("body", b""))
            self.ended = not message.get("more_body", False)
        self._changes.happened()

    async def _until(self, condition: Callable[[], object]) -> None:
        with anyio.fail_after(GUARD):
            await self._changes.until(lambda: condition() or (self.returned and not self.ended))
        assert condition(), "the application returned without this"

    def _take(self) -> bytes:
        return self._chunks.popleft()


class Session:
    """A legacy session, as its client has it."""

    def __init__(self, client: "AsgiClient", session_id: str, result: Message) -> None:
        self.id = session_id
        self.result = result
        """That of `initialize`."""
        self._client = client

    async def post(self, body: Any) -> Reply:
        """Post a message in it."""
        return await self._client.send(post(body, self.id))

    def start(self, body: Any) -> Reply:
        """Post a message without waiting for anything."""
        return self._client.start(post(body, self.id))

    async def get(self, last_event: str | None = None) -> Reply:
        """Ask for its stream, or for the rest of one that broke."""
        return await self._client.send(get(self.id, last_event))

    async def delete(self) -> Reply:
        """End it."""
        return await self._client.send(delete(self.id))


class AsgiClient:
    """Sends requests to an application in this process."""

    def __init__(self, app: ASGIApp, tasks: TaskGroup) -> None:
        self.app = app
        self.replies: list[Reply] = []
        """All that were asked for."""
        self._tasks = tasks

    def start(self, sent: HttpRequest, *, unfinished: bool = False) -> Reply:
        """Send a request without waiting for anything.

        Args:
            sent: The request.
            unfinished: Whether its body does not come to its end.
        """
        path, _, query = sent.path.partition("?")
        lines = [(name.lower().encode(), value.encode("latin-1")) for name, value in sent.lines(HOST)]
        scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": sent.method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": lines,
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 3001),
        }
        reply = Reply(sent, unfinished=unfinished)
        self.replies.append(reply)
        self._tasks.start_soon(reply.run, self.app, scope)
        return reply

    async def send(self, sent: HttpRequest) -> Reply:
        """Send a request and wait for the head of the answer."""
        return await self.start(sent).head()

    async def open_session(
        self, version: str = LEGACY_VERSION, capabilities: Message | None = None, *, initialized: bool = True
    ) -> Session:
        """Shake hands."""
        opened = await self.send(post(initialize(version, capabilities)))
        assert opened.status == 200, await opened.body()
        session = Session(self, opened.headers[SESSION], await opened.result())
        assert session.result["protocolVersion"] == version
        if initialized:
            accepted = await session.post(INITIALIZED)
            assert (accepted.status, await accepted.body()) == (202, b"")
        return session


@asynccontextmanager
async def running(app: Any, *, lifespan: bool = True) -> AsyncGenerator[AsgiClient]:
    """A client of an application that runs until the block is left.

    Then everything ends as when a server shuts down. Nothing may be left of it: no request, no task, no session.

    Args:
        app: The application; if it has a `close`, that is called first when it ends.
        lifespan: Whether it is told of its start and its end; what is mounted in another application is not.
    """
    before = asyncio.all_tasks()
    try:
        with anyio.fail_after(3 * GUARD):
            async with anyio.create_task_group() as tasks, _lifespan(app) if lifespan else nullcontext():
                client = AsgiClient(app, tasks)
                yield client
                if hasattr(app, "close"):
                    await app.close()
                with anyio.fail_after(GUARD):
                    for reply in client.replies:
                        await reply.done()
    except BaseExceptionGroup as group:
        raise _only(group) from None
    assert asyncio.all_tasks() == before, "tasks are left"
    if getattr(app, "sessions", None) is not None:
        assert len(app.sessions) == 0, "sessions are left"


@asynccontextmanager
async def _lifespan(app: ASGIApp) -> AsyncGenerator[None]:
    """Tell an application of its start and its end."""
    to_app = deque(["lifespan.startup", "lifespan.shutdown"])
    from_app: list[str] = []
    changes = Changes()
    ending = False

    async def receive() -> AsgiMessage:
        await changes.until(lambda: to_app and (to_app[0] == "lifespan.startup" or ending))
        return {"type": to_app.popleft()}

    async def send(message: AsgiMessage) -> None:
        from_app.append(message["type"])
        changes.happened()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(app, {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, receive, send)
        await changes.until(lambda: from_app)
        assert from_app == ["lifespan.startup.complete"]
        try:
            yield
        except BaseException:
            tasks.cancel_scope.cancel()
            raise
        ending = True
        changes.happened()
        with anyio.fail_after(GUARD):
            await changes.until(lambda: len(from_app) == 2)
        assert from_app[1] == "lifespan.shutdown.complete"


class _Server(uvicorn.Server):
    """uvicorn's server, which leaves the signals of the test run alone."""

    def capture_signals(self) -> Any:
        return nullcontext()


@asynccontextmanager
async def listening(app: Any) -> AsyncGenerator[str]:
    """The URL of an application that uvicorn serves in this process and event loop, until the block is left.

    Clients have to be in other threads, or wait without blocking.
    """
    config = uvicorn.Config(app, log_config=None, access_log=False, ws="none", lifespan="on")
    server = _Server(config)
    socket = bind("127.0.0.1", 0)
    url = f"http://{address_of(socket)}/mcp"
    before = asyncio.all_tasks()
    try:
        with anyio.fail_after(3 * GUARD):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(server.serve, [socket])
                while not server.started:
                    await anyio.lowlevel.checkpoint()
                try:
                    yield url
                finally:
                    server.should_exit = True
                    await app.close()
    except BaseExceptionGroup as group:
        raise _only(group) from None
    assert asyncio.all_tasks() == before, "tasks are left"


def _only(failure: BaseException) -> BaseException:
    """What a test wants to show is an assertion, not the tasks around it."""
    while isinstance(failure, BaseExceptionGroup) and len(failure.exceptions) == 1:
        failure = failure.exceptions[0]
    return failure
