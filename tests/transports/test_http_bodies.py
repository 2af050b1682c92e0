"""What a POST may carry, and how what it may not carry is answered: the same in both eras where both know it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from everything_server import BOTH_ERAS, Era
from harness.asgi import AsgiClient, Reply, running
from harness.raw_http import (
    CHUNK,
    INITIALIZED,
    HttpRequest,
    call,
    initialize,
    modern,
    modern_call,
    notification,
    post,
    request,
)
from harness.stage import FORM, Stage

PING = request("ping", None, "ping")
LIMIT = 4 << 20

Make = Callable[[bytes], HttpRequest]


async def posting(client: AsgiClient, era: Era) -> Make:
    """What makes a POST of an era with a given body."""
    if era is Era.MODERN:
        return lambda body: modern("tools/list").having(body=body)
    session = await client.open_session()
    return lambda body: post(body, session.id)


async def check_refused(reply: Reply, status: int, code: int, request_id: Any = None) -> None:
    assert reply.status == status
    assert reply.headers.media_type == "application/json"
    answer = await reply.answer()
    assert (answer["jsonrpc"], answer["error"]["code"]) == ("2.0", code)
    assert answer.get("id") == request_id
    assert type(answer.get("id")) is type(request_id)


# ---------------------------------------------------------------- what is no JSON

NO_JSON = {
    "nothing": b"",
    "blanks": b" \r\n\t ",
    "half an object": b'{"jsonrpc": "2.0", "id": 1',
    "single quotes": b"{'jsonrpc': '2.0'}",
    "something behind it": b'{"jsonrpc": "2.0", "id": 1, "method": "ping"} {}',
    "two lines": b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}',
    "NaN": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": NaN}}',
    "Infinity": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": -Infinity}}',
    "invalid UTF-8": b'{"jsonrpc": "2.0", "id": 1, "method": "ping\xff"}',
    "overlong UTF-8": b'{"jsonrpc": "2.0", "id": 1, "method": "ping\xc0\xaf"}',
    "a surrogate in UTF-8": b'{"jsonrpc": "2.0", "id": 1, "method": "ping\xed\xa0\x80"}',
    "UTF-16": json.dumps(PING).encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + json.dumps(PING).encode(),
    "a control character": b'{"jsonrpc": "2.0", "id": 1, "method": "pi\nng"}',
    "a form": b"jsonrpc=2.0&id=1&method=ping",
    "nested too deep": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": '
    + b"[" * 20_000
    + b"]" * 20_000
    + b"}}",
}


@pytest.mark.parametrize("body", NO_JSON.values(), ids=NO_JSON)
async def test_what_is_no_json_is_a_parse_error(body: bytes, era: Era) -> None:
    async with running(Stage().http()) as client:
        make = await posting(client, era)
        await check_refused(await client.send(make(body)), 400, -32700)


@pytest.mark.parametrize("body", NO_JSON.values(), ids=NO_JSON)
async def test_what_is_no_json_is_a_parse_error_without_a_session_too(body: bytes) -> None:
    async with running(Stage().http()) as client:
        await check_refused(await client.send(post(body)), 400, -32700)


# ---------------------------------------------------------------- what is no message

NO_MESSAGE: dict[str, tuple[Any, Any]] = {
    "a number": (42, None),
    "a string": ("ping", None),
    "null": (None, None),
    "true": (True, None),
    "an empty object": ({}, None),
    "no jsonrpc": ({"id": 3, "method": "ping"}, 3),
    "another jsonrpc": ({"jsonrpc": "1.0", "id": "x", "method": "ping"}, "x"),
    "a method that is no string": ({"jsonrpc": "2.0", "id": 3, "method": 5}, 3),
    "neither method nor result": ({"jsonrpc": "2.0", "id": 3}, 3),
    "params in an array": ({"jsonrpc": "2.0", "id": 4, "method": "ping", "params": [1]}, 4),
    "null as id": ({"jsonrpc": "2.0", "id": None, "method": "ping"}, None),
    "a boolean as id": ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None),
    "a fraction as id": ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, None),
    "an object as id": ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, None),
    "a result and an error": ({"jsonrpc": "2.0", "id": 5, "result": {}, "error": {"code": 1, "message": ""}}, 5),
    "an empty batch": ([], None),
    "a batch in a batch": ([[PING]], None),
}


@pytest.mark.parametrize(("body", "request_id"), NO_MESSAGE.values(), ids=NO_MESSAGE)
async def test_json_that_is_no_message_is_an_invalid_request(body: Any, request_id: Any, era: Era) -> None:
    async with running(Stage().http()) as client:
        make = await posting(client, era)
        reply = await client.send(make(json.dumps(body).encode()))
        await check_refused(reply, 400, -32600, request_id)


async def test_a_posted_response_is_refused_in_the_modern_era() -> None:
    async with running(Stage().http()) as client:
        for body in ({"jsonrpc": "2.0", "id": 1, "result": {}}, {"jsonrpc": "2.0", "id": 1, "error": {}}):
            reply = await client.send(modern("tools/list").having(body=json.dumps(body).encode()))
            assert reply.status == 400
            assert "error" in await reply.answer()


# ---------------------------------------------------------------- texts and numbers


@pytest.mark.parametrize("text", ["", "é 日本 🎉", "\u2028\u2029", "\x7f\u0000", "a\r\nb\n\ndata: x", '"\\/', "\ud800"])
async def test_every_text_comes_back_as_it_went(text: str, era: Era) -> None:
    async with running(Stage().http()) as client:
        make = await posting(client, era)
        sent = modern_call("echo", {"message": text}) if era is Era.MODERN else make(json.dumps(echo(text)).encode())
        reply = await client.send(sent)
        assert await reply.text() == text


@pytest.mark.parametrize("request_id", [0, -1, 2**53 + 1, 2**63, 2**70, "", "é", "1", " "], ids=repr)
async def test_every_id_comes_back_as_it_went(request_id: int | str, era: Era) -> None:
    async with running(Stage().http()) as client:
        make = await posting(client, era)
        sent = modern_call("echo", {"message": "hi"}, request_id)
        if era is Era.LEGACY:
            sent = make(json.dumps(echo("hi", request_id)).encode())
        answer = await (await client.send(sent)).answer()
        assert answer["id"] == request_id
        assert type(answer["id"]) is type(request_id)


def echo(text: str, request_id: int | str = 1) -> Any:
    return call("echo", {"message": text}, request_id)


# ---------------------------------------------------------------- media types


@pytest.mark.parametrize(
    "media_type",
    [None, "", "text/plain", "application/json-patch+json", "application/jsonx", "application/x-www-form-urlencoded"],
)
async def test_another_media_type_is_not_supported(media_type: str | None, era: Era) -> None:
    async with running(Stage().http()) as client:
        make = await posting(client, era)
        refused = await client.send(make(json.dumps(PING).encode()).having({"Content-Type": media_type}))
        assert refused.status == 415
        assert "application/json" in (await refused.error())["message"]


@pytest.mark.parametrize(
    "media_type", ["application/json;charset=utf-8", "Application/JSON ; charset=UTF-8", "application/json;x=y"]
)
async def test_parameters_and_case_of_the_media_type_do_not_matter(media_type: str, era: Era) -> None:
    async with running(Stage().http()) as client:
        make = await posting(client, era)
        sent = modern_call("echo", {"message": "hi"}) if era is Era.MODERN else make(json.dumps(echo("hi")).encode())
        assert await (await client.send(sent.having({"Content-Type": media_type}))).text() == "hi"


@pytest.mark.parametrize(
    "accept",
    [
        None,
        "",
        "text/html",
        "image/*, text/plain",
        "application/json;q=0, text/event-stream;q=0",
        "*/*;q=0",
        "*/*;q=0.000",
        "application/json;q=0, text/event-stream;q=0.0, */*",
    ],
)
async def test_a_client_that_takes_neither_json_nor_a_stream_is_refused(accept: str | None) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        refused = await client.send(post(PING, session.id).having({"Accept": accept}))
        assert refused.status == 406
        assert (await refused.error())["code"] == -32600
        assert (await client.send(post(initialize()).having({"Accept": accept}))).status == 406


@pytest.mark.parametrize(
    "accept",
    [
        "*/*",
        "application/*, text/*",
        "text/event-stream,application/json",
        "APPLICATION/JSON;q=0.1 , Text/Event-Stream;q=1.0",
        "text/html, */*;q=0.1",
        "application/json; profile=x, text/event-stream; charset=utf-8",
        "text/html;q=0, application/json, text/event-stream",
    ],
)
async def test_a_client_that_takes_both_is_served(accept: str) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        assert await (await client.send(post(PING, session.id).having({"Accept": accept}))).result() == {}


async def test_accept_may_be_told_in_several_lines() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session()
        sent = post(PING, session.id).having({"Accept": None})
        sent = sent.adding(("Accept", "application/json"), ("Accept", "text/event-stream"))
        assert await (await client.send(sent)).result() == {}


@pytest.mark.parametrize("accept", [None, "application/json", "*/*", "text/event-stream"])
async def test_the_modern_era_does_not_look_at_accept(accept: str | None) -> None:
    async with running(Stage().http()) as client:
        sent = modern_call("echo", {"message": "hi"}).having({"Accept": accept})
        assert await (await client.send(sent)).text() == "hi"


# ---------------------------------------------------------------- size


def sized(size: int, era: Era) -> bytes:
    """A call of `echo` of so many bytes."""
    message = json.loads(modern_call("echo", {"message": ""}).body) if era is Era.MODERN else echo("")
    message["params"]["arguments"]["message"] = "x" * (size - len(json.dumps(message)))
    return json.dumps(message).encode()


def calling(make: Make, body: bytes, era: Era, *, chunked: bool = False) -> HttpRequest:
    sent = modern_call("echo").having(body=body) if era is Era.MODERN else make(body)
    return sent.having(chunked=chunked)


@pytest.mark.parametrize("chunked", [False, True], ids=["with length", "chunked"])
@pytest.mark.parametrize("limit", [LIMIT, 3000], ids=["default", "option"])
async def test_a_body_at_the_limit_is_served_and_one_over_it_is_not(limit: int, chunked: bool, era: Era) -> None:
    options = {} if limit == LIMIT else {"max_body": limit}
    async with running(Stage().http(**options)) as client:
        make = await posting(client, era)
        served = await client.send(calling(make, sized(limit, era), era, chunked=chunked))
        assert set(await served.text()) == {"x"}
        refused = await client.send(calling(make, sized(limit + 1, era), era, chunked=chunked))
        assert refused.status == 413
        assert refused.headers["connection"] == "close"
        assert str(limit) in (await refused.error())["message"]


async def test_a_body_over_the_limit_by_its_length_is_not_read(era: Era) -> None:
    async with running(Stage().http()) as client:
        make = await posting(client, era)
        refused = await client.send(calling(make, b"x" * 10, era).having({"Content-Length": str(10**12)}))
        assert (refused.status, refused.bytes_taken) == (413, 0)


async def test_a_body_over_the_limit_is_not_read_to_its_end(era: Era) -> None:
    async with running(Stage().http(max_body=100_000)) as client:
        make = await posting(client, era)
        refused = await client.send(calling(make, sized(LIMIT, era), era, chunked=True))
        assert refused.status == 413
        assert refused.bytes_taken <= 100_000 + CHUNK


async def test_a_length_that_is_too_small_does_not_lift_the_limit(era: Era) -> None:
    async with running(Stage().http(max_body=1000)) as client:
        make = await posting(client, era)
        refused = await client.send(calling(make, sized(5000, era), era).having({"Content-Length": "10"}))
        assert refused.status == 413


async def test_a_client_that_goes_away_while_it_sends_leaves_nothing(era: Era) -> None:
    async with running(Stage().http()) as client:
        make = await posting(client, era)
        reply = client.start(make(b'{"jsonrpc": "2.0", "id": 1,'), unfinished=True)
        reply.leave()
        await reply.done()


# ---------------------------------------------------------------- batches


@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25"])
@pytest.mark.parametrize("size", [1, 2, 101])
async def test_a_batch_is_refused_in_a_session_of_a_revision_without_them(version: str, size: int) -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session(version)
        await check_refused(await session.post([request("ping", None, number) for number in range(size)]), 400, -32600)
        await check_refused(await session.post([INITIALIZED] * size), 400, -32600)
        assert await (await session.post(PING)).result() == {}


async def test_a_batch_is_refused_in_the_modern_era() -> None:
    async with running(Stage().http()) as client:
        sent = modern("tools/list")
        batch = b"[" + sent.body + b"]"
        await check_refused(await client.send(sent.having(body=batch)), 400, -32600)
        await check_refused(await client.send(post(batch)), 400, -32600)


async def test_a_session_of_2025_03_26_serves_a_batch_on_one_stream() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session("2025-03-26")
        batch = [
            call("report", {"times": 2}, 1, token="t"),
            notification("notifications/no-such-thing"),
            request("no/such-method", None, "2"),
            call("echo", {"message": "hi"}, 3),
        ]
        messages = await (await session.post(batch)).messages()
        answers = {message["id"]: message for message in messages if "id" in message}
        assert answers[1]["result"]["content"][0]["text"] == "reported"
        assert answers["2"]["error"]["code"] == -32601
        assert answers[3]["result"]["content"][0]["text"] == "hi"
        assert len(answers) == 3
        assert [message["params"]["progress"] for message in messages if "method" in message] == [1, 2]


async def test_what_is_no_message_in_a_batch_does_not_leave_the_rest_without_an_answer() -> None:
    for eras in (BOTH_ERAS, frozenset({Era.LEGACY})):
        async with running(Stage().http(eras=eras)) as client:
            session = await client.open_session("2025-03-26")
            reply = await session.post([PING, 42, {"jsonrpc": "1.0", "id": 3, "method": "ping"}])
            messages = await reply.messages()
            if reply.status == 400:  # refused as a whole
                assert [message["error"]["code"] for message in messages] == [-32600]
            else:
                errors = [message["error"]["code"] for message in messages if "error" in message]
                assert (len(messages), errors) == (3, [-32600, -32600])
            assert await (await session.post(PING)).result() == {}


async def test_a_batch_without_requests_is_accepted() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session("2025-03-26")
        accepted = await session.post([notification("notifications/roots/list_changed"), INITIALIZED])
        assert (accepted.status, await accepted.body()) == (202, b"")


async def test_a_batch_may_answer_a_question() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session("2025-03-26", FORM)
        asked = await session.post(call("ask", {}, 1))
        question = await asked.message()
        answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"name": "Ada"}}}
        assert await (await session.post([answer, PING])).result() == {}
        assert "Ada" in await asked.text()


async def test_an_id_must_not_be_twice_in_a_batch_nor_be_in_flight() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session("2025-03-26")
        twice = [call("echo", {"message": "a"}, 7), call("echo", {"message": "b"}, 7)]
        await check_refused(await session.post(twice), 400, -32600, 7)
        held = await session.post(call("hold", {"name": "held"}, 8))
        await stage.began("held")
        await check_refused(await session.post([PING, request("ping", None, 8)]), 400, -32600, 8)
        stage.release("held")
        assert await held.text() == "held"
        assert await (await session.post([PING])).result() == {}


async def test_initialize_is_no_part_of_a_batch() -> None:
    async with running(Stage().http()) as client:
        session = await client.open_session("2025-03-26")
        await check_refused(await session.post([initialize(request_id=9), PING]), 400, -32600, 9)


async def test_a_cancelled_call_of_a_batch_does_not_hold_up_the_end_of_its_stream() -> None:
    stage = Stage()
    async with running(stage.http()) as client:
        session = await client.open_session("2025-03-26")
        reply = await session.post([call("hold", {"name": "a"}, 1), call("hold", {"name": "b"}, 2)])
        await stage.began("a")
        await stage.began("b")
        await session.post([notification("notifications/cancelled", {"requestId": 1})])
        stage.release("b")
        (answer,) = await reply.messages()
        assert answer["id"] == 2
