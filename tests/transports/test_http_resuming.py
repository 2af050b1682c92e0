"""Legacy streams that broke: what a GET with `Last-Event-ID` brings back, and what it does not."""

from collections.abc import AsyncIterator

import anyio
import pytest
from everything_server import Context, ToolSpec
from everything_server.serving.session_streams import UNREAD
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from harness.asgi import Reply, Session, running
from harness.plugins import factory_of, plugin
from harness.raw_http import Event, call, get, notification, request
from harness.stage import FORM, Stage

CHANGED = "notifications/tools/list_changed"
PING = request("ping", None, "ping")


async def test_dropping_a_post_does_not_cancel_its_call_whose_answer_can_be_fetched() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        dropped, last = await drop_after_progress(stage, session, "held")
        resumed = await session.get(last_event=last.id)
        assert resumed.status == 200
        stage.release("held")
        progress, answer = await resumed.messages()  # it ends with the answer, as the stream of the POST would have
        assert progress["params"]["progress"] == 3
        assert answer["result"]["content"][0]["text"] == "held"
        assert not stage.held["held"].was_cancelled
        await dropped.done()


async def test_an_answer_that_came_while_nobody_read_is_replayed() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        dropped, last = await drop_after_progress(stage, session, "held")
        stage.release("held")
        await dropped.done()
        for _ in range(2):  # as often as the client wants
            progress, answer = await (await session.get(last_event=last.id)).messages()
            assert progress["params"]["progress"] == 3
            assert answer["result"]["content"][0]["text"] == "held"


async def test_events_are_replayed_in_order_from_any_of_them() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        reply = await session.post(call("report", {"times": 10}, token="t"))
        events = await events_of(reply)
        for position, event in enumerate(events[:-1]):
            replayed = await events_of(await session.get(last_event=event.id))
            assert replayed == events[position + 1 :]


async def test_to_come_back_for_a_stream_of_which_nothing_is_left_is_refused() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        answered = await session.post(PING)
        cancelled = await session.post(call("hold", {"name": "held"}))
        await stage.began("held")
        await session.post(notification("notifications/cancelled", {"requestId": 1}))
        for reply in (answered, cancelled):
            *_, last = [event async for event in all_events(reply)]
            # An empty stream would bring the client back again and again; it may not wait for an answer any more.
            refused = await session.get(last_event=last.id)
            assert (refused.status, refused.headers["allow"]) == (405, "POST, DELETE")
            assert "nothing is left" in (await refused.error())["message"]


RESUMES = {"2024-11-05": False, "2025-03-26": False, "2025-06-18": False, "2025-11-25": True}


@pytest.mark.parametrize(("version", "resumes"), RESUMES.items())
async def test_a_stream_begins_with_an_id_to_come_back_with_for_clients_that_know_of_it(
    version: str, resumes: bool
) -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session(version)
        reply = await session.post(call("hold", {"name": "held"}))
        await stage.began("held")
        if resumes:
            primed = await reply.any_event()
            assert primed is not None
            assert primed == Event(id=primed.id, data="", retry="1000")
            assert primed.id
            reply.leave()
            reply = await session.get(last_event=primed.id)
        stage.release("held")
        events = [event async for event in all_events(reply)]
        assert [event.message["id"] for event in events] == [1]


@pytest.mark.parametrize(("version", "resumes"), RESUMES.items())
async def test_a_tool_may_close_its_streams_so_that_its_client_comes_back(version: str, resumes: bool) -> None:
    come_back = anyio.Event()

    async def close(ctx: Context) -> str:
        await ctx.close_standalone_sse_stream()
        await ctx.close_sse_stream()
        await ctx.report_progress(1)
        await come_back.wait()
        return "came back"

    factory = factory_of(plugin("fake.closing", ToolSpec(name="close", fn=close)))
    async with running(StreamableHttpApp(factory, HttpSettings(keep_alive=0))) as client:
        session = await client.open_session(version)
        stream = await session.get()
        reply = await session.post(call("close", token="t"))
        if resumes:
            assert await stream.event() is None
            primed = await reply.any_event()
            assert primed is not None
            assert await reply.any_event() is None
            reply = await session.get(last_event=primed.id)
        else:
            stream.leave()
        come_back.set()
        progress, answer = await reply.messages()
        assert progress["method"] == "notifications/progress"
        assert answer["result"]["content"][0]["text"] == "came back"


async def test_only_messages_are_replayed() -> None:
    async with running(Stage().http(keep_alive=0.01)) as client:
        session = await client.open_session()
        events = await events_of(await session.post(call("report", {"times": 3}, token="t")))
        for event in await events_of(await session.get(last_event=events[0].id)):
            assert event.message["jsonrpc"] == "2.0"
            assert event.id is not None


async def test_only_the_stream_of_that_event_is_replayed() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        _, last = await drop_after_progress(stage, session, "mine", 1)
        other, _ = await drop_after_progress(stage, session, "other", 2)
        assert await (await session.post(call("change", {}, 3))).text() == "changed"
        stage.release("other")
        await other.done()
        resumed = await session.get(last_event=last.id)
        stage.release("mine")
        progress, answer = await resumed.messages()
        assert progress["params"]["progressToken"] == "mine"
        assert answer["id"] == 1


async def test_the_stream_of_a_session_is_resumed_where_it_broke() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        first = await session.get()
        for number in range(4):
            await (await session.post(call("change", {}, number))).text()
        events = [await first.event() for _ in range(4)]
        assert all(event is not None and event.message["method"] == CHANGED for event in events)
        first.leave()
        await first.done()
        await (await session.post(call("change", {}, 4))).text()
        assert events[1] is not None
        second = await session.get(last_event=events[1].id)
        assert [await second.event(), await second.event()] == events[2:]
        await second.message()  # what happened meanwhile
        await (await session.post(call("change", {}, 5))).text()
        assert (await second.message())["method"] == CHANGED  # and what happens now
        assert second.waiting() == []


