"""HTTP+SSE: a GET opens the stream and with it the conversation, to which the client posts its messages."""

import json
import re
from typing import Any

import anyio
import pytest
from everything_server import Era, Settings, input_required
from everything_server.transports.sse import SseApp, SseSettings
from harness.asgi import AsgiClient, Reply, running
from harness.clock import FakeClock
from harness.raw_http import (
    CHUNK,
    INITIALIZED,
    HttpRequest,
    call,
    delete,
    envelope,
    get,
    initialize,
    notification,
    post,
    request,
)
from harness.stage import FORM, OTHER_RESOURCE, RESOURCE, Stage
from harness.wire import LEGACY_VERSION, Message

PING = request("ping", None, "ping")
CHANGED = "notifications/tools/list_changed"
STREAM = get().having(path="/sse")


class Conversation:
    """An open stream, and where to post to."""

    def __init__(self, client: AsgiClient, stream: Reply, endpoint: str) -> None:
        self.stream = stream
        self.endpoint = endpoint
        self._client = client

    def request(self, body: Any) -> HttpRequest:
        return post(body, path=self.endpoint)

    async def post(self, body: Any) -> None:
        """Post a message, which must be accepted."""
        reply = await self._client.send(self.request(body))
        assert reply.status == 202, await reply.body()

    async def ask(self, body: Message) -> Message:
        """Post a request, and wait for the next message on the stream, which must be its answer."""
        await self.post(body)
        answer = await self.stream.message()
        assert answer.get("id") == body["id"], answer
        return answer

    async def text(self, body: Message) -> str:
        """The text that a tool gives."""
        return (await self.ask(body))["result"]["content"][0]["text"]

    async def leave(self) -> None:
        self.stream.leave()
        await self.stream.done()


async def open_stream(client: AsgiClient, sent: HttpRequest = STREAM) -> Conversation:
    stream = await client.send(sent)
    assert (stream.status, stream.headers.media_type) == (200, "text/event-stream")
    event = await stream.event()
    assert event is not None
    assert (event.name, event.id) == ("endpoint", None)
    assert event.data is not None
    return Conversation(client, stream, event.data)


async def converse(
    client: AsgiClient, version: str = LEGACY_VERSION, capabilities: Message | None = None
) -> Conversation:
    """A conversation with its handshake made."""
    conversation = await open_stream(client)
    answer = await conversation.ask(initialize(version, capabilities))
    assert answer["result"]["protocolVersion"] == version
    await conversation.post(INITIALIZED)
    return conversation


def sessions_of(app: SseApp) -> int:
    """How many streams the application knows."""
    return len(app._serving.sessions)  # pyright: ignore[reportPrivateUsage]


# ---------------------------------------------------------------- the conversation


async def test_the_first_event_names_where_to_post() -> None:
    async with running(Stage().sse()) as client:
        endpoints = [(await open_stream(client)).endpoint for _ in range(5)]
        assert all(re.fullmatch(r"/message\?sessionId=[\w-]{22,}", endpoint) for endpoint in endpoints)
        assert len(set(endpoints)) == 5


async def test_messages_are_accepted_and_answered_on_the_stream() -> None:
    async with running(Stage().sse()) as client:
        conversation = await converse(client)
        reply = await client.send(conversation.request(call("echo", {"message": "hi"}, "e")))
        assert reply.status == 202
        event = await conversation.stream.event()
        assert event is not None
        assert (event.name, event.id) == ("message", None)
        assert event.message["id"] == "e"
        assert event.message["result"]["content"][0]["text"] == "hi"


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_every_legacy_version_is_spoken(version: str) -> None:
    async with running(Stage().sse()) as client:
        assert await (await converse(client, version)).text(call("echo", {"message": "hi"})) == "hi"


async def test_the_modern_version_is_not() -> None:
    async with running(Stage().sse()) as client:
        conversation = await open_stream(client)
        answer = await conversation.ask(initialize("2026-07-28"))
        assert answer["result"]["protocolVersion"] == LEGACY_VERSION


