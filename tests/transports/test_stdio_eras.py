"""The eras over the stdio of a real process: probes, fallbacks, `--era`, batches."""

import json
from collections.abc import Generator, Sequence
from typing import Any

import pytest
from everything_server import Era
from harness.wire import CLIENT_INFO, END_GUARD, META, Message, Stdio
from wire.runner import check_messages
from wire.servers import start_server

PLUGINS = ("--plugins", "tools,prompts")

LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
MODERN_VERSIONS = ["2026-07-28"]

ENVELOPE = {
    f"{META}protocolVersion": "2026-07-28",
    f"{META}clientInfo": CLIENT_INFO,
    f"{META}clientCapabilities": {},
}
FUTURE = {**ENVELOPE, f"{META}protocolVersion": "2099-01-01"}
HALF = {f"{META}protocolVersion": "2026-07-28"}


def send(server: Stdio, method: str, params: Message | None = None, request_id: int = 6) -> Message:
    """Send a request exactly as given, without anything of an era, and wait for its answer."""
    message: Message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    start = len(server.inbox)
    server.methods[request_id] = method
    server.send_line(json.dumps(message if params is None else {**message, "params": params}))
    return server.answer(request_id, since=start)


def handshake(server: Stdio, version: str = "2025-11-25") -> Message:
    """Open a legacy conversation; gives the answer to `initialize`."""
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT_INFO}
    answer = send(server, "initialize", params, 0)
    if "result" in answer:
        server.handshake = answer["result"]
        server.notify("notifications/initialized")
    return answer


def assert_legacy_works(server: Stdio) -> None:
    """The handshake, a ping and a call are served."""
    assert handshake(server)["result"]["protocolVersion"] == "2025-11-25"
    assert send(server, "ping", None, 7)["result"] == {}
    call = {"name": "echo", "arguments": {"message": "legacy"}}
    assert send(server, "tools/call", call, 8)["result"]["content"][0]["text"] == "Echo: legacy"


def assert_modern_works(server: Stdio) -> None:
    call = {"name": "echo", "arguments": {"message": "modern"}, "_meta": ENVELOPE}
    result = send(server, "tools/call", call, 9)["result"]
    assert result["content"][0]["text"] == "Echo: modern"
    assert result["resultType"] == "complete"


# Probes


REFUSED = (-32600, -32601, -32602)

NO_ENVELOPE = ("server/discover", None, (-32602, -32601))
HALF_AN_ENVELOPE = ("server/discover", {"_meta": HALF}, (-32602,))
FUTURE_VERSION = ("server/discover", {"_meta": FUTURE}, (-32022,))
NO_HANDSHAKE = ("tools/list", None, REFUSED)

Probe = tuple[str, Message | None, Sequence[int]]

PROBES: dict[str, Sequence[Probe]] = {
    "no envelope": [NO_ENVELOPE],
    "half an envelope": [HALF_AN_ENVELOPE],
    "a future version": [FUTURE_VERSION],
    "no handshake": [NO_HANDSHAKE],
    "one after another": [
        HALF_AN_ENVELOPE,
        FUTURE_VERSION,
        ("server/discover", {"_meta": {**ENVELOPE, f"{META}clientCapabilities": "none"}}, (-32602,)),
        ("server/discover", {"_meta": {**ENVELOPE, f"{META}protocolVersion": 5}}, (-32602,)),
        ("tools/list", {"_meta": FUTURE}, (-32022,)),
        NO_ENVELOPE,
        ("server/discover", {}, (-32602, -32601)),
        NO_HANDSHAKE,
        ("tools/call", {"name": "echo", "arguments": {"message": "x"}}, REFUSED),
        ("foo/bar", None, REFUSED),
    ],
}


@pytest.mark.parametrize("name", PROBES)
def test_a_probe_is_answered_with_an_error_and_the_handshake_is_served_afterwards(name: str) -> None:
    with start_server(*PLUGINS) as server:
        for method, params, codes in PROBES[name]:
            error = send(server, method, params)["error"]
            assert error["code"] in codes
            if error["code"] == -32022:
                assert error["data"] == {"supported": MODERN_VERSIONS + LEGACY_VERSIONS, "requested": "2099-01-01"}
        assert_legacy_works(server)
        check_messages(server)
        assert server.end() == 0


