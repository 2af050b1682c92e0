"""What a real process writes: the protocol on stdout and nothing else, all else on stderr, secrets nowhere."""

import json

import pytest
from everything_server import Era
from harness.wire import Stdio, WireTimeout
from wire.runner import check_messages
from wire.servers import installed, open_server

MESSAGE = "世界 é — ✓ 😀 \u2028\u2029\x85 \r\n \\ \x00"
"""Everything that an encoding, a line end or an escape could spoil."""

HOSTILE = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}


def lines_of(server: Stdio) -> list[dict[str, object]]:
    """The messages on stdout, each of which must be a line of its own."""
    messages = []
    for line in server.raw:
        assert line.endswith(b"\n")
        assert b"\r" not in line
        message = json.loads(line.decode("utf-8", "strict"))
        assert isinstance(message, dict)
        assert message["jsonrpc"] == "2.0"
        messages.append(message)
    return messages


@pytest.mark.parametrize("era", Era, ids=str)
def test_stdout_holds_one_message_a_line_whatever_locale_plugins_and_children_do(era: Era) -> None:
    env = installed("noisy", "importerror", "raising", "exits", **HOSTILE)
    with open_server("-vv", era=era, env=env) as server:
        server.result("tools/list")
        assert server.call("echo", {"message": MESSAGE})["content"][0]["text"] == f"Echo: {MESSAGE}"
        assert server.call("fake-noisy")["content"][0]["text"] == "quiet"
        assert server.result("prompts/get", {"name": "args-prompt", "arguments": {"city": MESSAGE}})
        server.send_line(f"{{{MESSAGE}")
        server.settle()
        assert server.end() == 0
    assert server.junk == []
    assert lines_of(server) == server.inbox
    for when in ("at import", "by a tool"):
        for noise in ("printed", "written", "child"):
            assert f"{noise} {when}\n" in server.stderr
    for broken in ("fake.importerror", "fake.raising", "fake.exits"):
        assert f"plugin '{broken}'" in server.stderr


@pytest.mark.parametrize("flags", [(), ("-vv",)], ids=["quiet", "-vv"])
def test_what_is_logged_goes_to_stderr(flags: tuple[str, ...]) -> None:
    with open_server(*flags, env=installed("days")) as server:
        server.call("trigger-long-running-operation", {"duration": 0, "steps": 2})
        assert server.call("fake-failure")["isError"] is True
        assert server.end() == 0
    assert lines_of(server) == server.inbox
    assert ("step 2 of 2" in server.stderr) == bool(flags)
    # What nobody foresaw is for whoever runs the server, not for its client.
    assert "LookupError: the text of an unexpected exception" in server.stderr
    assert b"unexpected exception" not in b"".join(server.raw)


def test_stderr_stays_empty_when_all_is_well() -> None:
    with open_server() as server:
        server.call("echo", {"message": "x"})
        assert server.end() == 0
    assert server.stderr == ""


def test_a_client_mistake_leaves_no_traceback_behind() -> None:
    with open_server("-vv") as server:
        for method, params in MISTAKES:
            try:
                server.request(method, params, timeout=10)
            except WireTimeout as error:
                raise AssertionError(f"{method} {params} is never answered") from error
        assert server.end() == 0
    assert "Traceback" not in server.stderr


MISTAKES: list[tuple[str, dict[str, object]]] = [
    ("tools/call", {"name": "no-such"}),
    ("tools/call", {"name": 5}),
    ("tools/call", {"name": "echo", "arguments": [1]}),
    ("tools/call", {"name": "echo", "arguments": {"message": 5}}),
    ("prompts/get", {"name": "no-such"}),
    ("prompts/get", {"name": "args-prompt"}),
    ("resources/read", {"uri": "demo://nope"}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "no-such"}, "argument": {"name": "a", "value": ""}}),
    ("tools/list", {"cursor": "abc"}),
    ("no/such", {}),
    ("initialize", {}),
]

CANARIES = {"PROBE_TOKEN": "canary-7781", "AWS_SECRET_ACCESS_KEY": "canary-7782", "EVERYTHING_API_KEY": "canary-7783"}


@pytest.mark.parametrize("era", Era, ids=str)
def test_secrets_of_the_environment_are_in_no_answer_and_in_no_log(era: Era) -> None:
    with open_server("-vv", era=era, env=installed("days", HARMLESS="ok", **CANARIES)) as server:
        server.result("server/discover") if era is Era.MODERN else server.settle()
        for tool in server.result("tools/list")["tools"]:
            if not tool["name"].startswith(("fake-block", "fake-stubborn", "fake-child", "fake-slow")):
                server.request("tools/call", {"name": tool["name"], "arguments": ARGUMENTS.get(tool["name"], {})})
        for resource in server.result("resources/list")["resources"]:
            server.result("resources/read", {"uri": resource["uri"]})
        for method, params in MISTAKES:
            server.request(method, params)
        for prompt in server.result("prompts/list")["prompts"]:
            server.request("prompts/get", {"name": prompt["name"], "arguments": {}})
        check_messages(server)
        assert server.end() == 0
    output = b"".join(server.raw).decode() + server.stderr
    assert "PROBE_TOKEN" in output  # its name may be told
    assert [canary for canary in CANARIES.values() if canary in output] == []


ARGUMENTS: dict[str, dict[str, object]] = {
    "get-env": {},
    "echo": {"message": "x"},
    "get-sum": {"a": 1, "b": 2},
    "get-annotated-message": {"messageType": "debug"},
    "get-structured-content": {"location": "Chicago"},
    "get-structured-content-list": {"location": "Chicago"},
    "trigger-long-running-operation": {"duration": 0, "steps": 1},
}
