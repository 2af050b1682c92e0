"""Stopping a server that listens, whatever is open: in order, soon, with status 0 and a port that is free at once."""

import signal
import urllib.parse
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from harness.raw_http import (
    SUBSCRIPTION_ID,
    Exchange,
    HttpRequest,
    OpenSession,
    call,
    get,
    initialize,
    listen,
    modern_call,
    open_session,
    open_sse,
    post,
    request,
)
from harness.serving import TRACEBACK, ServerProcess
from harness.stage import FORM
from harness.together import together
from harness.wire import COMMAND, Message
from wire.servers import installed

SIGNALS = (signal.SIGTERM, signal.SIGINT)
LONG = {"duration": 600, "steps": 600}
LARGE = {"message": "x" * 4_000_000}
"""More than a connection takes whose client does not read."""
LONG_CALL = "trigger-long-running-operation"

Check = Callable[[], None]
Open = Callable[["Clients"], Check]


class Clients:
    """Connections to a server, which are closed with the test."""

    def __init__(self, server: ServerProcess, stack: ExitStack) -> None:
        self.server = server
        self._stack = stack

    def keep(self, connection: Exchange) -> Exchange:
        """Close it with the test."""
        return self._stack.enter_context(connection)

    def send(self, sent: HttpRequest, *, reads_little: bool = False) -> Exchange:
        """Send a request without waiting for anything."""
        return self.keep(Exchange(self.server.url, sent, reads_little=reads_little))

    def session(self, capabilities: Message | None = None) -> OpenSession:
        """Open a session."""
        return open_session(self.server.url, capabilities=capabilities)

    def sse(self, *messages: Message, last: Message | None = None) -> Exchange:
        """Open a stream of HTTP+SSE, and post messages, each of which but the last is followed by one on the stream."""
        stream, post_message = open_sse(self.server.url, reads_little=last is not None)
        self.keep(stream)
        for message in (*messages, last):
            if message is not None:
                with post_message(message) as accepted:
                    assert accepted.status == 202
            if message is not last:
                stream.message()
        return stream


@pytest.fixture
def start() -> Generator[Callable[..., Clients]]:
    """Starts a server, with tools that take long and worse ones, and gives what connects to it."""
    with ExitStack() as stack:

        def started(transport: str, port: int = 0) -> Clients:
            command = [COMMAND, "--plugins", "tools,fake.*", transport, "--port", str(port)]
            server = ServerProcess(command, installed("days"))
            stack.callback(server.kill)
            server.wait_until_ready()
            return Clients(server, stack)

        yield started


# ---------------------------------------------------------------- what may be open


def subscription(clients: Clients) -> Check:
    stream = clients.send(listen("L", toolsListChanged=True))
    assert stream.message()["method"] == "notifications/subscriptions/acknowledged"

    def check() -> None:
        (answer,) = stream.messages()
        assert answer["id"] == "L"
        assert answer["result"]["resultType"] == "complete"
        assert answer["result"]["_meta"][SUBSCRIPTION_ID] == "L"

    return check


def stream_of_a_session(clients: Clients) -> Check:
    stream = clients.keep(clients.session().get())
    return lambda: no_answer(stream)


def call_in_a_session(clients: Clients) -> Check:
    running = clients.keep(clients.session().post(call(LONG_CALL, LONG, token="t")))
    assert running.message()["method"] == "notifications/progress"
    return lambda: no_answer(running)


def modern_call_without_an_answer_yet(clients: Clients) -> Check:
    running = clients.send(modern_call(LONG_CALL, LONG))
    with clients.send(get().having(path="/nowhere")) as other:
        assert other.status == 404  # by now the call has arrived

    def check() -> None:
        assert running.status >= 500
        assert "error" in running.answer()

    return check


def modern_call_with_progress(clients: Clients) -> Check:
    running = clients.send(modern_call(LONG_CALL, LONG, token="t"))
    assert running.message()["method"] == "notifications/progress"
    return lambda: no_answer(running)


def question(clients: Clients) -> Check:
    asked = clients.keep(clients.session(FORM).post(call("fake-question")))
    assert asked.message()["method"] == "elicitation/create"
    return lambda: no_answer(asked)


def timer(clients: Clients) -> Check:
    with clients.session().post(call("fake-timer")) as started:
        assert "result" in started.answer()
    clients.server.wait_for_log("tick")
    return nothing


def half_a_body(clients: Clients) -> Check:
    clients.send(post(b"{").having({"Content-Length": "100"}))
    return nothing


def half_a_head(clients: Clients) -> Check:
    clients.keep(Exchange(clients.server.url, post(b""), whole=False)).send(b"POST /mcp HTTP/1.1\r\nHost: local")
    return nothing


def an_answer_that_is_not_read(clients: Clients) -> Check:
    for sent in (modern_call("echo", LARGE), post(call("echo", LARGE), clients.session().id)):
        assert clients.send(sent, reads_little=True).status == 200
    return nothing


def sse_stream(clients: Clients) -> Check:
    stream = clients.sse()
    return lambda: no_answer(stream)


def sse_call(clients: Clients) -> Check:
    stream = clients.sse(initialize(), call(LONG_CALL, LONG, token="t"))
    return lambda: no_answer(stream)


def sse_question(clients: Clients) -> Check:
    stream = clients.sse(initialize(capabilities=FORM), call("fake-question"))
    return lambda: no_answer(stream)