def test_a_discovery_is_answered_and_may_be_followed_by_the_handshake_it_names() -> None:
    with start_server(*PLUGINS) as server:
        server.version = "2026-07-28"
        result = send(server, "server/discover", {"_meta": ENVELOPE})["result"]
        assert result["supportedVersions"] == MODERN_VERSIONS + LEGACY_VERSIONS
        check_messages(server)
        assert_legacy_works(server)
        assert server.end() == 0


def test_a_refused_probe_may_be_followed_by_modern_requests() -> None:
    with start_server(*PLUGINS) as server:
        assert send(server, "server/discover", {"_meta": FUTURE})["error"]["code"] == -32022
        assert_modern_works(server)
        assert send(server, "tools/list", {"_meta": FUTURE})["error"]["code"] == -32022
        assert_modern_works(server)


def test_a_modern_request_in_a_legacy_conversation_is_refused_and_disturbs_nothing() -> None:
    with start_server(*PLUGINS) as server:
        assert_legacy_works(server)
        call = {"name": "echo", "arguments": {"message": "x"}, "_meta": ENVELOPE}
        assert send(server, "tools/call", call)["error"]["code"] == -32600
        assert send(server, "server/discover", {"_meta": ENVELOPE})["error"]["code"] in (-32600, -32601)
        assert send(server, "tools/list", {"_meta": HALF})["error"]["code"] in (-32600, -32602)
        assert_legacy_works(server)


def test_a_handshake_in_a_modern_conversation_is_refused_with_the_versions_and_disturbs_nothing() -> None:
    with start_server(*PLUGINS) as server:
        assert_modern_works(server)
        error = handshake(server)["error"]
        assert error["code"] == -32022
        assert error["data"]["requested"] == "2025-11-25"
        assert "2026-07-28" in error["data"]["supported"]
        assert send(server, "ping")["error"]["code"] == -32602
        assert_modern_works(server)


def test_a_version_that_is_asked_for_is_agreed_on_and_a_second_handshake_disturbs_nothing() -> None:
    agreed = {version: version for version in LEGACY_VERSIONS}
    with start_server(*PLUGINS) as server:
        for asked in (*LEGACY_VERSIONS, "2026-07-28", "1999-01-01", ""):
            assert handshake(server, asked)["result"]["protocolVersion"] == agreed.get(asked, "2025-11-25")
            assert send(server, "ping", None, 7)["result"] == {}
        assert_legacy_works(server)


# --era


def test_a_legacy_process_has_never_heard_of_the_modern_era() -> None:
    with start_server("--era", "legacy", *PLUGINS) as server:
        assert send(server, "server/discover", {"_meta": ENVELOPE})["error"]["code"] in (-32601, -32602)
        assert handshake(server, "2026-07-28")["result"]["protocolVersion"] == "2025-11-25"
        assert send(server, "server/discover", {"_meta": ENVELOPE})["error"]["code"] == -32601
        assert send(server, "subscriptions/listen", {"notifications": {}})["error"]["code"] == -32601
        # An envelope is only some `_meta` that a legacy server does not look at, whatever version it names.
        for meta in (ENVELOPE, FUTURE, HALF):
            call = {"name": "echo", "arguments": {"message": "x"}, "_meta": meta}
            result = send(server, "tools/call", call)["result"]
            assert result["content"][0]["text"] == "Echo: x"
            assert not {"resultType", "ttlMs", "cacheScope"} & set(result)
        assert_legacy_works(server)
        assert "2026" not in b"".join(server.raw).decode()
        assert server.end() == 0


def test_a_modern_process_refuses_the_handshake_and_goes_on() -> None:
    with start_server("--era", "modern", *PLUGINS) as server:
        for version in ("2025-11-25", "2026-07-28"):
            error = handshake(server, version)["error"]
            assert error["code"] == -32022
            assert error["data"] == {"supported": MODERN_VERSIONS, "requested": version}
        assert send(server, "tools/list")["error"]["code"] == -32022
        server.notify("notifications/initialized")
        assert send(server, "server/discover", {"_meta": ENVELOPE})["result"]["supportedVersions"] == MODERN_VERSIONS
        assert handshake(server)["error"]["code"] == -32022
        assert_modern_works(server)
        assert handshake(server)["error"]["code"] == -32022
        assert_modern_works(server)
        assert server.end() == 0


# Batches


@pytest.fixture(scope="module")
def batching() -> Generator[Stdio]:
    """A conversation of the one revision that has batches."""
    with start_server(*PLUGINS) as server:
        handshake(server, "2025-03-26")
        yield server


