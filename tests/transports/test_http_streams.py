"""Which stream a legacy message travels on, and what a client that does not read one does to the server."""

from typing import Any

import anyio
import anyio.lowlevel
import pytest
from everything_server import Settings
from harness.asgi import Reply, Session, running
from harness.clock import FakeClock
from harness.raw_http import GUARD, call, get, request
from harness.stage import RESOURCE, Stage
from harness.wire import Message

CHANGED = "notifications/tools/list_changed"
PROGRESS = "notifications/progress"
PING = request("ping", None, "ping")


def methods(stream: Reply) -> list[str]:
    """The methods of the notifications that wait on a stream."""
    return [event.message["method"] for event in stream.waiting()]


# ---------------------------------------------------------------- the stream of a call


@pytest.mark.parametrize("with_stream", [False, True], ids=["no GET", "with GET"])
@pytest.mark.parametrize("token", [0, "", "t", 12345678901], ids=repr)
async def test_progress_travels_on_the_stream_of_its_call_before_the_result(
    token: str | int, with_stream: bool
) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        standalone = await session.get() if with_stream else None
        *progress, answer = await (await session.post(call("report", {"times": 4}, token=token))).messages()
        assert [message["method"] for message in progress] == [PROGRESS] * 4
        assert [message["params"]["progress"] for message in progress] == [1, 2, 3, 4]
        assert all(message["params"]["progressToken"] == token for message in progress)
        assert all(type(message["params"]["progressToken"]) is type(token) for message in progress)
        assert answer["result"]["content"][0]["text"] == "reported"
        assert await (await session.post(PING)).result() == {}
        assert standalone is None or standalone.waiting() == []


async def test_there_is_no_progress_without_a_token() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        assert len(await (await session.post(call("report", {"times": 4}))).messages()) == 1


async def test_progress_of_calls_at_the_same_time_is_not_mixed_up() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        replies: dict[str, Reply] = {}
        for number, name in enumerate("abc"):
            replies[name] = await session.post(call("hold", {"name": name, "progress": 2}, number, token=name))
        for name in "cab":
            await stage.began(name)
            stage.release(name)
        for name, reply in replies.items():
            *progress, answer = await reply.messages()
            assert [message["params"]["progressToken"] for message in progress] == [name] * 3
            assert answer["result"]["content"][0]["text"] == name


async def test_answers_come_as_they_are_ready() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        slow = await session.post(call("hold", {"name": "slow"}, 1))
        await stage.began("slow")
        assert await (await session.post(call("echo", {"message": "quick"}, 2))).text() == "quick"
        assert not slow.ended
        stage.release("slow")
        assert await slow.text() == "slow"


async def test_a_log_message_of_a_call_is_on_its_stream_and_one_of_the_connection_is_not() -> None:
    async with running(Stage(logs=True).http()) as client:
        session = await client.open_session()
        standalone = await session.get()
        logged, answer = await (await session.post(call("say", {"text": "hello"}))).messages()
        assert (logged["method"], logged["params"]["data"]) == ("notifications/message", "hello")
        assert "result" in answer
        assert (await standalone.message())["params"]["data"] == "hello, to all"
        assert standalone.waiting() == []


async def test_the_events_of_a_stream_carry_a_message_and_an_id_each() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        reply = await session.post(call("report", {"times": 2}, token="t"))
        await reply.done()
        events = reply.waiting()
        assert [event.name for event in events] == ["message"] * 3
        assert len({event.id for event in events} - {None}) == 3
        assert reply.headers["cache-control"] == "no-cache, no-transform"
        assert reply.headers["x-accel-buffering"] == "no"


# ---------------------------------------------------------------- the stream of the session


async def test_changes_travel_on_the_stream_of_the_session_only() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        standalone = await session.get()
        assert len(await (await session.post(call("change"))).messages()) == 1
        assert (await standalone.message())["method"] == CHANGED


async def test_changes_wait_for_a_stream() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        for number in range(3):
            assert len(await (await session.post(call("change", {}, number))).messages()) == 1
        standalone = await session.get()
        assert [(await standalone.message())["method"] for _ in range(3)] == [CHANGED] * 3
        assert standalone.waiting() == []


async def test_an_update_of_a_resource_reaches_those_who_have_subscribed_to_it() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        standalone = await session.get()
        await update(session, RESOURCE, [])
        assert await (await session.post(request("resources/subscribe", {"uri": RESOURCE}))).result() == {}
        await update(session, f"{RESOURCE}/child", [])
        await update(session, RESOURCE, [RESOURCE])
        assert await (await session.post(request("resources/unsubscribe", {"uri": RESOURCE}))).result() == {}
        await update(session, RESOURCE, [])
        assert await (await session.post(call("change"))).text() == "changed"
        messages = [await standalone.message(), await standalone.message()]
        assert [message["method"] for message in messages] == ["notifications/resources/updated", CHANGED]
        assert messages[0]["params"] == {"uri": RESOURCE}


