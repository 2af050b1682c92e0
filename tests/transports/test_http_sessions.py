"""Legacy sessions over Streamable HTTP: how they begin, what they accept, how they end, and that each is private."""

import logging
import re
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from everything_server import Era, Settings, input_required
from everything_server.serving.session_streams import UNREAD
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from harness.asgi import Reply, Session, running
from harness.clock import FakeClock
from harness.raw_http import (
    GUARD,
    INITIALIZED,
    SESSION,
    VERSION,
    HttpRequest,
    call,
    delete,
    get,
    initialize,
    modern,
    modern_call,
    notification,
    post,
    request,
)
from harness.stage import FORM, OTHER_RESOURCE, RESOURCE, Stage
from harness.wire import LEGACY_VERSION, MODERN_VERSION, Message

LEGACY_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
PING = request("ping")
GONE = "a-session-that-never-was"
IN_A_SESSION: dict[str, HttpRequest] = {
    "request": post(PING, GONE),
    "notification": post(INITIALIZED, GONE),
    "response": post({"jsonrpc": "2.0", "id": 1, "result": {}}, GONE),
    "initialize": post(initialize(), GONE),
    "GET": get(GONE),
    "DELETE": delete(GONE),
}
"""Requests in a session that is not there."""


# ---------------------------------------------------------------- the handshake


@pytest.mark.parametrize("version", LEGACY_VERSIONS)
async def test_initialize_opens_a_session_at_the_version_asked_for(version: str) -> None:
    async with running(Stage().http()) as client:
        opened = await client.send(post(initialize(version)))
        assert (opened.status, opened.is_stream) == (200, True)
        assert (await opened.result())["protocolVersion"] == version


@pytest.mark.parametrize("version", ["2026-07-28", "1999-01-01", "", "latest"])
async def test_initialize_with_another_version_is_offered_the_latest_one_with_a_handshake(version: str) -> None:
    async with running(Stage().http()) as client:
        opened = await client.send(post(initialize(version)))
        assert (await opened.result())["protocolVersion"] == LEGACY_VERSION


async def test_session_ids_are_unguessable_and_visible_ascii() -> None:
    async with running(Stage().http()) as client:
        ids = [(await client.open_session()).id for _ in range(20)]
    assert all(re.fullmatch(r"[!-~]{22,}", session_id) for session_id in ids)  # 22 of 64 characters are 128 bits
    assert len(set(ids)) == 20
    assert len({session_id[:6] for session_id in ids}) == 20


async def test_the_session_id_is_on_the_streams_of_the_session_only() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        assert (await session.post(PING)).headers[SESSION] == session.id
        assert (await session.get()).headers[SESSION] == session.id
        assert SESSION not in (await client.send(post(PING))).headers
        assert SESSION not in (await client.send(post(PING, GONE))).headers
        assert SESSION not in (await client.send(modern("tools/list"))).headers


async def test_an_initialize_that_is_refused_opens_no_session() -> None:
    app = Stage().http()
    async with running(app) as client:
        refused = await client.send(post(request("initialize", {"protocolVersion": 5})))
        assert refused.status == 400
        assert SESSION not in refused.headers
        assert (await refused.error())["code"] == -32602
        await sessions_left(app, 0)


async def test_a_second_initialize_in_a_session_is_refused_and_disturbs_nothing() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        assert await (await session.post(call("remember", {"text": "kept"}))).text() == "kept"
        again = await session.post(initialize("2024-11-05", request_id="again"))
        assert again.status == 400
        answer = await again.answer()
        assert (answer["error"]["code"], answer["id"]) == (-32600, "again")
        assert await (await session.post(call("recall"))).text() == "kept"


async def test_a_factory_that_raises_is_answered_with_500() -> None:
    def factory(context: object) -> Any:
        raise RuntimeError("this factory always raises")

    async with running(StreamableHttpApp(factory, HttpSettings())) as client:
        answered = await client.send(post(initialize(request_id=9)))
        assert answered.status == 500
        answer = await answered.answer()
        assert (answer["error"]["code"], answer["id"]) == (-32603, 9)
        assert "always raises" not in str(answer)


# ---------------------------------------------------------------- which session


