"""Requests of a real process at the same time: their ids, their cancellation, their progress."""

import json
from collections.abc import Generator, Sequence
from typing import Any

import pytest
from everything_server import Era
from harness.wire import Message, RequestId, Stdio, answers_to, is_notification
from wire.runner import check_messages
from wire.servers import open_server

LONG = "trigger-long-running-operation"
NEVER = {"duration": 3600, "steps": 1}


@pytest.fixture(scope="module", params=list(Era), ids=str)
def shared(request: pytest.FixtureRequest) -> Generator[Stdio]:
    """One process, whose step log is on stderr."""
    with open_server("-v", "--plugins", "tools", era=request.param) as server:
        yield server


@pytest.fixture
def server(shared: Stdio) -> Generator[Stdio]:
    """The shared process; afterwards nothing is in flight and all messages were right."""
    start = len(shared.inbox)
    yield shared
    shared.settle()
    check_messages(shared, start)
    assert shared.junk == []
    assert "Traceback" not in shared.stderr


def progress_of(token: object, messages: Sequence[Message]) -> list[Message]:
    """The progress that was reported under a token, told apart by its type as well."""
    reported = [m["params"] for m in messages if is_notification(m) and m["method"] == "notifications/progress"]
    return [
        params for params in reported if params["progressToken"] == token and same_type(params["progressToken"], token)
    ]


def same_type(one: object, other: object) -> bool:
    return type(one) is type(other)


def wait_for_progress(server: Stdio, token: object, since: int) -> None:
    """Wait until a call has reported progress, so that it is certainly running."""
    server.wait(lambda messages: progress_of(token, messages) or None, f"progress of {token!r}", since=since)


def call_of(tool: str, arguments: Message, **meta: object) -> Message:
    """The params of a call."""
    params: Message = {"name": tool, "arguments": arguments}
    return {**params, "_meta": meta} if meta else params


def send_together(server: Stdio, *requests: tuple[RequestId, Message] | Message) -> None:
    """Send calls, by id and params, and other messages in one piece: no pause of ours can come between them."""
    messages = []
    for request in requests:
        if isinstance(request, tuple):
            request_id, params = request
            server.methods[request_id] = "tools/call"
            messages.append(server.build("tools/call", params, request_id))
        else:
            messages.append(request)
    server.send_bytes(b"".join(json.dumps(message).encode() + b"\n" for message in messages))


def ids_of(messages: Sequence[Message]) -> list[RequestId]:
    return [message["id"] for message in messages if "method" not in message]


# Ids


def test_a_second_request_with_an_id_in_flight_is_refused_and_the_first_gets_its_own_result(server: Stdio) -> None:
    start = len(server.inbox)
    send_together(server, (700, call_of(LONG, {"duration": 0.3, "steps": 1})), (700, call_of("echo", {"message": "B"})))
    refused = server.answer(700, since=start)
    assert refused["error"]["code"] == -32600
    result = server.wait(
        lambda messages: next((m for m in answers_to(700, messages) if "result" in m), None), "A's result", since=start
    )
    assert result["result"]["content"][0]["text"].startswith("Long running operation completed")
    server.settle()
    assert len(answers_to(700, server.inbox[start:])) == 2


def test_an_id_is_free_again_once_it_has_been_answered(server: Stdio) -> None:
    for message in ("first", "second", "third"):
        reply = server.request("tools/call", {"name": "echo", "arguments": {"message": message}}, 701)
        assert reply["result"]["content"][0]["text"] == f"Echo: {message}"


def test_an_id_is_free_again_after_an_error(server: Stdio) -> None:
    assert server.error("tools/call", {"name": "no-such"}, request_id=702)["code"] == -32602
    reply = server.request("tools/call", {"name": "echo", "arguments": {"message": "again"}}, 702)
    assert reply["result"]["content"][0]["text"] == "Echo: again"


def test_an_id_is_free_again_after_its_cancellation_at_once(server: Stdio) -> None:
    start = len(server.inbox)
    cancellation = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 704}}
    send_together(server, (704, call_of(LONG, NEVER)), cancellation, (704, call_of("echo", {"message": "again"})))
    reply = server.answer(704, since=start)
    assert reply["result"]["content"][0]["text"] == "Echo: again"
    server.settle()
    assert len(answers_to(704, server.inbox[start:])) == 1