async def update(session: Session, uri: str, expected: list[str]) -> None:
    assert await (await session.post(call("update", {"uri": uri}))).text() == "updated"


async def test_a_second_stream_is_refused_while_one_is_open() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        first = await session.get()
        second = await session.get()
        assert second.status == 409
        assert (await second.error())["code"] == -32600
        assert await (await session.post(call("change"))).text() == "changed"
        assert (await first.message())["method"] == CHANGED
        first.leave()
        await first.done()
        assert (await session.get()).status == 200


@pytest.mark.parametrize(
    "accept",
    [None, "", "application/json", "text/event-stream;q=0", "*/*;q=0", "text/html", "text/event-stream;q=0, */*"],
)
async def test_a_stream_is_refused_to_a_client_that_does_not_take_one(accept: str | None) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        refused = await client.send(get(session.id).having({"Accept": accept}))
        assert refused.status == 406
        assert (await refused.error())["code"] == -32600
        assert (await session.get()).status == 200


@pytest.mark.parametrize(
    "accept", ["text/event-stream", "*/*", "text/*", "TEXT/Event-Stream; q=0.1", "application/json, text/event-stream"]
)
async def test_a_stream_is_opened_for_a_client_that_takes_one(accept: str) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        opened = await client.send(get(session.id).having({"Accept": accept}))
        assert (opened.status, opened.headers.media_type) == (200, "text/event-stream")


async def test_a_stream_that_was_left_keeps_nothing_running() -> None:
    stage, clock = Stage(), FakeClock()
    async with running(stage.http(Settings(clock=clock))) as client:
        session = await client.open_session()
        for _ in range(20):
            stream = await session.get()
            await (await session.post(call("change"))).text()
            assert (await stream.message())["method"] == CHANGED
            stream.leave()
            await stream.done()
        assert await (await session.post(PING)).result() == {}


# ---------------------------------------------------------------- silence


async def test_silent_streams_get_comments() -> None:
    stage = Stage()
    async with running(stage.http(keep_alive=0.02)) as client:
        session = await client.open_session()
        standalone = await session.get()
        held = await session.post(call("hold", {"name": "held"}))
        for stream in (standalone, held):
            for _ in range(2):
                event = await stream.event()
                assert event is not None
                assert event.comment is not None
                assert event.data is None
        stage.release("held")
        assert await held.text() == "held"


async def test_without_keep_alive_there_are_no_comments() -> None:
    async with running(Stage().http(keep_alive=0)) as client:
        session = await client.open_session()
        standalone = await session.get()
        for _ in range(100):
            await anyio.lowlevel.checkpoint()
        assert standalone.waiting() == []


# ---------------------------------------------------------------- clients that do not read


async def test_a_stream_that_nobody_reads_is_ended_and_holds_up_nobody() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        stalled = await session.get()
        stalled.stall()
        assert await (await session.post(call("flood", {"times": 3000}))).text() == "flooded"
        stalled.resume()
        with anyio.fail_after(GUARD):
            events = await all_events(stalled)
        assert 0 < len(events) < 2000
        # What was not written is still there for a client that asks for it.
        resumed = await session.get(last_event=events[-1]["id"])
        rest = [await resumed.event() for _ in range(3000 - len(events))]
        assert all(event is not None and event.message["method"] == CHANGED for event in rest)
        assert resumed.waiting() == []


async def all_events(stream: Reply) -> list[Message]:
    events: list[Any] = []
    while (event := await stream.event()) is not None:
        events.append({"id": event.id, **event.message})
    return events


async def test_changes_that_wait_for_a_stream_are_bounded() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        assert await (await session.post(call("flood", {"times": 3000}))).text() == "flooded"
        stream = await session.get()
        assert await (await session.post(PING)).result() == {}
        assert 0 < len(methods(stream)) < 2000


async def test_a_call_whose_stream_nobody_reads_waits_and_loses_nothing() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        stalled = session.start(call("report", {"times": 5000}, 1, token="t"))
        stalled.stall()
        await stage.until(lambda: stage.counts["reports"] > 1000)
        assert await (await session.post(PING)).result() == {}
        assert stage.counts["reports"] < 2000
        stalled.resume()
        messages = await stalled.messages()
        assert [message["params"]["progress"] for message in messages[:-1]] == list(range(1, 5001))
        assert "result" in messages[-1]


async def test_a_call_whose_stalled_client_goes_away_comes_to_its_end() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        stalled = session.start(call("report", {"times": 5000}, 1, token="t"))
        stalled.stall()
        await stage.until(lambda: stage.counts["reports"] > 1000)
        stalled.leave()
        await stalled.done()
        assert stage.counts["reports"] == 5000
        assert await (await session.post(call("echo", {"message": "hi"}, 1))).text() == "hi"