@pytest.mark.parametrize(
    "body",
    [PING, INITIALIZED, {"jsonrpc": "2.0", "id": 1, "result": {}}, [PING, initialize()], [initialize()]],
    ids=["request", "notification", "response", "batch", "initialize in a batch"],
)
async def test_without_a_session_id_only_initialize_is_served(body: Any) -> None:
    app = Stage().http()
    async with running(app) as client:
        refused = await client.send(post(body))
        assert refused.status == 400
        answer = await refused.answer()
        assert answer["error"]["code"] == -32600
        assert answer.get("id") == (1 if body == PING else None)
        await sessions_left(app, 0)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_a_get_or_delete_without_a_session_id_is_refused(method: str) -> None:
    async with running(Stage().http()) as client:
        refused = await client.send(get() if method == "GET" else delete())
        assert refused.status == 400
        assert (await refused.error())["code"] == -32600


@pytest.mark.parametrize("sent", IN_A_SESSION.values(), ids=IN_A_SESSION)
async def test_a_session_that_is_not_there_is_answered_with_404(sent: HttpRequest) -> None:
    async with running(Stage().http()) as client:
        await check_not_found(await client.send(sent))


@pytest.mark.parametrize("sent", IN_A_SESSION.values(), ids=IN_A_SESSION)
async def test_a_session_that_was_deleted_is_answered_with_404(sent: HttpRequest) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        deleted = await session.delete()
        assert 200 <= deleted.status < 300
        await check_not_found(await client.send(sent.having({SESSION: session.id})))


@pytest.mark.parametrize("sent", IN_A_SESSION.values(), ids=IN_A_SESSION)
async def test_a_session_that_has_expired_is_answered_with_404(sent: HttpRequest) -> None:
    clock = FakeClock()
    async with running(Stage().http(clock=clock, session_idle=100)) as client:
        session = await client.open_session()
        clock.advance(100.5)  # nobody has swept yet
        await check_not_found(await client.send(sent.having({SESSION: session.id})))


async def test_the_id_of_a_request_is_in_the_answer_about_its_session() -> None:
    async with running(Stage().http()) as client:
        assert (await (await client.send(post(request("ping", None, "p"), GONE))).answer())["id"] == "p"


async def check_not_found(reply: Reply) -> None:
    assert reply.status == 404
    assert (await reply.error())["code"] == -32600


# ---------------------------------------------------------------- messages


@pytest.mark.parametrize(
    "message",
    [
        notification("notifications/roots/list_changed"),
        notification("notifications/no-such-thing"),
        notification("notifications/cancelled", {"requestId": 99}),
        notification("notifications/cancelled", {}),
        notification("notifications/cancelled"),
        {"jsonrpc": "2.0", "id": 99, "result": {}},
        {"jsonrpc": "2.0", "id": "never-asked", "error": {"code": -1, "message": "no"}},
    ],
)
async def test_notifications_and_responses_are_accepted_without_an_answer(message: Message) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        accepted = await session.post(message)
        assert (accepted.status, await accepted.body()) == (202, b"")
        assert await (await session.post(PING)).result() == {}


async def test_an_unknown_method_is_an_error_on_200() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        answered = await session.post(request("no/such-method"))
        assert answered.status == 200
        assert (await answered.error())["code"] == -32601


async def test_routing_headers_of_the_modern_era_are_ignored() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        sent = post(call("echo", {"message": "hi"}), session.id)
        answered = await client.send(sent.having({"Mcp-Method": "ping", "Mcp-Name": "=?base64?%%%?="}))
        assert await answered.text() == "hi"


@pytest.mark.parametrize("version", ["2024-10-07", "1900-01-01", "", "2025-11-26"])
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_an_unknown_version_header_is_refused_with_the_versions_that_are_known(method: str, version: str) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        sent = {"POST": post(PING, session.id), "GET": get(session.id), "DELETE": delete(session.id)}[method]
        refused = await client.send(sent.having({VERSION: version}))
        assert refused.status == 400
        error = await refused.error()
        assert error["code"] == -32022
        assert error["data"] == {"supported": [MODERN_VERSION, *reversed(LEGACY_VERSIONS)], "requested": version}
        assert all(version in error["message"] for version in LEGACY_VERSIONS)
        assert await (await session.post(PING)).result() == {}  # the session has not come to harm


