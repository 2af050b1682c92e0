"""Starting a server that listens: options, ports, addresses, and what is said when. Each test is about a process."""

import re
import socket
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from harness import forking
from harness.raw_http import (
    SESSION,
    Exchange,
    HttpRequest,
    exchange,
    get,
    initialize,
    modern,
    modern_call,
    post,
    request,
)
from harness.serving import TRACEBACK, ServerProcess, serving
from harness.wire import COMMAND, GUARD, clean_environment

TRANSPORTS = ("streamable-http", "sse")
NOWHERE = "192.0.2.1"
"""An address of no machine (RFC 5737): what is asked for can be seen in the complaint, and nothing is opened."""


def complaint(*arguments: str, **env: str) -> tuple[int, str]:
    """The exit status and the stderr of a start that fails; nothing may be on stdout."""
    process = forking.run([COMMAND, *arguments], timeout=GUARD, env=clean_environment(**env))
    assert process.stdout == ""
    assert TRACEBACK not in process.stderr
    return process.returncode, process.stderr


def echoes(url: str, **headers: str) -> bool:
    """Whether a server serves a request."""
    with Exchange(url, modern_call("echo", {"message": "hi"}).having(headers)) as exchanged:
        return exchanged.status == 200 and "Echo: hi" in str(exchanged.answer())


