"""`--record` and `--ready-file`: what tests in other languages have in place of the fixture."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from everything_server import Era
from harness.raw_http import INITIALIZED, Exchange, modern, open_session, open_sse, post, request
from harness.serving import ServerProcess, serving
from harness.wire import COMMAND, Stdio, clean_environment

ECHO = {"name": "echo", "arguments": {"message": "hello"}}


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def methods(path: Path) -> list[str | None]:
    return [record.get("method") for record in records(path)]


def test_over_stdio_each_message_is_recorded_before_it_is_answered(tmp_path: Path, era: Era) -> None:
    path = tmp_path / "received.jsonl"
    with Stdio([COMMAND, "--plugins", "echo", "--record", str(path), "stdio"], era) as client:
        client.start()
        client.call("echo", {"message": "hello"})
        assert methods(path)[-1] == "tools/call"
        client.send_line("no message")
        client.settle()
    (called,) = [record for record in records(path) if record.get("method") == "tools/call"]
    assert (called["transport"], called["era"]) == ("stdio", str(era))
    assert called["message"]["params"]["arguments"] == {"message": "hello"}
    (refused,) = [record for record in records(path) if "problem" in record]
    assert "Parse error" in refused["problem"]


def test_over_streamable_http_both_eras_streams_and_refusals_are_recorded(tmp_path: Path) -> None:
    path = tmp_path / "received.jsonl"
    with serving("streamable-http", before=("--plugins", "echo", "--record", str(path))) as server:
        session = open_session(server.url)
        session.get().close()
        session.delete().close()
        good, batch = modern("tools/call", ECHO), [request("ping", request_id=1), request("ping", request_id=2)]
        for sent, status in ((good, 200), (good.having({"Mcp-Name": "other"}), 400), (post(batch), 400)):
            with Exchange(server.url, sent) as answered:
                assert answered.status == status
    found = [(one.get("era"), one["httpMethod"], one.get("method"), "session" in one) for one in records(path)]
    assert found == [
        ("legacy", "POST", "initialize", False),
        ("legacy", "POST", "notifications/initialized", True),
        ("legacy", "GET", None, True),
        ("legacy", "DELETE", None, True),
        ("modern", "POST", "tools/call", False),
        ("modern", "POST", "tools/call", False),
        ("legacy", "POST", "ping", False),
        ("legacy", "POST", "ping", False),
    ]
    assert records(path)[5]["headers"]["mcp-name"] == "other"


def test_over_sse_messages_and_their_stream_are_recorded(tmp_path: Path) -> None:
    path = tmp_path / "received.jsonl"
    with serving("sse", before=("--plugins", "echo", "--record", str(path))) as server:
        stream, send = open_sse(server.url)
        send(INITIALIZED).close()
        stream.close()
    assert [(one["httpMethod"], one.get("method"), "session" in one) for one in records(path)] == [
        ("GET", None, False),
        ("POST", "notifications/initialized", True),
    ]


def test_what_is_in_the_file_stays_there(tmp_path: Path) -> None:
    path = tmp_path / "received.jsonl"
    path.write_text('{"method": "earlier"}\n')
    with Stdio([COMMAND, "--plugins", "echo", "--record", str(path)], Era.MODERN) as client:
        client.call("echo", {"message": "hello"})
    assert methods(path) == ["earlier", "tools/call"]


def test_a_recording_that_cannot_be_written_any_more_does_not_end_the_serving() -> None:
    full = Path("/dev/full") if Path("/dev/full").exists() else Path(os.devnull)
    with Stdio([COMMAND, "--plugins", "echo", "--record", str(full), "stdio"], Era.MODERN) as client:
        for _ in range(2):
            assert client.call("echo", {"message": "hello"})["content"][0]["text"] == "Echo: hello"
    assert client.stderr.count("recording to /dev/full has ended") == (full.name == "full")


@pytest.mark.parametrize("option", ["--record", "--ready-file"])
def test_a_file_that_cannot_be_written_is_refused_at_the_start(tmp_path: Path, option: str) -> None:
    path = str(tmp_path / "missing" / "file")
    command = [COMMAND, "--plugins", "echo", "streamable-http", "--port", "0", option, path]
    if option == "--record":
        command = [COMMAND, "--plugins", "echo", option, path, "streamable-http", "--port", "0"]
    server = ServerProcess(command, clean_environment())
    assert server.exit_status() == 2
    assert f"Invalid value for {option}: cannot write to it: No such file or directory" in server.stderr


@pytest.mark.parametrize("transport", ["sse", "streamable-http"])
def test_the_ready_file_says_where_the_server_listens_and_replaces_an_old_one(tmp_path: Path, transport: Any) -> None:
    path = tmp_path / "ready.json"
    path.write_text("what an earlier server has left")
    with serving(transport, "--ready-file", str(path), before=("--plugins", "echo")) as server:
        assert json.loads(path.read_text()) == {"url": server.url, "pid": server.process.pid}
    assert [file.name for file in tmp_path.iterdir()] == ["ready.json"]