async def test_a_modern_request_is_not_left_without_an_answer() -> None:
    async with running(Stage().sse()) as client:
        for conversation in (await open_stream(client), await converse(client)):
            answer = await conversation.ask(request("server/discover", {"_meta": envelope()}, "d"))
            assert "result" in answer or answer["error"]["code"] in (-32600, -32601, -32602)


async def test_progress_and_logs_and_changes_share_the_stream() -> None:
    async with running(Stage(logs=True).sse()) as client:
        conversation = await converse(client)
        await conversation.post(call("report", {"times": 2}, 1, token=0))
        messages = [await conversation.stream.message() for _ in range(3)]
        assert [message.get("params", {}).get("progressToken") for message in messages] == [0, 0, None]
        assert messages[2]["id"] == 1
        await conversation.post(call("say", {"text": "hello"}, 2))
        messages = [await conversation.stream.message() for _ in range(3)]
        assert [message.get("params", {}).get("data") for message in messages] == ["hello", "hello, to all", None]
        await conversation.post(call("change", {}, 3))
        messages = [await conversation.stream.message() for _ in range(2)]
        assert [message.get("method") for message in messages] == [CHANGED, None]


async def test_calls_before_the_handshake_are_served_and_the_handshake_can_still_be_made() -> None:
    async with running(Stage().sse()) as client:
        conversation = await open_stream(client)
        assert await conversation.text(call("echo", {"message": "hasty"}, 1)) == "hasty"
        answer = await conversation.ask(initialize("2025-03-26"))
        assert answer["result"]["protocolVersion"] == "2025-03-26"
        await conversation.post(INITIALIZED)
        assert await conversation.text(call("echo", {"message": "hi"}, 2)) == "hi"


async def test_before_the_handshake_nothing_is_asked_of_the_client() -> None:
    async with running(Stage().sse()) as client:
        conversation = await open_stream(client)
        answer = await conversation.ask(call("ask", {}, 1))
        assert answer["result"]["isError"]
        assert "elicitation" in answer["result"]["content"][0]["text"]
        answer = await conversation.ask(call("change", {}, 2))  # nor is it told of what it has not seen
        assert answer["result"]["content"][0]["text"] == "changed"


async def test_the_handshake_can_be_required() -> None:
    async with running(Stage().sse(handshake="required")) as client:
        conversation = await open_stream(client)
        assert (await conversation.ask(call("echo", {"message": "hasty"}, 1)))["error"]["code"] == -32602
        assert "result" in await conversation.ask(PING)
        assert "result" in await conversation.ask(initialize())
        assert await conversation.text(call("echo", {"message": "hi"}, 2)) == "hi"


async def test_answers_come_as_they_are_ready() -> None:
    stage = Stage()
    async with running(stage.sse()) as client:
        conversation = await converse(client)
        await conversation.post(call("hold", {"name": "slow"}, 1))
        await stage.began("slow")
        assert await conversation.text(call("echo", {"message": "quick"}, 2)) == "quick"
        stage.release("slow")
        assert (await conversation.stream.message())["id"] == 1


async def test_a_question_is_asked_and_answered() -> None:
    async with running(Stage().sse()) as client:
        conversation = await converse(client, capabilities=FORM)
        await conversation.post(call("ask", {}, 1))
        question = await conversation.stream.message()
        assert question["method"] == "elicitation/create"
        await conversation.post({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}})
        assert "decline" in str(await conversation.stream.message())


async def test_a_question_that_stays_unanswered_ends_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_required, "ANSWER_TIMEOUT", 0.01)
    async with running(Stage().sse()) as client:
        conversation = await converse(client, capabilities=FORM)
        await conversation.post(call("ask", {}, 1))
        question, withdrawn, answer = [await conversation.stream.message() for _ in range(3)]
        assert question["method"] == "elicitation/create"
        assert withdrawn["method"] == "notifications/cancelled"
        assert answer["result"]["isError"]


async def test_an_id_that_is_in_flight_is_refused_on_the_stream() -> None:
    stage = Stage()
    async with running(stage.sse()) as client:
        conversation = await converse(client)
        await conversation.post(call("hold", {"name": "first"}, 7))
        await stage.began("first")
        assert (await conversation.ask(call("echo", {"message": "second"}, 7)))["error"]["code"] == -32600
        stage.release("first")
        assert (await conversation.stream.message())["result"]["content"][0]["text"] == "first"
        assert await conversation.text(call("echo", {"message": "again"}, 7)) == "again"