@pytest.mark.parametrize("version", [None, *LEGACY_VERSIONS])
async def test_no_version_header_and_every_legacy_one_is_accepted(version: str | None) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        assert await (await client.send(post(PING, session.id).having({VERSION: version}))).result() == {}


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "HEAD", "PROPFIND"])
async def test_other_methods_are_not_allowed(method: str) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        refused = await client.send(post(PING, session.id).having(method=method))
        assert refused.status == 405
        assert set(refused.headers["allow"].replace(" ", "").split(",")) == {"GET", "POST", "DELETE"}


@pytest.mark.parametrize("path", ["/index", "/mcp/", "/mcp/x", "/sse", "/MCP"])
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_other_paths_are_not_found(method: str, path: str) -> None:
    async with running(Stage().http()) as client:
        assert (await client.send(post(initialize()).having(method=method, path=path))).status == 404


async def test_the_path_is_an_option() -> None:
    async with running(Stage().http(path="/elsewhere")) as client:
        assert (await client.send(post(initialize()).having(path="/elsewhere"))).status == 200
        assert (await client.send(post(initialize()))).status == 404


# ---------------------------------------------------------------- ids in flight, and cancellation


async def test_an_id_that_is_in_flight_is_refused_and_the_earlier_call_gets_its_own_answer() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        first = await session.post(call("hold", {"name": "first"}, 7))
        await stage.began("first")
        second = await session.post(call("echo", {"message": "second"}, 7))
        assert second.status == 400
        answer = await second.answer()
        assert (answer["error"]["code"], answer["id"]) == (-32600, 7)
        stage.release("first")
        assert await first.text() == "first"
        assert await (await session.post(call("echo", {"message": "again"}, 7))).text() == "again"


async def test_a_number_and_a_string_are_different_ids() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        number = await session.post(call("hold", {"name": "number"}, 7))
        text = await session.post(call("hold", {"name": "text"}, "7"))
        await stage.began("number")
        await stage.began("text")
        stage.release("text")
        answer = await text.answer()
        assert (answer["id"], answer["result"]["content"][0]["text"]) == ("7", "text")
        stage.release("number")
        answer = await number.answer()
        assert (answer["id"], answer["result"]["content"][0]["text"]) == (7, "number")


async def test_sessions_and_modern_requests_share_ids_freely() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        names = ["a", "b", "c", "d"]
        replies = [await (await client.open_session()).post(call("hold", {"name": name}, 7)) for name in names[:2]]
        replies += [client.start(modern_call("hold", {"name": name}, 7)) for name in names[2:]]
        for name in names:
            await stage.began(name)
        for name in reversed(names):
            stage.release(name)
        assert [await reply.text() for reply in replies] == names


async def test_an_id_can_be_used_again_although_its_first_answer_has_not_been_read() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        # So much progress may wait for a client that does not read; the answer then waits for the client.
        unread = session.start(call("report", {"times": UNREAD}, 7, token="t"))
        unread.stall()
        await stage.until(lambda: stage.counts["reports"] == UNREAD)
        with anyio.fail_after(5):
            while (reused := await session.post(call("echo", {"message": "reused"}, 7))).status == 400:
                await anyio.lowlevel.checkpoint()  # it has not come to its end yet
        assert await reused.text() == "reused"
        unread.resume()
        messages = await unread.messages()
        assert len(messages) == UNREAD + 1
        assert messages[-1]["result"]["content"][0]["text"] == "reported"


async def test_a_cancelled_call_ends_its_stream_without_an_answer() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session()
        cancelled = await session.post(call("hold", {"name": "cancelled", "progress": 1}, 5, token="t"))
        other = await session.post(call("hold", {"name": "other"}, 6))
        await stage.began("cancelled")
        await stage.began("other")
        for requested in (99, "5", None, [5], 5):
            assert (await session.post(cancel(requested))).status == 202
        assert [message["method"] for message in await cancelled.messages()] == ["notifications/progress"]
        assert stage.held["cancelled"].was_cancelled
        stage.release("other")
        assert await other.text() == "other"
        assert (await session.post(cancel(6))).status == 202  # it has come to its end already
        assert await (await session.post(call("echo", {"message": "hi"}, 5))).text() == "hi"