def sse_answer_that_is_not_read(clients: Clients) -> Check:
    clients.sse(initialize(), last=call("echo", LARGE))
    return nothing


def sse_half_a_message(clients: Clients) -> Check:
    clients.send(post(b"{", path="/message?sessionId=x").having({"Content-Length": "100"}))
    return nothing


def nothing() -> None:
    """There is nothing to be seen of its end."""


def no_answer(stream: Exchange) -> None:
    """The stream ends as it should, with no answer on it."""
    assert [message for message in stream.messages() if "id" in message and "method" not in message] == []


ALONE: dict[str, Sequence[Open]] = {
    "streamable-http": (
        subscription,
        stream_of_a_session,
        call_in_a_session,
        modern_call_without_an_answer_yet,
        question,
        an_answer_that_is_not_read,
    ),
    "sse": (sse_stream, sse_call, sse_answer_that_is_not_read),
}
"""What is opened as the only thing as well."""

TOGETHER: dict[str, Sequence[Open]] = {
    "streamable-http": (
        *ALONE["streamable-http"],
        modern_call_with_progress,
        timer,
        half_a_body,
        half_a_head,
    ),
    "sse": (*ALONE["sse"], sse_question, sse_half_a_message),
}


# ---------------------------------------------------------------- the end


def complaints(server: ServerProcess) -> list[str]:
    """What is on stderr beside what the tools say themselves."""
    return [line for line in server.log.splitlines() if line != "tick"]


@pytest.mark.parametrize("transport", ALONE)
def test_it_ends_in_order_with_something_open(start: Callable[..., Clients], transport: str) -> None:
    together({opened.__name__: partial(ends_with_it_open, start, transport, opened) for opened in ALONE[transport]})


def ends_with_it_open(start: Callable[..., Clients], transport: str, opened: Open) -> None:
    clients = start(transport)
    check = opened(clients)
    clients.server.stop(signal.SIGTERM)
    check()
    assert complaints(clients.server) == []


def test_it_ends_in_order_with_all_of_it_open_and_its_port_is_free_at_once(start: Callable[..., Clients]) -> None:
    together(
        {
            f"{transport}, {number.name}": partial(ends_with_all_open, start, transport, number)
            for transport in TOGETHER
            for number in SIGNALS
        }
    )


def ends_with_all_open(start: Callable[..., Clients], transport: str, number: signal.Signals) -> None:
    clients = start(transport)
    checks = [opened(clients) for opened in TOGETHER[transport]]
    session = clients.session() if transport == "streamable-http" else None
    clients.server.stop(number)
    again = start(transport, urllib.parse.urlsplit(clients.server.url).port)
    assert again.server.url == clients.server.url
    for check in checks:
        check()
    if session is not None:  # of the server that has ended
        with again.send(post(request("ping"), session.id)) as refused:
            assert refused.status == 404
            assert "error" in refused.answer()
    assert complaints(clients.server) == []
    again.server.stop(number)
    assert again.server.log == ""


def test_cleanups_are_run(start: Callable[..., Clients], tmp_path: Path) -> None:
    clients = start("streamable-http")
    with clients.session().post(call("fake-cleanup", {"path": str(tmp_path / "cleaned-up")})) as registered:
        assert "result" in registered.answer()
    clients.server.stop()
    assert (tmp_path / "cleaned-up").exists()


def test_a_tool_that_cannot_be_stopped_does_not_keep_the_process(start: Callable[..., Clients]) -> None:
    cases = [("legacy", "fake-stubborn"), ("modern", "fake-block"), ("sse", "fake-stubborn")]
    together({f"{era}, {tool}": partial(ends_although_a_tool_goes_on, start, era, tool) for era, tool in cases})


def ends_although_a_tool_goes_on(start: Callable[..., Clients], era: str, tool: str) -> None:
    clients = start("sse" if era == "sse" else "streamable-http")
    begin(clients, era, tool)
    clients.server.send_signal(signal.SIGTERM)
    assert clients.server.exit_status() == 0
    assert TRACEBACK not in clients.server.stderr


@pytest.mark.parametrize("first", SIGNALS, ids=lambda number: number.name)
def test_a_second_signal_forces_the_end(start: Callable[..., Clients], first: signal.Signals) -> None:
    clients = start("streamable-http")
    begin(clients, "legacy", "fake-stubborn")
    check = subscription(clients)
    clients.server.send_signal(first)
    check()  # the first signal has arrived
    clients.server.send_signal(signal.SIGTERM)
    assert clients.server.exit_status() == 128 + signal.SIGTERM
    assert TRACEBACK not in clients.server.stderr


def begin(clients: Clients, era: str, tool: str) -> None:
    """Call a tool that says on stderr that it was called."""
    if era == "modern":
        clients.send(modern_call(tool))
    elif era == "legacy":
        clients.keep(clients.session().post(call(tool)))
    else:
        stream, post_message = open_sse(clients.server.url)
        clients.keep(stream)
        for message in (initialize(), call(tool)):
            post_message(message).close()
    clients.server.wait_for_log("stubborn" if tool == "fake-stubborn" else "blocking")


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_before_it_listens_ends_it_quietly(number: signal.Signals) -> None:
    server = ServerProcess([COMMAND, "streamable-http", "--port", "0"], installed("endless"), fresh=True)
    try:
        server.wait_for_log("importing")  # a plugin, which takes for ever
        server.send_signal(number)
        assert server.exit_status() == 0
        assert (server.stdout, server.stderr) == ("", "importing\n")
    finally:
        server.kill()
