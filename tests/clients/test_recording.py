"""What the check of a recorded conversation finds."""

import pytest
from clients.recording import Recording, Said
from harness.wire import LEGACY_VERSION, Message
from wire.protocol import ProtocolError, Sender

PING: Message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PONG: Message = {"jsonrpc": "2.0", "id": 1, "result": {}}
CALL: Message = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "slow", "_meta": {"progressToken": 7}},
}


def progress(token: int | str) -> Message:
    params = {"progressToken": token, "progress": 1}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def said(*messages: tuple[Sender, Message]) -> Recording:
    return Recording([Said(sender, message) for sender, message in messages])


def test_a_conversation_in_which_everything_is_answered_passes() -> None:
    said(("client", PING), ("server", PONG), ("server", PING), ("client", PONG)).check(LEGACY_VERSION)
    said(("client", CALL), ("server", progress(7))).check(LEGACY_VERSION, given_up=["slow"])


@pytest.mark.parametrize(
    ("recording", "problem"),
    [
        (said(("client", PING)), "has not answered"),
        (said(("client", CALL)), "has not answered"),
        (said(("client", PING), ("server", PONG), ("server", PONG)), "answered twice"),
        (said(("client", PING), ("client", PING), ("server", PONG)), "an id twice"),
        (said(("client", PING), ("server", {**PONG, "id": "1"})), "no request|nobody asked"),
        (said(("server", PONG)), "no request"),
        (said(("client", PING), ("server", {**PONG, "extra": 1})), "unknown members"),
        (said(("client", {**PING, "extra": 1}), ("server", PONG)), "unknown members"),
        (said(("client", PING), ("server", PONG), ("server", progress(7))), "a token that no request had"),
    ],
)
def test_what_does_not_belong_together_is_found(recording: Recording, problem: str) -> None:
    with pytest.raises(ProtocolError, match=problem):
        recording.check(LEGACY_VERSION)


@pytest.mark.parametrize("token", [8, "7"])
def test_progress_for_another_token_is_found(token: int | str) -> None:
    with pytest.raises(ProtocolError, match="a token that no request had"):
        said(("client", CALL), ("server", progress(token))).check(LEGACY_VERSION, given_up=["slow"])