async def test_a_call_is_not_cancelled_from_another_session() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session, other = await client.open_session(), await client.open_session()
        held = await session.post(call("hold", {"name": "held"}, 5))
        await stage.began("held")
        assert (await other.post(cancel(5))).status == 202
        assert await (await other.post(PING)).result() == {}
        stage.release("held")
        assert await held.text() == "held"


async def test_initialize_cannot_be_cancelled() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        assert (await session.post(cancel(0))).status == 202
        assert await (await session.post(PING)).result() == {}


def cancel(request_id: Any) -> Message:
    return notification("notifications/cancelled", {"requestId": request_id, "reason": "test"})


# ---------------------------------------------------------------- questions


async def test_a_question_travels_on_the_stream_of_its_call_before_the_result() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session(capabilities=FORM)
        standalone = await session.get()
        asked = await session.post(call("ask"))
        question = await asked.message()
        assert question["method"] == "elicitation/create"
        reply = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"name": "Ada"}}}
        assert (await session.post(reply)).status == 202
        assert "Ada" in await asked.text()
        assert standalone.waiting() == []


async def test_a_question_that_stays_unanswered_ends_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_required, "ANSWER_TIMEOUT", 0.01)
    async with running(Stage().http()) as client:
        session = await client.open_session(capabilities=FORM)
        asked = await session.post(call("ask"))
        question, withdrawn, answer = await asked.messages()
        assert question["method"] == "elicitation/create"
        assert withdrawn["method"] == "notifications/cancelled"
        assert withdrawn["params"]["requestId"] == question["id"]
        assert answer["result"]["isError"]


