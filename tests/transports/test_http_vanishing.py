"""Clients that vanish, over real connections: they leave no task, session or timer behind, and harm nobody else."""

import logging
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from everything_server import Settings
from harness.asgi import listening
from harness.clock import FakeClock
from harness.raw_http import (
    Exchange,
    HttpRequest,
    OpenSession,
    call,
    initialize,
    listen,
    modern_call,
    open_session,
    open_sse,
    post,
    request,
)
from harness.serving import serving
from harness.stage import FORM, RESOURCE, Stage
from harness.wire import Message

ROUNDS = 20


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Run what waits on sockets beside the server, which is in this thread."""
    return await anyio.to_thread.run_sync(function, *arguments)


@contextmanager
def connected() -> Generator[Callable[[Exchange], Exchange]]:
    """Keeps connections until it is left; then they are cut."""
    with ExitStack() as stack:
        yield stack.enter_context


def said(exchanged: Exchange, method: str) -> Message:
    """The next message on a stream, which must be one of a method."""
    message = exchanged.message()
    assert message.get("method") == method, message
    return message


# ---------------------------------------------------------------- mid-anything


def in_a_session(url: str, keep: Callable[[Exchange], Exchange]) -> None:
    """Leave a session with a stream, a running call, a question and a subscription, without ending it."""
    session = open_session(url, capabilities=FORM)
    stream = keep(session.get())
    with session.post(request("resources/subscribe", {"uri": RESOURCE}, "s")) as subscribed:
        assert subscribed.answer()["result"] == {}
    with session.post(call("tick", {}, "t")) as ticking:
        assert "result" in ticking.answer()
    said(stream, "notifications/tools/list_changed")
    said(keep(session.post(call("hold", {"name": "legacy", "progress": 1}, 1, token="t"))), "notifications/progress")
    said(keep(session.post(call("ask", {}, 2))), "elicitation/create")


def modern(url: str, keep: Callable[[Exchange], Exchange]) -> None:
    """Leave a running call, one with progress, and a subscription."""
    said(keep(Exchange(url, listen(toolsListChanged=True))), "notifications/subscriptions/acknowledged")
    said(
        keep(Exchange(url, modern_call("hold", {"name": "modern", "progress": 1}, token="t"))), "notifications/progress"
    )
    keep(Exchange(url, modern_call("hold", {"name": "silent"})))


def in_the_middle(url: str, keep: Callable[[Exchange], Exchange]) -> None:
    """Leave while sending: a body, a chunked body, a head."""
    keep(Exchange(url, post(b"{").having({"Content-Length": "100"})))
    keep(Exchange(url, post(b"").having(chunked=True), whole=False)).send(b"5\r\n{")
    keep(Exchange(url, post(b""), whole=False)).send(b"POST /mcp HTTP/1.1\r\nHost:")


async def test_clients_that_vanish_in_the_middle_of_anything_leave_nothing(caplog: pytest.LogCaptureFixture) -> None:
    stage, clock, timer_clock = Stage(), FakeClock(), FakeClock()
    app = stage.http(Settings(clock=timer_clock), clock=clock, session_idle=100)
    async with listening(app) as url:

        def come_and_go() -> None:
            with connected() as keep:
                for leave in (in_a_session, modern, in_the_middle):
                    leave(url, keep)

        await in_thread(come_and_go)
        await stage.until(lambda: stage.held["modern"].is_over and stage.held["silent"].is_over)
        assert stage.held["modern"].was_cancelled
        assert stage.held["silent"].was_cancelled
        assert not stage.held["legacy"].is_over  # it can be resumed
        assert app.sessions is not None
        assert len(app.sessions) == 1
        assert await in_thread(echo, url) == "hi"
    # Leaving the block has checked that no task is left.
    assert timer_clock.sleepers == 0
    assert stage.counts["timers"] == 0
    assert errors(caplog) == []


def echo(url: str) -> str:
    with Exchange(url, modern_call("echo", {"message": "hi"})) as exchanged:
        return exchanged.answer()["result"]["content"][0]["text"]


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


async def test_a_stream_of_the_deprecated_transport_takes_all_with_it(caplog: pytest.LogCaptureFixture) -> None:
    stage, clock = Stage(), FakeClock()
    app = stage.sse(Settings(clock=clock))
    async with listening(app) as url:

        def come_and_go() -> None:
            with connected() as keep:
                stream, send = open_sse(url)
                keep(stream)
                for message in (
                    initialize(capabilities=FORM),
                    call("tick", {}, 1),
                    call("hold", {"name": "held", "progress": 1}, 2, token="t"),
                    call("ask", {}, 3),
                ):
                    with send(message) as accepted:
                        assert accepted.status == 202
                    stream.message()
                keep(Exchange(url, post(b"{", path="/message?sessionId=x").having({"Content-Length": "9"})))

        for _ in range(5):
            await in_thread(come_and_go)
        sessions = app._serving.sessions  # pyright: ignore[reportPrivateUsage]
        await stage.until(lambda: stage.held["held"].is_over)
        while sessions:
            await anyio.lowlevel.checkpoint()
        assert stage.held["held"].was_cancelled
        assert (stage.counts["timers"], clock.sleepers) == (0, 0)
    assert errors(caplog) == []


# ---------------------------------------------------------------- others


@pytest.mark.parametrize("transport", ["streamable-http", "sse"])
async def test_clients_that_connect_and_cut_do_not_harm_one_that_stays(
    transport: str, caplog: pytest.LogCaptureFixture
) -> None:
    stage, clock, timer_clock = Stage(), FakeClock(), FakeClock()
    settings = Settings(clock=timer_clock)
    if transport == "sse":
        app: Any = stage.sse(settings)
    else:
        app = stage.http(settings, clock=clock, session_idle=100)
    async with listening(app) as url, anyio.create_task_group() as tasks:
        stop, stopped = anyio.Event(), anyio.Event()
        echoed: list[str] = []

        async def stay() -> None:
            with ExitStack() as stack:
                talk = await in_thread(talker, url, transport, stack)
                while not stop.is_set():
                    echoed.append(await in_thread(talk, f"echo {len(echoed)}"))
            stopped.set()

        tasks.start_soon(stay)
        for _ in range(ROUNDS):
            await in_thread(connect_and_cut, url, transport)
            timer_clock.advance(1)  # those who are left say something to clients that are gone
        before = len(echoed)
        while len(echoed) < before + 5:
            await anyio.lowlevel.checkpoint()
        stop.set()
        await stopped.wait()
        if transport != "sse":
            await end_idle_sessions(clock, app)
        await stage.until(lambda: stage.counts["timers"] == 0)
        assert timer_clock.sleepers == 0
    assert stage.counts["ticks"] >= ROUNDS
    assert echoed == [f"echo {number}" for number in range(len(echoed))]
    assert errors(caplog) == []


def talker(url: str, transport: str, stack: ExitStack) -> Callable[[str], str]:
    """A client that behaves: gives what makes a call."""
    if transport == "sse":
        stream, send = open_sse(url)
        stack.enter_context(stream)
        send(initialize()).close()
        stream.message()

        def talk(text: str) -> str:
            send(call("echo", {"message": text})).close()
            return stream.message()["result"]["content"][0]["text"]

        return talk
    session = open_session(url)

    def post_and_read(text: str) -> str:
        with session.post(call("echo", {"message": text})) as exchanged:
            return exchanged.answer()["result"]["content"][0]["text"]

    return post_and_read


def connect_and_cut(url: str, transport: str) -> None:
    """A client that subscribes, has a timer started, and vanishes."""
    messages = (request("resources/subscribe", {"uri": RESOURCE}, 1), call("tick", {}, 2))
    with connected() as keep:
        if transport == "sse":
            stream, send = open_sse(url)
            keep(stream)
            for message in (initialize(), *messages):
                send(message).close()
                stream.message()
            return
        session: OpenSession = open_session(url)
        stream = keep(session.get())
        for message in messages:
            with session.post(message) as exchanged:
                assert "result" in exchanged.answer()
        said(stream, "notifications/tools/list_changed")


async def end_idle_sessions(clock: FakeClock, app: Any) -> None:
    """Let the idle limit pass."""
    clock.advance(101)
    while len(app.sessions):
        await anyio.lowlevel.checkpoint()


def test_a_process_survives_clients_that_connect_and_cut() -> None:
    sent: list[HttpRequest] = [
        post(initialize()),
        modern_call("trigger-long-running-operation", {"duration": 60, "steps": 60}, token="t"),
        listen(toolsListChanged=True, resourcesListChanged=True),
        post(b"{").having({"Content-Length": "1000"}),
        modern_call("echo", {"message": "x" * 1_000_000}),
    ]
    with serving("streamable-http") as server:
        for _ in range(ROUNDS):
            for each in sent:
                Exchange(server.url, each).close()
            session = open_session(server.url)
            session.get().close()
            session.post(call("trigger-long-running-operation", {"duration": 0, "steps": 1}, token="t")).close()
            assert echo(server.url) == "Echo: hi"
        assert server.log == ""