# ---------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("transport", "port"),
    [("sse", "abc"), *(("streamable-http", port) for port in ("abc", "70000", "-1", ""))],
)
def test_a_bad_port_is_told_with_the_usage(transport: str, port: str) -> None:
    status, stderr = complaint(transport, "--port", port)
    assert status == 2
    assert stderr.startswith("Usage: ")
    assert "--port" in stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("http",),
        ("streamable-http", "--no-such-option"),
        ("streamable-http", "too", "much"),
        ("streamable-http", "--max-body", "0"),
        ("streamable-http", "--keep-alive", "-1"),
        ("streamable-http", "--legacy", "perhaps"),
        ("streamable-http", "--session-idle", "0"),
        ("streamable-http", "--path", "mcp"),
        ("sse", "--max-sessions", "0"),
        ("sse", "--session-idle", "5"),
        ("sse", "--path", "sse"),
        ("sse", "--message-path", ""),
        ("--era", "modern", "sse"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_is_told_with_the_usage(arguments: Sequence[str]) -> None:
    status, stderr = complaint(*arguments)
    assert status == 2
    usage = [line for line in stderr.splitlines() if "deprecated" not in line]
    assert usage[0].startswith("Usage: ")


@pytest.mark.parametrize("port", ["abc", "70000"])
def test_a_bad_port_in_the_environment_is_told_with_the_usage(port: str) -> None:
    status, stderr = complaint("streamable-http", PORT=port)
    assert status == 2
    assert stderr.startswith("Usage: ")
    assert "PORT" in stderr


@pytest.mark.parametrize(
    ("env_port", "arguments", "port"),
    [
        ("", ("streamable-http",), 3001),
        ("4321", ("streamable-http",), 4321),
        ("abc", ("streamable-http", "--port", "5432"), 5432),
        ("4321", ("sse",), 4321),
    ],
)
def test_the_port_is_that_of_the_option_or_the_environment_or_3001(
    env_port: str, arguments: Sequence[str], port: int
) -> None:
    status, stderr = complaint("--plugins", "echo", *arguments, "--host", NOWHERE, PORT=env_port)
    assert status == 1
    *_, line = stderr.splitlines()
    assert line.startswith(f"Error: cannot listen on {NOWHERE} port {port}: ")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_port_in_use_is_told_in_one_line(transport: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status, stderr = complaint(transport, "--port", str(port))
    assert status == 1
    lines = [line for line in stderr.splitlines() if "deprecated" not in line]
    assert len(lines) == 1
    assert f"127.0.0.1 port {port}" in lines[0]


@pytest.mark.parametrize(
    ("transport", "host"),
    [("sse", "0.0.0.0"), *(("streamable-http", host) for host in ("0.0.0.0", "::", "0"))],
)
def test_a_bind_to_every_address_needs_the_hosts_to_answer_to(transport: str, host: str) -> None:
    status, stderr = complaint(transport, "--host", host, "--port", "0")
    assert status == 2
    assert "--allowed-host" in stderr


# ---------------------------------------------------------------- addresses


@pytest.mark.parametrize(("transport", "path"), [("streamableHttp", "/mcp"), ("sse", "/sse")])
def test_it_listens_on_loopback_and_says_where_once_it_does(transport: str, path: str) -> None:
    with starting(transport, "--port", "0") as server:
        server.wait_until_ready()
        with Exchange(server.url, get().having(path=path)) as answered:
            assert answered.status < 500
        assert re.fullmatch(rf"http://127\.0\.0\.1:[1-9]\d*{path}", server.url)
        assert server.stderr.count("listening on") == 1
        warned = "deprecated" in server.stderr.partition("listening on")[0]
        assert warned is (transport == "sse")
        server.stop()


@pytest.mark.parametrize("host", ["127.0.0.2", "localhost", "::1"])
def test_it_is_reachable_by_the_address_that_it_was_given(host: str) -> None:
    if host == "::1" and not has_ipv6():
        pytest.skip("this machine has no IPv6")
    with serving("streamable-http", "--host", host) as server:
        assert echoes(server.url)
        assert not echoes(server.url, Host="127.0.0.3")
        assert echoes(server.url, Host="localhost")


@pytest.mark.parametrize("hosts", ["gw.example proxy.example:8443", "gw.example,proxy.example:8443"])
def test_with_hosts_and_origins_to_answer_to_it_listens_on_every_address(hosts: str) -> None:
    env = clean_environment(EVERYTHING_SERVER_HOST="0.0.0.0", EVERYTHING_SERVER_ALLOWED_HOSTS=hosts)
    with serving("streamable-http", "--allowed-origin", "https://ui.example", env=env) as server:
        url = server.url.replace("0.0.0.0", "127.0.0.1")
        for headers, served in (
            ({"Host": "gw.example"}, True),
            ({"Host": "gw.example:8443"}, True),
            ({"Host": "proxy.example:8443"}, True),
            ({"Host": "localhost"}, True),
            ({"Host": "proxy.example"}, False),
            ({"Host": "evil.example"}, False),
            ({"Origin": "https://ui.example"}, True),
            ({"Origin": "http://localhost:6274"}, True),
            ({"Origin": "https://evil.example"}, False),
        ):
            assert echoes(url, **headers) is served, headers


@pytest.mark.parametrize("transport", ["streamable-http", "sse"])
def test_the_usual_variable_for_an_origin_is_heeded_too(transport: Literal["streamable-http", "sse"]) -> None:
    page = HttpRequest(method="GET", path="/")
    with serving(transport, env=clean_environment(CORS_ORIGIN="https://ui.example")) as server:
        for origin, status in (("https://ui.example", 200), ("https://evil.example", 403)):
            with exchange(server.url, page.having({"Origin": origin})) as answered:
                assert answered.status == status
                assert answered.headers.all("access-control-allow-origin") == ([origin] if status == 200 else [])


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


# ---------------------------------------------------------------- limits


def test_limits_are_options() -> None:
    limits = ("--max-sessions", "1", "--session-idle", "0.5", "--max-body", "2000", "--keep-alive", "0.05")
    with serving("streamable-http", *limits, "--path", "/here") as server:

        def at(sent: HttpRequest) -> Exchange:
            return Exchange(server.url, sent.having(path="/here"))

        with at(post(initialize())) as opened:
            session_id = opened.headers[SESSION]
        with at(get(session_id)) as stream:
            event = stream.event()
            assert event is not None
            assert event.comment is not None
            with at(post(initialize())) as refused:
                assert refused.status == 503
        with at(post(b"x" * 2001)) as refused:
            assert refused.status == 413
        while True:  # until the session has been idle for too long, which makes room for another one
            with at(post(initialize())) as tried:
                if tried.status == 200:
                    break
                assert tried.status == 503
        with at(post(request("ping"), session_id)) as gone:
            assert gone.status == 404


def test_a_body_that_is_announced_as_too_large_is_refused_before_it_comes() -> None:
    with serving("streamable-http") as server:
        sent = modern("tools/list").having({"Content-Length": str(1 << 40)})
        with Exchange(server.url, sent, whole=False) as refused:
            assert refused.status == 413
            assert refused.body()
        with Exchange(server.url, modern("tools/list").having(chunked=True), whole=False) as refused:
            chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
            for _ in range(5):  # and no end
                refused.send(chunk)
            assert refused.status == 413
        assert echoes(server.url)


def test_the_fast_event_loop_and_parser_are_used() -> None:
    pytest.importorskip("uvloop")
    pytest.importorskip("httptools")
    with serving("streamable-http") as server:
        maps = Path(f"/proc/{server.process.pid}/maps")
        if not maps.is_file():
            pytest.skip("what is loaded can be seen on Linux only")
        assert echoes(server.url)
        loaded = maps.read_text()
        assert "uvloop" in loaded
        assert "httptools" in loaded


def test_paths_of_the_deprecated_transport_are_options() -> None:
    options = ("--path", "/events", "--message-path", "/in", "--max-sessions", "1")
    sent = get().having(path="/events")
    with serving("sse", *options) as server, exchange(server.url, sent) as stream:
        event = stream.event()
        assert event is not None
        assert event.data is not None
        assert event.data.startswith("/in?sessionId=")
        with Exchange(server.url, sent) as refused:
            assert refused.status == 503


@pytest.mark.parametrize(
    ("options", "legacy_is_served", "modern_is_served"),
    [
        (("--era", "legacy", "streamable-http"), True, False),
        (("streamable-http", "--legacy", "stateless"), True, True),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_eras_and_sessions_are_options(options: Sequence[str], legacy_is_served: bool, modern_is_served: bool) -> None:
    with starting(*options, "--port", "0") as server:
        server.wait_until_ready()
        with Exchange(server.url, post(initialize())) as opened:
            assert (opened.status == 200) is legacy_is_served
            assert (SESSION in opened.headers) is (legacy_is_served and "stateless" not in options)
        assert echoes(server.url) is modern_is_served
        server.stop()


@contextmanager
def starting(*arguments: str) -> Generator[ServerProcess]:
    """A server in a process, which need not come to listen."""
    server = ServerProcess([COMMAND, *arguments])
    try:
        yield server
    finally:
        server.kill()