async def test_a_cancelled_call_is_not_answered() -> None:
    stage = Stage()
    async with running(stage.sse()) as client:
        conversation = await converse(client)
        await conversation.post(call("hold", {"name": "held"}, 5))
        await stage.began("held")
        for requested in (99, "5", None, 5):
            await conversation.post(notification("notifications/cancelled", {"requestId": requested}))
        assert await conversation.ask(PING)
        assert stage.held["held"].was_cancelled
        assert conversation.stream.waiting() == []


@pytest.mark.parametrize("second", ["2025-11-25", "2024-11-05"])
async def test_a_second_initialize_disturbs_nothing(second: str) -> None:
    async with running(Stage().sse()) as client:
        conversation = await converse(client)
        assert await conversation.text(call("remember", {"text": "kept"}, 1)) == "kept"
        assert "id" in await conversation.ask(initialize(second, request_id=2))
        assert await conversation.text(call("recall", {}, 3)) == "kept"


async def test_silent_streams_get_comments() -> None:
    async with running(Stage().sse(keep_alive=0.02)) as client:
        conversation = await open_stream(client)
        for _ in range(3):
            event = await conversation.stream.event()
            assert event is not None
            assert (event.comment is not None, event.data) == (True, None)


# ---------------------------------------------------------------- what is refused


async def check_refused(reply: Reply, status: int, code: int = -32600) -> None:
    assert reply.status == status
    assert (await reply.error())["code"] == code


@pytest.mark.parametrize("query", ["", "?", "?session_id=x", "?sessionid=x"])
async def test_a_message_without_a_session_is_refused(query: str) -> None:
    async with running(Stage().sse()) as client:
        await check_refused(await client.send(post(PING, path=f"/message{query}")), 400)


@pytest.mark.parametrize("session", ["gone", "", "%00", "..%2F..", "x" * 5000])
async def test_a_message_to_an_unknown_session_is_not_found(session: str) -> None:
    async with running(Stage().sse()) as client:
        await open_stream(client)
        await check_refused(await client.send(post(PING, path=f"/message?sessionId={session}")), 404)


async def test_a_message_to_a_stream_that_has_ended_is_not_found() -> None:
    async with running(Stage().sse()) as client:
        conversation = await converse(client)
        await conversation.leave()
        await check_refused(await client.send(conversation.request(PING)), 404)


