"""Legacy streams that a tool closes before its result, so that its client polls (2025-11-25 basic/transports)."""

import pytest
from everything_server.serving.session_streams import RETRY_AFTER
from harness.asgi import Reply, running
from harness.raw_http import Event, call, modern_call
from harness.stage import Stage

EARLIER_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18"]
CHANGED = "notifications/tools/list_changed"
ADVICE = Event(retry=str(RETRY_AFTER))


def primed_with(reply: Reply) -> str:
    """The id of the event that a stream has begun with."""
    first = reply.controls[0]
    assert first.data == ""
    assert first.id
    return first.id


async def test_the_stream_of_a_call_begins_with_an_event_that_it_can_be_resumed_from() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        dropped = await session.post(call("hold", {"name": "held"}))
        await stage.began("held")
        assert dropped.waiting() == []  # no message yet
        place = primed_with(dropped)
        dropped.leave()
        resumed = await session.get(last_event=place)
        stage.release("held")
        assert await resumed.text() == "held"


async def test_a_closed_stream_is_taken_up_again_where_it_ended() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        closed = await session.post(call("step_aside", {"name": "held"}))
        assert await closed.messages() == []  # it has ended, and the call goes on
        assert closed.controls[1:] == [ADVICE]
        assert not stage.held["held"].is_over
        resumed = await session.get(last_event=primed_with(closed))
        stage.release("held")
        assert await resumed.text() == "held"


async def test_the_result_waits_for_a_client_that_is_not_back_yet() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        closed = await session.post(call("step_aside", {"name": "held"}))
        assert await closed.messages() == []
        stage.release("held")
        await stage.until(lambda: stage.held["held"].is_over)
        assert await (await session.get(last_event=primed_with(closed))).text() == "held"


@pytest.mark.parametrize("version", EARLIER_VERSIONS)
async def test_clients_of_earlier_revisions_know_nothing_of_it_and_get_the_result_at_once(version: str) -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session(version)
        reply = await session.post(call("step_aside", {"name": "held"}))
        stage.release("held")
        assert await reply.text() == "held"
        assert reply.controls == []


async def test_the_stream_of_the_session_can_be_closed_too_and_loses_nothing() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        standalone = await session.get()
        reply = await session.post(call("step_aside", {"name": "held", "whole_session": True}, 1))
        assert await standalone.messages() == []
        assert standalone.controls == [ADVICE]
        await (await session.post(call("change", {}, 2))).answer()
        again = await session.get()
        assert (await again.message())["method"] == CHANGED
        stage.release("held")
        assert await reply.text() == "held"


async def test_without_a_stream_of_the_session_there_is_none_to_close() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        reply = await session.post(call("step_aside", {"name": "held", "whole_session": True}))
        stage.release("held")
        assert await reply.text() == "held"


async def test_modern_a_stream_that_cannot_be_resumed_is_not_closed() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        stage.release("held")
        reply = await client.send(modern_call("step_aside", {"name": "held"}))
        assert await reply.text() == "held"
        assert reply.controls == []
