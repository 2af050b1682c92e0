"""How a real process ends: with its input or on a signal, whatever is going on, cleaned up and with status 0."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from everything_server import Era
from harness.together import together
from harness.wire import COMMAND, END_GUARD, SILENCE, Stdio, WireTimeout, answers_to, clean_environment
from wire.servers import installed, open_server, start_server

LONG = "trigger-long-running-operation"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
LISTEN_ID = "L"


# What may be going on


def nothing(server: Stdio) -> None:
    """The client is silent."""


def a_timer(server: Stdio) -> None:
    """Work that belongs to the connection runs on and on."""
    server.call("fake-timer")
    server.wait_for_log("tick")


def a_question(server: Stdio) -> None:
    """The client has been asked and does not answer."""
    server.send_call("fake-question")
    server.server_request("elicitation/create")


def a_call(server: Stdio) -> None:
    """A call is running."""
    server.send_call(LONG, {"duration": 30, "steps": 600}, progressToken="call")
    server.notification("notifications/progress")


def a_subscription(server: Stdio) -> None:
    """A subscription is open."""
    server.send("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, LISTEN_ID)
    server.notification("notifications/subscriptions/acknowledged")


Situation = Callable[[Stdio], None]

SITUATIONS: list[tuple[Era, Situation]] = [
    (Era.LEGACY, nothing),
    (Era.LEGACY, a_timer),
    (Era.LEGACY, a_question),
    (Era.LEGACY, a_call),
    (Era.MODERN, a_call),
    (Era.MODERN, a_subscription),
]


# How it may end


def end_of_input(server: Stdio) -> None:
    server.end_input()


def interrupt(server: Stdio) -> None:
    server.process.send_signal(signal.SIGINT)


def terminate(server: Stdio) -> None:
    server.process.send_signal(signal.SIGTERM)


def hang_up(server: Stdio) -> None:
    server.process.send_signal(signal.SIGHUP)


@pytest.fixture
def hangup_counts() -> Generator[None]:
    """Processes started meanwhile do not inherit that it is ignored, as everything under `nohup` does."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@contextmanager
def prepared(tmp_path: Path, era: Era, **options: Any) -> Generator[tuple[Stdio, Path]]:
    """A server with the fake tools, and the file that its cleanup will write."""
    cleaned = tmp_path / "cleaned"
    answers = {"elicitation/create": SILENCE}
    options = {"capabilities": {"elicitation": {}}, "answers": answers, "env": installed("days"), **options}
    with open_server(era=era, **options) as server:
        server.call("fake-cleanup", {"path": str(cleaned)})
        yield server, cleaned


def assert_ended_well(server: Stdio, cleaned: Path) -> None:
    assert server.exit_status() == 0
    assert cleaned.read_text() == "cleaned up"
    assert server.junk == []
    assert "Traceback" not in server.stderr


ENDS = [
    *((era, situation, end) for era, situation in SITUATIONS for end in (end_of_input, terminate)),
    (Era.LEGACY, nothing, interrupt),  # the rest is the same as for the other signal
    (Era.LEGACY, nothing, hang_up),
]


@pytest.mark.parametrize(
    ("era", "situation", "end"),
    ENDS,
    ids=[f"{situation.__name__}-{era}-{end.__name__}" for era, situation, end in ENDS],
)
@pytest.mark.usefixtures("hangup_counts")
def test_the_process_ends_cleaned_up_and_with_status_0(
    tmp_path: Path, era: Era, situation: Situation, end: Callable[[Stdio], None]
) -> None:
    with prepared(tmp_path, era) as (server, cleaned):
        situation(server)
        end(server)
        assert_ended_well(server, cleaned)
    closed = answers_to(LISTEN_ID, server.inbox)
    if situation is a_subscription and end is not end_of_input:
        # 2026-07-28 basic/patterns/subscriptions, Graceful Closure: the last message is the stream's result.
        assert [answer["result"]["resultType"] for answer in closed] == ["complete"]
        assert server.inbox[-1] is closed[-1]
    else:
        assert closed == []


def test_a_process_whose_client_was_never_there_ends_at_once() -> None:
    done = subprocess.run(
        [COMMAND, "stdio"], stdin=subprocess.DEVNULL, capture_output=True, env=clean_environment(), timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_process_whose_parent_is_killed_is_gone(tmp_path: Path) -> None:
    # The parent holds the only end of the server's pipes; what is left of them all is the server's own stderr.
    parent = (
        "import subprocess, sys\n"
        "server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        f"server.stdin.write({PING!r})\n"
        "server.stdin.flush()\n"
        "server.stdout.readline()\n"
        "print('served', flush=True)\n"
        "server.wait()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent, COMMAND, "stdio"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"served\n"
        process.kill()
        _, stderr = process.communicate(timeout=END_GUARD)  # until nobody holds stderr any more
    assert stderr == b""


# What had arrived is answered


@pytest.mark.parametrize("era", Era, ids=str)
def test_requests_that_were_complete_before_the_end_of_input_are_answered_first(era: Era) -> None:
    with open_server(era=era) as server:
        lines = [
            json.dumps(server.build("tools/call", {"name": "echo", "arguments": {"message": str(number)}}, number))
            for number in range(1000, 1100)
        ]
        server.send_bytes("\n".join(lines).encode() + b"\n")
        assert server.end() == 0
    answered = {message["id"] for message in server.inbox if "result" in message}
    assert set(range(1000, 1100)) <= answered


def test_a_handshake_and_a_call_that_are_all_the_input_are_answered() -> None:
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"message": "x"}}},
    ]
    text = "\n".join(map(json.dumps, messages))
    done = subprocess.run(
        [COMMAND], input=text.encode(), capture_output=True, env=clean_environment(), timeout=60, check=True
    )
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]


INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}}


@pytest.mark.parametrize("era", Era, ids=str)
def test_a_short_call_may_finish_after_the_end_of_input(era: Era) -> None:
    with open_server(era=era) as server:
        request_id = server.send_call(LONG, {"duration": 1, "steps": 4}, progressToken="t")
        assert server.end() == 0
    assert "result" in server.answer(request_id)
    assert sum(message.get("method") == "notifications/progress" for message in server.inbox) == 4


def test_a_file_is_an_input_as_good_as_a_pipe(tmp_path: Path) -> None:
    requests = tmp_path / "requests.jsonl"
    requests.write_bytes(PING.strip())
    with requests.open("rb") as file:
        done = subprocess.run([COMMAND], stdin=file, capture_output=True, env=clean_environment(), timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


# What does not want to end


def test_a_tool_that_cannot_be_stopped_does_not_keep_the_process() -> None:
    together(
        {
            f"{end.__name__}, {sign}": partial(ends_although_a_tool_goes_on, tool, sign, end)
            for tool, sign in (("fake-block", "blocking"), ("fake-stubborn", "stubborn"))
            for end in (end_of_input, terminate)
        }
    )


def ends_although_a_tool_goes_on(tool: str, sign: str, end: Callable[[Stdio], None]) -> None:
    with open_server(env=installed("days")) as server:
        server.send_call(tool)
        server.wait_for_log(sign)
        end(server)
        try:
            assert server.exit_status() == 0
        except WireTimeout:
            server.kill()
            raise
    assert "could not be stopped" in server.stderr


def test_a_cleanup_that_never_ends_is_given_up_with_a_warning() -> None:
    with open_server(env=installed("days")) as server:
        server.call("fake-slow-cleanup")
        assert server.end() == 0
    assert "cleaning up" in server.stderr
    assert "given up" in server.stderr


def test_a_second_signal_ends_the_process_by_force() -> None:
    with open_server("-v", env=installed("days")) as server:
        server.send_call("fake-stubborn")
        server.wait_for_log("stubborn")
        server.process.send_signal(signal.SIGTERM)
        server.wait_for_log("stopping")
        server.process.send_signal(signal.SIGINT)
        try:
            assert server.exit_status() == 128 + signal.SIGINT
        except WireTimeout:
            server.kill()
            raise
    assert "Traceback" not in server.stderr


# The start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
@pytest.mark.usefixtures("hangup_counts")
def test_a_signal_while_plugins_are_imported_ends_the_process_quietly(number: signal.Signals) -> None:
    with start_server(env=installed("endless"), fresh=True) as server:
        server.wait_for_log("importing")
        server.process.send_signal(number)
        assert server.exit_status() == 0
    assert server.raw == []
    assert server.stderr == "importing\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_right_behind_the_start_ends_the_process(number: signal.Signals) -> None:
    with start_server(fresh=True) as server:
        server.process.send_signal(number)
        # Before Python has run a line of ours, the signal does what it does by default.
        assert server.exit_status() in (0, 1, -number)
    assert server.raw == []


def test_an_interruption_while_the_command_line_itself_is_imported_ends_the_process_quietly(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text(
        "import sys, time\nprint('importing', file=sys.stderr, flush=True)\ntime.sleep(60)\n"
    )
    with start_server(env=clean_environment(PYTHONPATH=str(tmp_path)), fresh=True) as server:
        server.wait_for_log("importing")
        server.process.send_signal(signal.SIGINT)
        assert server.exit_status() == 0
    assert server.stderr == "importing\n"


@pytest.mark.usefixtures("hangup_counts")
def test_a_hangup_that_is_ignored_at_the_start_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with open_server(fresh=True) as server:
        server.process.send_signal(signal.SIGHUP)
        server.settle()
        assert server.end() == 0


def test_the_end_of_input_while_plugins_are_imported_is_not_missed() -> None:
    with start_server(fresh=True) as server:
        server.send_bytes(PING)
        assert server.end() == 0
    assert [message["id"] for message in server.inbox] == [1]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-"], ids=["stdin", "stdout", "both"])
def test_a_closed_standard_stream_is_told_and_ends_the_process(closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" stdio {closed}', COMMAND],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=clean_environment(),
        timeout=60,
    )
    assert done.returncode not in (0, -signal.SIGABRT)
    assert done.stdout == b""
    (line,) = done.stderr.decode().splitlines()
    assert "stdin and stdout must be open" in line


@pytest.mark.parametrize("arguments", ["stdio <&-", "--no-such-option", "--plugins no-such stdio"])
def test_without_a_stderr_an_error_is_told_nobody_and_spoils_no_stdout(arguments: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" {arguments} 2>&-', COMMAND],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=clean_environment(),
        timeout=60,
    )
    assert (done.returncode in (1, 2), done.stdout) == (True, b"")


def test_a_closed_stderr_is_no_reason_not_to_serve() -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" -vv stdio 2>&-', COMMAND],
        input=PING,
        capture_output=True,
        env=installed("noisy"),
        timeout=60,
    )
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


# The client's end of the pipes


def test_a_client_that_never_reads_and_then_closes_its_output_does_not_keep_the_process() -> None:
    with unread() as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(END_GUARD) == 0


def test_a_client_that_never_reads_does_not_keep_a_process_that_was_told_to_end() -> None:
    with unread() as process:
        process.terminate()
        assert process.wait(END_GUARD) == 0


@contextmanager
def unread() -> Generator[subprocess.Popen[bytes]]:
    """A process that cannot write all it has to, because nobody reads."""
    big = {"jsonrpc": "2.0", "id": 1, "method": "ping" + "x" * 500_000}
    with subprocess.Popen([COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=clean_environment()) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for request_id in range(4):
            process.stdin.write(json.dumps({**big, "id": request_id}).encode() + b"\n")
        process.stdin.flush()
        try:
            process.stdout.read(1)  # it is writing
            yield process
        finally:
            process.kill()


def test_a_client_that_closes_its_input_ends_the_process() -> None:
    with subprocess.Popen(
        [COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment()
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(PING)
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.write(PING)
            process.stdin.flush()
        assert process.wait(END_GUARD) == 0
        assert process.stderr.read() == b""


# Children


def test_a_child_that_lives_on_does_not_hold_the_clients_pipe_open() -> None:
    with open_server(env=installed("days")) as server:
        child = int(server.call("fake-child")["content"][0]["text"])
        try:
            server.end_input()
            assert server.process.wait(END_GUARD) == 0
            # The child has stderr, but of stdout there is no copy outside the process.
            server.wait(lambda _: True if server.output_ended() else None, "the end of stdout", timeout=END_GUARD)
        finally:
            os.kill(child, signal.SIGKILL)
    assert server.junk == []


def test_a_session_leader_with_a_child_ends_both_on_a_signal() -> None:
    with open_server(env=installed("days"), start_new_session=True) as server:
        assert os.getsid(server.process.pid) == server.process.pid
        child = int(server.call("fake-tended-child")["content"][0]["text"])
        server.process.terminate()
        assert server.exit_status() == 0  # which waits for all who hold stderr, so for the child as well
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


# Terminals


TAKE_CONTROL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
"""Makes stdin the terminal that controls the session, then becomes the command."""


class Terminal:
    """A server whose stdin is a terminal that controls it, as when someone types at it."""

    def __init__(self) -> None:
        self.keyboard, screen = os.openpty()
        self.server = Stdio(
            [sys.executable, "-c", TAKE_CONTROL, COMMAND, "stdio"], Era.LEGACY, stdin=screen, start_new_session=True
        )
        os.close(screen)
        self.server.wait_for_log("Ctrl+D ends")

    def type(self, keys: bytes) -> None:
        os.write(self.keyboard, keys)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    drain = threading.Thread(target=read_all, args=(terminal.keyboard,), daemon=True)
    drain.start()  # what is typed is echoed, and somebody has to take it
    yield terminal
    terminal.server.kill()
    drain.join(END_GUARD)
    os.close(terminal.keyboard)


def read_all(descriptor: int) -> None:
    with suppress(OSError):
        while os.read(descriptor, 1 << 16):
            pass


CONTROL_C = b"\x03"
CONTROL_D = b"\x04"
START_CALL = (
    b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"' + LONG.encode() + b'",'
    b'"arguments":{"duration":30,"steps":300},"_meta":{"progressToken":1}}}\n'
)


@pytest.mark.parametrize("key", [CONTROL_C, CONTROL_D], ids=["Ctrl+C", "Ctrl+D"])
@pytest.mark.parametrize("calling", [False, True], ids=["idle", "in-a-call"])
def test_a_key_ends_a_process_on_a_terminal(terminal: Terminal, key: bytes, calling: bool) -> None:
    server = terminal.server
    opening = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}
    terminal.type(json.dumps(opening).encode() + b'\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n' + PING)
    assert server.answer(1)["result"] == {}
    if calling:
        terminal.type(START_CALL)
        server.notification("notifications/progress")
    terminal.type(key)
    assert server.exit_status() == 0
    assert "Traceback" not in server.stderr
    assert server.junk == []