def batch(server: Stdio, *messages: Any) -> Any:
    """Send an array of messages, and read the line that answers it."""
    start = len(server.raw)
    server.send_line(json.dumps(messages))
    server.wait(lambda _: len(server.raw) > start or None, "an answer to the batch")
    return json.loads(server.raw[start])


def request(request_id: Any, method: str, params: Message | None = None) -> Message:
    message: Message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else {**message, "params": params}


def echo(request_id: Any, text: str) -> Message:
    return request(request_id, "tools/call", {"name": "echo", "arguments": {"message": text}})


NOTIFICATION = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}


def test_the_revision_that_has_batches_gets_all_answers_in_one_array(batching: Stdio) -> None:
    answers = batch(batching, request(1, "ping"), NOTIFICATION, echo("two", "b"), request(3, "no/such"))
    assert {(answer["id"], "result" in answer) for answer in answers} == {(1, True), ("two", True), (3, False)}


def test_what_is_no_message_in_a_batch_is_answered_among_the_others(batching: Stdio) -> None:
    answers = batch(batching, 42, request(4, "ping"), {"jsonrpc": "2.0", "id": 5}, [])
    by_id = {answer.get("id"): answer for answer in answers}
    assert len(answers) == 4
    assert by_id[4]["result"] == {}
    assert by_id[5]["error"]["code"] == by_id[None]["error"]["code"] == -32600


def test_a_batch_of_one_gets_an_array_too_and_one_of_notifications_gets_nothing(batching: Stdio) -> None:
    start = len(batching.raw)
    batching.send_line(json.dumps([NOTIFICATION, NOTIFICATION]))
    assert [answer["id"] for answer in batch(batching, request(6, "ping"))] == [6]
    assert len(batching.raw) == start + 1


def test_a_batch_of_a_hundred_gets_a_hundred_answers(batching: Stdio) -> None:
    answers = batch(batching, *(echo(number, str(number)) for number in range(100, 200)))
    assert {answer["id"]: answer["result"]["content"][0]["text"] for answer in answers} == {
        number: f"Echo: {number}" for number in range(100, 200)
    }


def test_a_handshake_is_no_part_of_a_batch(batching: Stdio) -> None:
    answers = batch(batching, request(7, "initialize", {}), request(8, "ping"))
    assert {answer["id"]: "result" in answer for answer in answers} == {7: False, 8: True}


def test_an_empty_batch_is_refused_even_there(batching: Stdio) -> None:
    assert batch(batching)["error"]["code"] == -32600


def test_a_batch_with_an_id_twice_answers_both_and_hangs_nobody(batching: Stdio) -> None:
    slow = {"name": "trigger-long-running-operation", "arguments": {"duration": 0.2, "steps": 1}}
    answers = batch(batching, request(1, "tools/call", slow), echo(1, "B"))
    assert [answer["id"] for answer in answers] == [1, 1]
    assert sorted("error" in answer for answer in answers) == [False, True]


def test_a_call_of_a_batch_that_is_cancelled_does_not_hold_up_the_others(batching: Stdio) -> None:
    slow = {"name": "trigger-long-running-operation", "arguments": {"duration": 3600, "steps": 1}}
    start = len(batching.raw)
    batching.send_line(json.dumps([request(1, "tools/call", slow), echo(2, "b")]))
    batching.cancel(1)
    batching.wait(lambda _: len(batching.raw) > start or None, "the answer to the rest of the batch", timeout=END_GUARD)
    assert [answer["id"] for answer in json.loads(batching.raw[start])] == [2]


def test_other_legacy_revisions_refuse_batches() -> None:
    with start_server(*PLUGINS) as server:
        assert batch(server, request(1, "ping"))["error"]["code"] == -32600
        for version in ("2024-11-05", "2025-06-18", "2025-11-25"):
            handshake(server, version)
            refused = batch(server, request(1, "ping"))
            assert (refused["error"]["code"], "id" in refused) == (-32600, False)
            assert send(server, "ping", None, 7)["result"] == {}


def test_the_modern_era_refuses_batches_and_goes_on() -> None:
    with start_server(*PLUGINS, era=Era.MODERN) as server:
        assert_modern_works(server)
        error = batch(server, request(1, "tools/list", {"_meta": ENVELOPE}))
        assert (error["error"]["code"], "id" in error) == (-32600, False)
        assert_modern_works(server)
