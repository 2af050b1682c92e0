"""Modern requests at the product's endpoint: one POST, one server, one answer.

Which requests are refused, and how, is in the tables of `handler/`.
"""

from typing import Any

import anyio
import anyio.lowlevel
import pytest
from everything_server import Era, ServerFactory, ServingContext
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from harness.asgi import running
from harness.raw_http import (
    SESSION,
    VERSION,
    delete,
    get,
    modern,
    modern_call,
    notification,
    post,
    request,
)
from harness.stage import FORM, Stage
from harness.wire import META, MODERN_VERSION

PROGRESS = "notifications/progress"


# ---------------------------------------------------------------- one request, one answer


async def test_an_answer_that_nothing_precedes_is_json() -> None:
    async with running(Stage().http()) as client:
        reply = await client.send(modern_call("echo", {"message": "hi"}, "e"))
        assert (reply.status, reply.headers.media_type) == (200, "application/json")
        answer = await reply.answer()
        assert (answer["id"], answer["result"]["resultType"]) == ("e", "complete")


@pytest.mark.parametrize("token", [0, "", "t", 12345678901], ids=repr)
async def test_progress_precedes_the_answer_on_its_stream(token: str | int) -> None:
    async with running(Stage().http()) as client:
        reply = await client.send(modern_call("report", {"times": 3}, token=token))
        assert (reply.status, reply.headers.media_type) == (200, "text/event-stream")
        *progress, answer = await reply.messages()
        assert [message["method"] for message in progress] == [PROGRESS] * 3
        assert [message["params"]["progress"] for message in progress] == [1, 2, 3]
        assert all(message["params"]["progressToken"] == token for message in progress)
        assert all(type(message["params"]["progressToken"]) is type(token) for message in progress)
        assert answer["result"]["content"][0]["text"] == "reported"


async def test_there_is_no_progress_without_a_token() -> None:
    async with running(Stage().http()) as client:
        reply = await client.send(modern_call("report", {"times": 3}))
        assert reply.headers.media_type == "application/json"
        assert await reply.text() == "reported"


async def test_a_log_message_precedes_the_answer_if_the_request_asks_for_its_level() -> None:
    async with running(Stage(logs=True).http()) as client:
        params: dict[str, Any] = {"name": "say", "arguments": {"text": "hello"}}
        for level, expected in (("debug", 1), ("info", 1), ("warning", 0)):
            sent = modern("tools/call", {**params, "_meta": {f"{META}logLevel": level}})
            *logged, answer = await (await client.send(sent)).messages()
            assert [message["params"]["data"] for message in logged] == ["hello"] * expected
            assert "result" in answer
        assert len(await (await client.send(modern("tools/call", params))).messages()) == 1


async def test_the_events_of_a_stream_have_no_ids_because_nothing_can_be_resumed() -> None:
    async with running(Stage().http()) as client:
        reply = await client.send(modern_call("report", {"times": 2}, token="t"))
        await reply.done()
        assert [event.id for event in reply.waiting()] == [None] * 3


async def test_the_factory_is_called_once_for_each_request_with_what_it_needs_to_know() -> None:
    factory = Stage().factory()
    contexts: list[ServingContext] = []

    def counted(context: ServingContext) -> Any:
        contexts.append(context)
        return factory(context)

    async with running(StreamableHttpApp(counted, HttpSettings())) as client:
        for _ in range(2):
            sent = modern_call("echo", {"message": "hi"}).having({"X-Test": "yes"})
            assert await (await client.send(sent)).text() == "hi"
        await client.open_session()
        assert (await client.send(modern("no/such-method"))).status == 404
        assert (await client.send(modern("tools/list").having({"Mcp-Method": None}))).status == 400
    assert [context.era for context in contexts] == [Era.MODERN, Era.MODERN, Era.LEGACY, Era.MODERN]
    assert all(context.request is not None for context in contexts)
    assert contexts[0].request is not None
    assert contexts[0].request.headers["x-test"] == "yes"
    assert all(context.auth_info is None for context in contexts)


async def test_the_same_id_in_two_requests_at_once_is_fine() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        first, second = (client.start(modern_call("hold", {"name": name}, 7)) for name in ("first", "second"))
        await stage.began("first")
        await stage.began("second")
        stage.release("second")
        assert await second.text() == "second"
        assert not first.ended
        stage.release("first")
        assert await first.text() == "first"


async def test_no_session_is_made_or_named() -> None:
    app = Stage().http()
    async with running(app) as client:
        sent = modern_call("echo", {"message": "hi"})
        for headers in ({}, {SESSION: "zzz", "Last-Event-ID": "5"}):
            reply = await client.send(sent.having(headers))
            assert await reply.text() == "hi"
            assert SESSION not in reply.headers
        session = await client.open_session()
        reply = await client.send(sent.having({SESSION: session.id}))  # not even one that there is
        assert await reply.text() == "hi"
        assert SESSION not in reply.headers
        assert len(app.sessions or ()) == 1