def test_a_refused_repetition_does_not_disturb_the_progress_of_the_first(server: Stdio) -> None:
    start = len(server.inbox)
    send_together(
        server,
        (703, call_of(LONG, {"duration": 0.3, "steps": 3}, progressToken="first")),
        (703, call_of(LONG, {"duration": 0, "steps": 3}, progressToken="second")),
    )
    server.wait(
        lambda messages: [m for m in answers_to(703, messages) if "result" in m] or None, "the result", since=start
    )
    assert len(progress_of("first", server.inbox[start:])) == 3
    assert progress_of("second", server.inbox[start:]) == []


def test_a_number_and_a_text_that_look_alike_are_two_ids(server: Stdio) -> None:
    start = len(server.inbox)
    send_together(
        server, (705, call_of(LONG, {"duration": 0.3, "steps": 1})), ("705", call_of("echo", {"message": "text"}))
    )
    server.answer(705, since=start)
    assert ids_of(server.inbox[start:]) == ["705", 705]
    (text,) = answers_to("705", server.inbox[start:])
    assert text["result"]["content"][0]["text"] == "Echo: text"


def test_cancelling_a_number_leaves_the_text_that_looks_alike_running(server: Stdio) -> None:
    start = len(server.inbox)
    server.send_call(LONG, {"duration": 50, "steps": 500}, 706, progressToken="number")
    server.send_call(LONG, {"duration": 0.4, "steps": 4}, "706", progressToken="text")
    wait_for_progress(server, "number", start)
    server.cancel(706)
    server.answer("706", since=start)
    assert ids_of(server.inbox[start:]) == ["706"]
    assert len(progress_of("text", server.inbox[start:])) == 4


def test_requests_run_side_by_side_and_are_answered_as_they_finish(server: Stdio) -> None:
    start = len(server.inbox)
    durations = {713: 0.45, 712: 0.3, 711: 0.15, 710: 0}
    calls = [(number, call_of(LONG, {"duration": duration, "steps": 1})) for number, duration in durations.items()]
    send_together(server, *calls)
    server.answer(713, since=start)
    assert ids_of(server.inbox[start:]) == [710, 711, 712, 713]


def test_five_hundred_requests_at_once_get_each_its_own_answer(server: Stdio) -> None:
    start = len(server.inbox)
    send_together(server, *((10_000 + number, call_of("echo", {"message": f"m{number}"})) for number in range(500)))
    server.wait(lambda seen: len(ids_of(seen)) >= 500 or None, "500 answers", since=start)
    answers = {message["id"]: message["result"]["content"][0]["text"] for message in server.inbox[start:]}
    assert answers == {10_000 + number: f"Echo: m{number}" for number in range(500)}


# Cancellation


def test_a_cancelled_call_falls_silent_and_its_work_stops_while_others_go_on(server: Stdio) -> None:
    start = len(server.inbox)
    server.send_call(LONG, {"duration": 50, "steps": 1000}, 720, progressToken="t720")
    server.send_call(LONG, {"duration": 0.5, "steps": 10}, 721, progressToken="t721")
    wait_for_progress(server, "t720", start)
    server.notify("notifications/cancelled", {"requestId": 720, "reason": "probe"})
    server.settle()
    settle_log(server, 722)
    reported, logged = len(progress_of("t720", server.inbox[start:])), steps_logged(server, 720)
    # As long as six steps of the cancelled call would have taken.
    server.call(LONG, {"duration": 0.3, "steps": 6})
    settle_log(server, 723)
    server.answer(721, since=start)
    assert len(progress_of("t720", server.inbox[start:])) == reported
    assert steps_logged(server, 720) == logged
    assert answers_to(720, server.inbox[start:]) == []
    assert len(progress_of("t721", server.inbox[start:])) == 10


def settle_log(server: Stdio, request_id: int) -> None:
    """Wait until the log of a call is there, and with it all that was logged before."""
    server.request("tools/call", call_of(LONG, {"duration": 0, "steps": 1}), request_id)
    server.wait(lambda _: steps_logged(server, request_id) or None, "a step on the log")


def steps_logged(server: Stdio, request_id: int) -> int:
    return sum(f"{request_id}" in line and "step" in line for line in server.stderr.splitlines())


