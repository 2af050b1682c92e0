"""Legacy streams that a tool closes before its result, so that its client polls (2025-11-25 basic/transports)."""

from harness.asgi import Reply, running
from harness.raw_http import call, modern_call
from harness.stage import Stage

CHANGED = "notifications/tools/list_changed"


async def place_to_resume(reply: Reply) -> str:
    """The id of the event that a stream has begun with; that must be all of it."""
    first = await reply.any_event()
    assert first is not None
    assert (first.data, await reply.any_event()) == ("", None)
    assert first.id
    return first.id


async def test_the_result_waits_for_a_client_that_is_not_back_yet() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        closed = await session.post(call("step_aside", {"name": "held"}))
        place = await place_to_resume(closed)
        stage.release("held")
        await stage.until(lambda: stage.held["held"].is_over)
        assert await (await session.get(last_event=place)).text() == "held"


async def test_the_stream_of_the_session_can_be_closed_too_and_loses_nothing() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        standalone = await session.get()
        reply = await session.post(call("step_aside", {"name": "held", "whole_session": True}, 1))
        assert await standalone.messages() == []
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