@pytest.mark.parametrize("version", [MODERN_VERSION, "2099-01-01"])
async def test_there_is_neither_get_nor_delete(version: str) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        for sent in (get(session.id), delete(session.id), get(), delete()):
            refused = await client.send(sent.having({VERSION: version}))
            assert (refused.status, refused.headers["allow"]) == (405, "POST")
        assert await (await session.post(request("ping"))).result() == {}


async def test_a_question_is_a_result() -> None:
    async with running(Stage().http()) as client:
        asked = await (await client.send(modern_call("ask", capabilities=FORM))).result()
        assert asked["resultType"] == "input_required"
        assert asked["inputRequests"]["name"]["method"] == "elicitation/create"
        params = {
            "name": "ask",
            "arguments": {},
            "inputResponses": {"name": {"action": "accept", "content": {"name": "Ada"}}},
        }
        if "requestState" in asked:
            params["requestState"] = asked["requestState"]
        answered = await client.send(modern("tools/call", params, capabilities=FORM))
        assert "Ada" in await answered.text()


async def test_a_client_that_cannot_be_asked_is_refused() -> None:
    async with running(Stage().http()) as client:
        refused = await client.send(modern_call("ask"))
        assert refused.status == 400
        error = await refused.error()
        assert error["code"] == -32021
        assert error["data"]["requiredCapabilities"] == FORM


async def test_a_notification_is_accepted() -> None:
    async with running(Stage().http()) as client:
        sent = post(notification("notifications/cancelled", {"requestId": 1}))
        reply = await client.send(sent.having({VERSION: MODERN_VERSION, "Mcp-Method": "notifications/cancelled"}))
        assert (reply.status, await reply.body()) == (202, b"")


async def test_a_call_is_not_cancelled_by_a_notification_in_another_request() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        held = client.start(modern_call("hold", {"name": "held"}, 5))
        await stage.began("held")
        sent = modern("notifications/cancelled", {"requestId": 5})
        sent = sent.having(body=sent.body.replace(b'"id": 1, ', b""))
        assert (await client.send(sent)).status == 202
        stage.release("held")
        assert await held.text() == "held"


# ---------------------------------------------------------------- clients that go away


@pytest.mark.parametrize("progress", [0, 1], ids=["before the answer", "on its stream"])
async def test_closing_the_response_cancels_the_work(progress: int) -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        held = client.start(modern_call("hold", {"name": "held", "progress": progress}, token="t"))
        await stage.began("held")
        held.leave()
        await held.done()
        assert stage.held["held"].was_cancelled
        assert await (await client.send(modern_call("echo", {"message": "hi"}))).text() == "hi"


async def test_work_whose_stalled_client_goes_away_is_cancelled() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        stalled = client.start(modern_call("report", {"times": 100_000}, token="t"))
        stalled.stall()
        await stage.until(lambda: stage.counts["reports"] > 0)
        for _ in range(50):
            await anyio.lowlevel.checkpoint()
        assert stage.counts["reports"] < 2000  # a client that does not read holds up the work for it
        stalled.leave()
        await stalled.done()
        assert stage.counts["reports"] < 2000


async def test_the_cleanup_of_a_cancelled_request_is_run() -> None:
    stage = Stage()
    composed = stage.factory()
    cleaned_up = anyio.Event()

    def factory(context: ServingContext) -> Any:
        server = composed(context)
        server.context.exit_stack.callback(cleaned_up.set)
        return server

    async with running(StreamableHttpApp(factory, HttpSettings())) as client:
        held = client.start(modern_call("hold", {"name": "held"}))
        await stage.began("held")
        assert not cleaned_up.is_set()
        held.leave()
        await held.done()
        assert cleaned_up.is_set()


async def test_a_factory_that_raises_is_answered_with_500() -> None:
    def factory(context: object) -> Any:
        raise RuntimeError("this factory always raises")

    async with running(StreamableHttpApp(factory, HttpSettings())) as client:
        answered = await client.send(modern("tools/list", request_id="x"))
        assert answered.status == 500
        answer = await answered.answer()
        assert (answer["error"]["code"], answer["id"]) == (-32603, "x")
        assert "always raises" not in str(answer)


async def test_a_factory_may_be_asynchronous() -> None:
    composed: ServerFactory = Stage().factory()

    async def factory(context: ServingContext) -> Any:
        await anyio.lowlevel.checkpoint()
        return composed(context)

    async with running(StreamableHttpApp(factory, HttpSettings())) as client:
        assert await (await client.send(modern_call("echo", {"message": "hi"}))).text() == "hi"
        session = await client.open_session()
        assert await (await session.post(request("ping"))).result() == {}