BAD = {
    "nothing": (b"", -32700),
    "no JSON": (b"{", -32700),
    "invalid UTF-8": (b'"\xff"', -32700),
    "a number": (b"42", -32600),
    "no jsonrpc": (b'{"id": 1, "method": "ping"}', -32600),
    "null as id": (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
    "an empty batch": (b"[]", -32600),
    "a batch": (json.dumps([PING]).encode(), -32600),
}


@pytest.mark.parametrize(("body", "code"), BAD.values(), ids=BAD)
async def test_a_body_that_is_no_message_is_refused_at_once(body: bytes, code: int) -> None:
    async with running(Stage().sse()) as client:
        conversation = await converse(client)
        await check_refused(await client.send(conversation.request(body)), 400, code)
        assert await conversation.ask(PING)
        assert conversation.stream.waiting() == []


@pytest.mark.parametrize("media_type", [None, "text/plain", "application/json-patch+json"])
async def test_another_media_type_is_not_supported(media_type: str | None) -> None:
    async with running(Stage().sse()) as client:
        conversation = await converse(client)
        sent = conversation.request(PING).having({"Content-Type": media_type})
        assert (await client.send(sent)).status == 415


@pytest.mark.parametrize("chunked", [False, True], ids=["with length", "chunked"])
async def test_a_body_over_the_limit_is_refused_without_being_read_to_its_end(chunked: bool) -> None:
    async with running(Stage().sse(max_body=100_000)) as client:
        conversation = await converse(client)
        sent = conversation.request(call("echo", {"message": "x" * (4 << 20)})).having(chunked=chunked)
        refused = await client.send(sent)
        assert refused.status == 413
        assert refused.bytes_taken <= (100_000 + CHUNK if chunked else 0)
        assert await conversation.ask(PING)


async def test_a_client_that_goes_away_while_it_sends_leaves_nothing() -> None:
    async with running(Stage().sse()) as client:
        conversation = await converse(client)
        reply = client.start(conversation.request(b'{"jsonrpc": "2.0",'), unfinished=True)
        reply.leave()
        await reply.done()
        assert await conversation.ask(PING)


async def test_a_conversation_at_2025_03_26_takes_batches() -> None:
    async with running(Stage().sse()) as client:
        conversation = await converse(client, "2025-03-26")
        await conversation.post([call("echo", {"message": "hi"}, 1), request("no/such-method", None, 2)])
        answers: dict[Any, Message] = {}
        for _ in range(2):
            message = await conversation.stream.message()
            answers[message["id"]] = message
        assert answers[1]["result"]["content"][0]["text"] == "hi"
        assert answers[2]["error"]["code"] == -32601
        await check_refused(await client.send(conversation.request([PING, 42])), 400)
        await check_refused(await client.send(conversation.request([initialize()])), 400)


@pytest.mark.parametrize("session", ["gone", "%00", "'"])
async def test_a_session_in_the_query_of_the_stream_is_ignored(session: str) -> None:
    async with running(Stage().sse()) as client:
        conversation = await open_stream(client, STREAM.having(path=f"/sse?sessionId={session}"))
        assert session not in conversation.endpoint
        assert await conversation.ask(PING)


@pytest.mark.parametrize(
    ("sent", "allowed"),
    [
        (post(PING, path="/sse"), "GET"),
        (delete().having(path="/sse"), "GET"),
        (HttpRequest(method="OPTIONS", path="/sse"), "GET"),
        (get().having(path="/message"), "POST"),
        (get().having(path="/message?sessionId=x"), "POST"),
        (delete().having(path="/message?sessionId=x"), "POST"),
        (post(PING, path="/message").having(method="PUT"), "POST"),
    ],
)
async def test_other_methods_are_not_allowed(sent: HttpRequest, allowed: str) -> None:
    async with running(Stage().sse()) as client:
        refused = await client.send(sent)
        assert (refused.status, refused.headers["allow"]) == (405, allowed)


@pytest.mark.parametrize("path", ["/index", "/mcp", "/sse/", "/message/", "/messages"])
async def test_other_paths_are_not_found(path: str) -> None:
    async with running(Stage().sse()) as client:
        for sent in (get(), post(PING)):
            assert (await client.send(sent.having(path=path))).status == 404


async def test_the_paths_are_options() -> None:
    async with running(Stage().sse(path="/events", message_path="/in")) as client:
        conversation = await open_stream(client, STREAM.having(path="/events"))
        assert conversation.endpoint.startswith("/in?sessionId=")
        assert await conversation.ask(PING)
        assert (await client.send(STREAM)).status == 404


async def test_a_factory_that_raises_is_answered_with_500() -> None:
    def factory(context: object) -> Any:
        raise RuntimeError("this factory always raises")

    app = SseApp(factory, SseSettings())
    async with running(app) as client:
        answered = await client.send(STREAM)
        await check_refused(answered, 500, -32603)
        assert sessions_of(app) == 0


# ---------------------------------------------------------------- privacy


async def test_conversations_see_nothing_of_each_other() -> None:
    stage = Stage()
    async with running(stage.sse()) as client:
        first = await converse(client, capabilities=FORM)
        await first.post(call("hold", {"name": "held"}, 1))
        await stage.began("held")
        second = await converse(client)
        assert await second.text(call("echo", {"message": "hi"}, 1)) == "hi"
        assert (await second.ask(request("resources/subscribe", {"uri": RESOURCE}, 2)))["result"] == {}
        assert (await first.ask(request("resources/subscribe", {"uri": OTHER_RESOURCE}, 2)))["result"] == {}
        assert await first.text(call("remember", {"text": "mine"}, 3)) == "kept"
        assert await second.text(call("recall", {}, 3)) == ""
        assert await first.text(call("update", {"uri": RESOURCE}, 4)) == "updated"
        await second.post(notification("notifications/cancelled", {"requestId": 1}))
        await first.post(call("ask", {}, 5))
        assert (await first.stream.message())["method"] == "elicitation/create"
        assert (await second.ask(call("ask", {}, 5)))["result"]["isError"]
        stage.release("held")
        assert (await first.stream.message())["id"] == 1
        assert await second.ask(PING)
        assert second.stream.waiting() == []


async def test_many_conversations_with_the_same_ids_get_their_own_answers() -> None:
    async with running(Stage().sse()) as client:

        async def talk(name: str) -> None:
            conversation = await converse(client)
            for number in range(20):
                assert (
                    await conversation.text(call("echo", {"message": f"{name}:{number}"}, number)) == f"{name}:{number}"
                )

        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(talk, f"conversation {number}")


async def test_the_factory_is_called_once_for_each_stream() -> None:
    composed = Stage().factory()
    eras: list[Era] = []

    def factory(context: Any) -> Any:
        eras.append(context.era)
        return composed(context)

    async with running(SseApp(factory, SseSettings())) as client:
        for _ in range(2):
            conversation = await converse(client)
            assert await conversation.ask(PING)
    assert eras == [Era.LEGACY] * 2


# ---------------------------------------------------------------- the end


async def test_a_client_that_leaves_takes_all_with_it() -> None:
    stage, clock = Stage(), FakeClock()
    app = stage.sse(Settings(clock=clock))
    async with running(app) as client:
        other = await converse(client)
        conversation = await converse(client)
        await conversation.ask(call("tidy", {}, 1))
        await conversation.post(call("tick", {}, 2))
        await conversation.post(call("hold", {"name": "held"}, 3))
        await stage.began("held")
        assert (sessions_of(app), stage.counts["timers"]) == (2, 1)
        await conversation.leave()
        assert (sessions_of(app), stage.counts["timers"], clock.sleepers) == (1, 0, 0)
        assert stage.counts["cleanups"] == 1
        assert stage.held["held"].was_cancelled
        assert await other.ask(PING)
        assert other.stream.waiting() == []


async def test_a_client_that_leaves_with_a_question_open_takes_it_with_it() -> None:
    app = Stage().sse()
    async with running(app) as client:
        conversation = await converse(client, capabilities=FORM)
        await conversation.post(call("ask", {}, 1))
        assert (await conversation.stream.message())["method"] == "elicitation/create"
        await conversation.leave()
        assert sessions_of(app) == 0


async def test_a_client_that_does_not_read_is_waited_for() -> None:
    stage = Stage()
    app = stage.sse()
    async with running(app) as client:
        other = await converse(client)
        conversation = await converse(client)
        conversation.stream.stall()
        await conversation.post(call("report", {"times": 100_000}, 1, token="t"))
        await stage.until(lambda: stage.counts["reports"] > 0)
        for number in range(20):
            assert await other.text(call("echo", {"message": "hi"}, number)) == "hi"
        assert stage.counts["reports"] < 2000
        await conversation.leave()
        assert sessions_of(app) == 1
        assert stage.counts["reports"] < 2000


async def test_over_the_cap_there_is_no_new_stream_until_another_one_ends() -> None:
    async with running(Stage().sse(max_sessions=2)) as client:
        first, second = await converse(client), await converse(client)
        refused = await client.send(STREAM)
        await check_refused(refused, 503)
        assert int(refused.headers["retry-after"]) > 0
        assert await second.ask(PING)
        await first.leave()
        assert await (await converse(client)).ask(PING)


async def test_closing_the_application_ends_every_stream_as_it_should() -> None:
    stage = Stage()
    app = stage.sse()
    async with running(app) as client:
        conversations = [await converse(client) for _ in range(3)]
        await conversations[0].ask(call("tidy"))
        await conversations[1].post(call("hold", {"name": "held"}, 1))
        await stage.began("held")
        await app.close()
        for conversation in conversations:
            assert await conversation.stream.messages() == []
        assert sessions_of(app) == 0
        assert stage.held["held"].was_cancelled
        assert stage.counts["cleanups"] == 1
        assert (await client.send(STREAM)).status == 503
        await check_refused(await client.send(conversations[0].request(PING)), 404)