def test_cancelling_at_once_is_as_good(server: Stdio) -> None:
    start = len(server.inbox)
    for request_id in range(730, 760):
        server.send_call(LONG, NEVER, request_id)
        server.cancel(request_id)
    server.settle()
    assert ids_of(server.inbox[start:-1]) == []


@pytest.mark.parametrize(
    "params",
    [
        {"requestId": 999_999},
        {"requestId": "never"},
        {"requestId": 771},
        {"requestId": "770"},
        {"requestId": None},
        {"requestId": True},
        {"requestId": 770.5},
        {"requestId": [770]},
        {"requestId": {"id": 770}},
        {"reason": "without an id"},
        {},
        None,
        {"requestId": 771, "reason": 5},
    ],
    ids=str,
)
def test_an_odd_cancellation_is_ignored(server: Stdio, params: dict[str, Any] | None) -> None:
    server.call("echo", {"message": "finished"})  # 771 below
    server.request("tools/call", {"name": "echo", "arguments": {"message": "finished"}}, 771)
    start = len(server.inbox)
    server.send_call(LONG, {"duration": 0.1, "steps": 1}, 770)
    server.notify("notifications/cancelled", params)
    assert "result" in server.answer(770, since=start)
    assert ids_of(server.inbox[start:]) == [770]


def test_a_cancelled_id_may_be_cancelled_again(server: Stdio) -> None:
    start = len(server.inbox)
    server.send_call(LONG, NEVER, 780)
    for _ in range(3):
        server.cancel(780)
    server.settle()
    assert ids_of(server.inbox[start:-1]) == []


def test_a_cancelled_subscription_falls_silent() -> None:
    with open_server("--plugins", "tools", era=Era.MODERN) as server:
        server.send("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, "L")
        server.notification("notifications/subscriptions/acknowledged")
        server.cancel("L")
        server.settle()
        assert answers_to("L", server.inbox) == []
        assert server.end() == 0
    assert answers_to("L", server.inbox) == []


def test_initialize_cannot_be_cancelled() -> None:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "hasty", "version": "1"}}
    with open_server("--plugins", "tools", era=Era.MODERN) as server:
        server.era = Era.LEGACY
        server.send("initialize", params, 1)
        server.cancel(1)
        assert server.answer(1)["result"]["protocolVersion"] == "2025-11-25"


# Progress


@pytest.mark.parametrize("token", [0, "", "t", 12345678901, -7, "0", 2**60], ids=repr)
def test_progress_comes_under_the_very_token_in_order_and_before_the_result(server: Stdio, token: str | int) -> None:
    start = len(server.inbox)
    server.send_call(LONG, {"duration": 0.1, "steps": 4}, 800, progressToken=token)
    server.answer(800, since=start)
    server.settle()
    window = server.inbox[start:-1]
    assert [message.get("method", "answer") for message in window] == ["notifications/progress"] * 4 + ["answer"]
    progress = progress_of(token, window)
    assert [params["progress"] for params in progress] == [1, 2, 3, 4]
    assert {params["total"] for params in progress} == {4}


def test_no_progress_comes_without_a_token(server: Stdio) -> None:
    start = len(server.inbox)
    server.call(LONG, {"duration": 0.1, "steps": 4})
    server.settle()
    assert [message for message in server.inbox[start:] if is_notification(message)] == []


@pytest.mark.parametrize("token", [None, True, 1.5, [1], {"a": 1}], ids=repr)
def test_a_token_of_the_wrong_kind_never_comes_back(server: Stdio, token: object) -> None:
    start = len(server.inbox)
    server.send_call(LONG, {"duration": 0, "steps": 2}, 801, progressToken=token)
    server.answer(801, since=start)  # a result, or an error about the token
    assert [message for message in server.inbox[start:] if is_notification(message)] == []


def test_progress_of_two_calls_does_not_mix(server: Stdio) -> None:
    start = len(server.inbox)
    server.send_call(LONG, {"duration": 0.3, "steps": 3}, 802, progressToken=5)
    server.send_call(LONG, {"duration": 0.3, "steps": 6}, 803, progressToken="5")
    server.answer(802, since=start)
    server.answer(803, since=start)
    assert [params["total"] for params in progress_of(5, server.inbox[start:])] == [3] * 3
    assert [params["total"] for params in progress_of("5", server.inbox[start:])] == [6] * 6