async def test_a_question_is_not_answered_from_another_session() -> None:
    async with running(Stage().http()) as client:
        session, other = [await client.open_session(capabilities=FORM) for _ in range(2)]
        asked = await session.post(call("ask"))
        question = await asked.message()
        forged = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"name": "Eve"}}}
        assert (await other.post(forged)).status == 202
        reply = {"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "no"}}
        assert (await session.post(reply)).status == 202
        result = await asked.result()
        assert result["isError"]
        assert "Eve" not in str(result)


# ---------------------------------------------------------------- privacy


async def test_sessions_see_nothing_of_each_other() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        first = await client.open_session(capabilities=FORM)
        first_stream = await first.get()
        held = await first.post(call("hold", {"name": "held", "progress": 2}, 1, token="t"))
        await stage.began("held")
        second = await client.open_session()  # while the first one is busy
        second_stream = await second.get()
        assert await (await second.post(call("echo", {"message": "hi"}, 1))).text() == "hi"
        await subscribe(second, RESOURCE)
        await subscribe(first, OTHER_RESOURCE)
        assert await (await first.post(call("remember", {"text": "mine"}, 2))).text() == "kept"
        assert await (await second.post(call("recall", {}, 2))).text() == ""
        for uri in (RESOURCE, OTHER_RESOURCE):
            assert await (await first.post(call("update", {"uri": uri}, 3))).text() == "updated"
        assert await (await second.post(call("change", {}, 3))).text() == "changed"
        asked = await first.post(call("ask", {}, 4))
        question = await asked.message()
        assert question["method"] == "elicitation/create"
        assert (await (await second.post(call("ask", {}, 4))).result())["isError"]  # it cannot be asked
        stage.release("held")
        assert methods(await held.messages()) == ["notifications/progress"] * 3 + [None]
        assert events(first_stream) == [("notifications/resources/updated", {"uri": OTHER_RESOURCE})]
        assert events(second_stream) == [("notifications/tools/list_changed", None)]


async def test_many_sessions_with_the_same_ids_get_their_own_answers() -> None:
    async with running(Stage().http()) as client:

        async def talk(name: str) -> None:
            session = await client.open_session()
            for number in range(50):
                answer = await (await session.post(call("echo", {"message": f"{name}:{number}"}, number))).answer()
                assert answer["id"] == number
                assert answer["result"]["content"][0]["text"] == f"{name}:{number}"

        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(talk, f"session {number}")


async def subscribe(session: Session, uri: str) -> None:
    assert await (await session.post(request("resources/subscribe", {"uri": uri}, "s"))).result() == {}


def methods(messages: list[Message]) -> list[str | None]:
    return [message.get("method") for message in messages]


def events(stream: Reply) -> list[tuple[str, Any]]:
    return [(event.message["method"], event.message.get("params")) for event in stream.waiting()]


# ---------------------------------------------------------------- the end


async def test_deleting_a_session_ends_all_that_belongs_to_it() -> None:
    stage, clock = Stage(), FakeClock()
    app = stage.http(Settings(clock=clock))
    async with running(app) as client:
        session, other = await client.open_session(), await client.open_session()
        stream = await session.get()
        for number, tool in enumerate(("tidy", "tick")):
            await (await session.post(call(tool, {}, number))).text()
        held = await session.post(call("hold", {"name": "held", "progress": 1}, 5, token="t"))
        await stage.began("held")
        assert stage.counts["timers"] == 1
        assert (await session.delete()).status == 200
        await stage.until(lambda: stage.counts["cleanups"] == 1 and stage.counts["timers"] == 0)
        assert stage.held["held"].was_cancelled
        assert methods(await held.messages()) == ["notifications/progress"]  # both streams end as they should
        assert methods(await stream.messages()) == ["notifications/tools/list_changed"]
        assert await (await other.post(PING)).result() == {}
        await sessions_left(app, 1)


async def test_the_end_of_an_idle_session_is_logged_also_when_its_client_comes_before_the_sweep(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = FakeClock()
    app = Stage().http(clock=clock, session_idle=100)
    async with running(app) as client:
        session = await client.open_session()
        with caplog.at_level(logging.INFO):
            clock.advance(200)
            await check_not_found(await session.post(PING))
            await sessions_left(app, 0)
    ends = [record.getMessage() for record in caplog.records if "idle" in record.getMessage()]
    assert ends == ["ending a session that was idle for 200 seconds"]


async def test_a_session_that_nobody_uses_ends() -> None:
    stage, clock = Stage(), FakeClock()
    app = stage.http(clock=clock, session_idle=100)
    async with running(app) as client:
        unused, used = await client.open_session(), await client.open_session()
        await (await unused.post(call("tidy"))).text()
        clock.advance(60)
        assert await (await used.post(PING)).result() == {}
        clock.advance(60)
        await stage.until(lambda: stage.counts["cleanups"] == 1)
        await check_not_found(await unused.post(PING))
        assert await (await used.post(PING)).result() == {}
        await sessions_left(app, 1)


async def test_a_session_does_not_end_while_a_call_runs() -> None:
    stage, clock = Stage(), FakeClock()
    async with running(stage.http(clock=clock, session_idle=100)) as client:
        session = await client.open_session()
        held = await session.post(call("hold", {"name": "held"}))
        await stage.began("held")
        held.leave()  # nobody reads the answer, which makes no difference
        await sweep(clock, 1000)
        assert await (await session.post(request("ping", None, "p"))).result() == {}
        stage.release("held")
        await sweep(clock, 90)
        assert await (await session.post(PING)).result() == {}
        await sweep(clock, 101)
        await check_not_found(await session.post(PING))


async def test_a_session_does_not_end_while_its_stream_is_read() -> None:
    clock = FakeClock()
    async with running(Stage().http(clock=clock, session_idle=100)) as client:
        session = await client.open_session()
        stream = await session.get()
        await sweep(clock, 1000)
        assert await (await session.post(PING)).result() == {}
        stream.leave()
        await stream.done()
        await sweep(clock, 101)
        await check_not_found(await session.post(PING))


async def test_a_vanished_client_leaves_no_timer_beyond_the_idle_limit() -> None:
    stage, clock, timer_clock = Stage(), FakeClock(), FakeClock()
    app = stage.http(Settings(clock=timer_clock), clock=clock, session_idle=100)
    async with running(app) as client:
        session = await client.open_session()
        stream = await session.get()
        await (await session.post(call("tick"))).text()
        stream.leave()
        await stream.done()
        await sweep(clock, 101)
        await stage.until(lambda: stage.counts["timers"] == 0)
        assert timer_clock.sleepers == 0
        await sessions_left(app, 0)


async def test_what_a_server_sends_by_itself_does_not_count_as_use_of_the_session() -> None:
    stage, clock, timer_clock = Stage(), FakeClock(), FakeClock()
    app = stage.http(Settings(clock=timer_clock), clock=clock, session_idle=100)
    async with running(app) as client:
        session = await client.open_session()
        await (await session.post(call("tick"))).text()
        for _ in range(4):
            await timer_clock.wake_next()
            await sweep(clock, 30)
        await stage.until(lambda: stage.counts["timers"] == 0)
        await check_not_found(await session.post(PING))


async def sweep(clock: FakeClock, seconds: float) -> None:
    """Let time pass, and the sessions be looked at."""
    swept = len(clock.slept)
    clock.advance(seconds)
    await clock.until(lambda clock: len(clock.slept) > swept)


async def test_over_the_cap_there_is_no_new_session_until_another_one_ends() -> None:
    app = Stage().http(max_sessions=2)
    async with running(app) as client:
        first, second = await client.open_session(), await client.open_session()
        refused = await client.send(post(initialize(request_id=3)))
        assert refused.status == 503
        assert int(refused.headers["retry-after"]) > 0
        assert SESSION not in refused.headers
        answer = await refused.answer()
        assert (answer["error"]["code"], answer["id"]) == (-32603, 3)
        assert await (await client.send(modern_call("echo", {"message": "hi"}))).text() == "hi"
        assert await (await second.post(PING)).result() == {}
        await first.delete()
        await sessions_left(app, 1)
        assert (await client.open_session()).id != first.id


async def test_no_session_is_opened_once_the_server_is_ending() -> None:
    app = Stage().http()
    async with running(app) as client:
        session = await client.open_session()
        await app.close()
        await check_not_found(await session.post(PING))
        await sessions_left(app, 0)
        assert (await client.send(post(initialize()))).status == 503


# ---------------------------------------------------------------- other postures


async def test_without_sessions_legacy_requests_are_served_one_by_one() -> None:
    async with running(Stage().http(legacy="stateless")) as client:
        opened = await client.send(post(initialize()))
        assert (opened.status, SESSION in opened.headers) == (200, False)
        assert await (await client.send(post(call("echo", {"message": "hi"})))).text() == "hi"
        assert (await client.send(get("any"))).status == 405
        assert await (await client.send(modern_call("echo", {"message": "hi"}))).text() == "hi"


@pytest.mark.parametrize("options", [{"legacy": "reject"}, {"eras": frozenset({Era.MODERN})}], ids=["reject", "modern"])
async def test_a_server_of_the_modern_era_only_names_the_version_it_speaks(options: dict[str, Any]) -> None:
    async with running(Stage().http(**options)) as client:
        refused = await client.send(post(initialize()))
        assert refused.status == 400
        error = await refused.error()
        assert error["code"] == -32022
        assert error["data"]["supported"] == [MODERN_VERSION]
        for sent in (get("any"), delete("any")):
            answered = await client.send(sent)
            assert (answered.status, answered.headers["allow"]) == (405, "POST")
        assert await (await client.send(modern_call("echo", {"message": "hi"}))).text() == "hi"


async def test_a_server_of_the_legacy_era_only_names_the_versions_it_speaks() -> None:
    async with running(Stage().http(eras=frozenset({Era.LEGACY}))) as client:
        session = await client.open_session()
        assert await (await session.post(call("echo", {"message": "hi"}))).text() == "hi"
        refused = await client.send(modern("tools/list", request_id=4))
        assert refused.status == 400
        answer = await refused.answer()
        assert (answer["error"]["code"], answer["id"]) == (-32022, 4)
        assert answer["error"]["data"]["supported"] == list(reversed(LEGACY_VERSIONS))


async def sessions_left(app: StreamableHttpApp, number: int) -> None:
    """Wait until so many sessions are left."""
    assert app.sessions is not None
    with anyio.fail_after(GUARD):
        while len(app.sessions) != number:
            await anyio.lowlevel.checkpoint()