async def test_a_stream_that_is_resumed_elsewhere_ends_where_it_was_read() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        reply = await session.post(call("hold", {"name": "held", "progress": 1}, token="t"))
        event = await reply.event()
        assert event is not None
        resumed = await session.get(last_event=event.id)
        stage.release("held")
        assert (await resumed.answer())["result"]["content"][0]["text"] == "held"
        assert await reply.messages() == []


async def test_a_stream_that_is_resumed_does_not_wait_for_the_connection_that_is_not_read_any_more() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        stalled = await session.post(call("report", {"times": 3000}, token="t"))
        first = await stalled.event()
        assert first is not None
        stalled.stall()  # as after a network was changed: nobody has told the server that the client is gone
        await stage.until(lambda: stage.counts["reports"] > UNREAD)
        *progress, answer = await (await session.get(last_event=first.id)).messages()
        assert [message["params"]["progress"] for message in progress] == list(range(2, 3001))
        assert answer["result"]["content"][0]["text"] == "reported"
        stalled.leave()
        await stalled.done()


async def test_a_question_that_was_lost_with_its_stream_can_be_fetched_and_answered() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session(capabilities=FORM)
        dropped = await session.post(call("ask"))
        lost = await dropped.event()
        assert lost is not None
        assert lost.id is not None
        dropped.leave()
        stream, _, number = lost.id.rpartition(".")
        resumed = await session.get(last_event=f"{stream}.{int(number) - 1}")
        question = await resumed.message()
        assert question == lost.message
        await session.post({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}})
        assert "decline" in await resumed.text()


@pytest.mark.parametrize("last_event", ["", "0", "nonsense", ".", "x.", ".1", "x.1", "x.y.z", "-1", "١", "9" * 5000])
async def test_an_unknown_event_brings_nothing_foreign(last_event: str) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        await events_of(await session.post(call("report", {"times": 3}, token="t")))
        sent = get(session.id).having({"Last-Event-ID": last_event.encode().decode("latin-1")})
        opened = await client.send(sent)
        assert opened.status in (200, 400, 404)
        await (await session.post(PING)).result()
        if opened.status == 200:
            assert opened.waiting() == []
            await (await session.post(call("change"))).text()
            assert (await opened.message())["method"] == CHANGED  # it is the stream of the session


async def test_an_event_of_another_session_brings_nothing_of_that_session() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session, other = await client.open_session(), await client.open_session()
        _, last = await drop_after_progress(stage, other, "secret")
        opened = await session.get(last_event=last.id)
        stage.release("secret")
        await (await session.post(call("change", {}, 2))).text()
        if opened.status == 200:
            assert (await opened.message())["method"] == CHANGED
            assert opened.waiting() == []
        resumed = await other.get(last_event=last.id)  # which has lost nothing by it
        assert (await resumed.answer())["result"]["content"][0]["text"] == "secret"


@pytest.mark.parametrize("number", ["", "x", "-1", "1.5", "9" * 5000, "\xb2"], ids=lambda number: number[:8])
async def test_an_event_whose_number_is_none_brings_no_error_of_the_server(number: str) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        (event,) = await events_of(await session.post(PING))
        assert event.id is not None
        opened = await session.get(last_event=f"{event.id.rpartition('.')[0]}.{number}")
        assert opened.status < 500
        assert await (await session.post(PING)).result() == {}


async def test_an_event_of_a_number_that_was_not_reached_brings_what_is_still_to_come() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        _, last = await drop_after_progress(stage, session, "held")
        assert last.id is not None
        resumed = await session.get(last_event=last.id.rpartition(".")[0] + ".999999")
        stage.release("held")
        assert (await resumed.answer())["result"]["content"][0]["text"] == "held"


async def test_streams_that_came_to_their_end_long_ago_are_forgotten_even_while_a_call_runs() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        held, last = await drop_after_progress(stage, session, "held", "held")
        old = await events_of(await session.post(call("report", {"times": 2}, "old", token="t")))
        for number in range(100):
            await (await session.post(call("echo", {"message": "hi"}, number))).text()
        opened = await session.get(last_event=old[0].id)
        await (await session.post(call("change"))).text()
        assert (await opened.message())["method"] == CHANGED  # it is the stream of the session
        resumed = await session.get(last_event=last.id)  # but what is not answered can be resumed
        stage.release("held")
        assert (await resumed.answer())["result"]["content"][0]["text"] == "held"
        await held.done()


async def drop_after_progress(
    stage: Stage, session: Session, name: str, request_id: int | str = 1
) -> tuple[Reply, Event]:
    """Begin a call that reports progress twice, and go away then; gives the last event."""
    reply = await session.post(call("hold", {"name": name, "progress": 2}, request_id, token=name))
    await stage.began(name)
    await reply.event()
    last = await reply.event()
    assert last is not None
    assert last.message["params"]["progress"] == 2
    reply.leave()
    return reply, last


async def all_events(reply: Reply) -> AsyncIterator[Event]:
    """All events up to the end of the stream, those that only prime included."""
    while (event := await reply.any_event()) is not None:
        yield event


async def events_of(reply: Reply) -> list[Event]:
    """All events with a message, up to the end of the stream."""
    events: list[Event] = []
    while (event := await reply.event()) is not None:
        if event.comment is None:
            events.append(event)
    return events
