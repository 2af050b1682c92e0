"""Lines that are no messages, or hardly any, on the stdio of a real process: each is answered, none does harm."""

import json
from collections.abc import Generator
from typing import Any

import pytest
from everything_server import Era
from harness.wire import Message, Stdio
from wire.protocol import check_message
from wire.servers import open_server, start_server

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601

MEGABYTE = 1 << 20


@pytest.fixture(scope="module", params=list(Era), ids=str)
def shared(request: pytest.FixtureRequest) -> Generator[Stdio]:
    """One process for all the lines: it lives through every one of them."""
    with open_server("--plugins", "tools,resources,prompts", era=request.param) as server:
        server.settle()
        yield server


@pytest.fixture
def server(shared: Stdio) -> Generator[Stdio]:
    """The shared process; afterwards it is as well as before."""
    yield shared
    shared.settle()
    assert shared.junk == []
    assert "Traceback" not in shared.stderr


def answers_after(server: Stdio, line: bytes | str) -> list[Message]:
    """What a line is answered with; nothing else is on the way when this returns."""
    start = len(server.inbox)
    server.send_line(line)
    server.settle()
    return server.inbox[start:-1]


def only_error(server: Stdio, line: bytes | str) -> Message:
    """The one error that a line is answered with."""
    (answer,) = answers_after(server, line)
    check_message(answer, {}, server.version)
    return answer


def answer_to(server: Stdio, line: bytes | str, request_id: Any = 7) -> Message:
    """The answer to a request that a line holds, which must be the only one."""
    start = len(server.inbox)
    server.send_line(line)
    server.answer(request_id, since=start)
    server.settle()
    (answer,) = [message for message in server.inbox[start:-1] if "method" not in message]
    return answer


def request_line(server: Stdio, method: str, params: str, request_id: str = "7") -> str:
    """A request of the server's era whose params hold JSON text as it is given, without the outer braces."""
    if server.era is Era.MODERN:
        params = f'{params}{"," if params else ""}"_meta":{json.dumps(server.envelope())}'
    return f'{{"jsonrpc":"2.0","id":{request_id},"method":{method},"params":{{{params}}}}}'


NO_JSON: dict[str, bytes] = {
    "unfinished": b"{not json",
    "a word": b"hello",
    "single quotes": b"{'jsonrpc':'2.0','id':1,'method':'ping'}",
    "a trailing comma": b'{"jsonrpc":"2.0","id":1,"method":"ping",}',
    "two messages": b'{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}',
    "a comment": b'{"jsonrpc":"2.0","id":1,"method":"ping"} // ping',
    "NaN": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
    "NaN beside an escape": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN,"b":"\\u0041"}}',
    "Infinity": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":-Infinity}}',
    "a leading zero": b'{"jsonrpc":"2.0","id":01,"method":"ping"}',
    "a control character in a text": b'{"jsonrpc":"2.0","id":1,"method":"pi\x01ng"}',
    "invalid UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff"}}',
    "a surrogate in UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xed\xa0\x80"}}',
    "a byte-order mark": b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}',
    "UTF-16": '{"jsonrpc":"2.0"}'.encode("utf-16"),
    "a null byte": b"\x00",
    "20,000 nested arrays": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":'
    + b"[" * 20_000
    + b"]" * 20_000
    + b"}}",
    "20,000 nested objects": b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
    "20,000 open brackets": b"[" * 20_000,
    "nested arrays beside an escape": b'{"a":"\\ud800","b":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "a megabyte that is no JSON": b'{"a":"' + b"x" * MEGABYTE,
}

WITHOUT_ID: dict[str, str] = {
    "a number": "42",
    "a text": '"ping"',
    "null": "null",
    "true": "true",
    "an empty object": "{}",
    "a null id": '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    "a boolean id": '{"jsonrpc":"2.0","id":true,"method":"ping"}',
    "a fractional id": '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    "an infinite id": '{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
    "an array as id": '{"jsonrpc":"2.0","id":[1],"method":"ping"}',
    "an object as id": '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}',
    "a result without id": '{"jsonrpc":"2.0","result":{}}',
    "a notification whose params are an array": '{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}',
    "an empty batch": "[]",
    "a batch": '[{"jsonrpc":"2.0","id":2,"method":"ping"}]',
    "a batch of what is no message": '[1,"2",null,[]]',
}
"""What is JSON and no message, and has no id that could be echoed."""

WITH_ID: dict[str, str] = {
    "no jsonrpc": '{"id":3,"method":"ping"}',
    "jsonrpc 1.0": '{"jsonrpc":"1.0","id":3,"method":"ping"}',
    "jsonrpc as a number": '{"jsonrpc":2.0,"id":3,"method":"ping"}',
    "params as an array": '{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}',
    "params as a text": '{"jsonrpc":"2.0","id":3,"method":"ping","params":"a"}',
    "params null": '{"jsonrpc":"2.0","id":3,"method":"ping","params":null}',
    "method as a number": '{"jsonrpc":"2.0","id":3,"method":5}',
    "method null": '{"jsonrpc":"2.0","id":3,"method":null}',
    "nothing but an id": '{"jsonrpc":"2.0","id":3}',
    "a result that is no object": '{"jsonrpc":"2.0","id":3,"result":5}',
    "a result and an error": '{"jsonrpc":"2.0","id":3,"result":{},"error":{"code":1,"message":"x"}}',
    "an error without a code": '{"jsonrpc":"2.0","id":3,"error":{"message":"x"}}',
}
"""The same with the id 3, which must be echoed."""


@pytest.mark.parametrize("name", NO_JSON)
def test_a_line_that_is_no_json_gets_a_parse_error_without_id(server: Stdio, name: str) -> None:
    answer = only_error(server, NO_JSON[name])
    assert answer["error"]["code"] == PARSE_ERROR
    assert "id" not in answer
    assert len(answer["error"]["message"]) < 500


@pytest.mark.parametrize("name", WITHOUT_ID)
def test_json_that_is_no_message_is_an_invalid_request(server: Stdio, name: str) -> None:
    answer = only_error(server, WITHOUT_ID[name])
    assert answer["error"]["code"] == INVALID_REQUEST
    assert "id" not in answer


@pytest.mark.parametrize("name", WITH_ID)
def test_an_invalid_request_is_answered_under_its_id(server: Stdio, name: str) -> None:
    answer = only_error(server, WITH_ID[name])
    assert answer["error"]["code"] == INVALID_REQUEST
    assert answer["id"] == 3


def test_an_id_of_the_wrong_kind_is_explained(server: Stdio) -> None:
    assert "id" in only_error(server, '{"jsonrpc":"2.0","id":true,"method":"ping"}')["error"]["message"]


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}',
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
        '{"jsonrpc":"2.0","id":4711,"error":{"code":1,"message":"for no request"}}',
        '{"jsonrpc":"2.0","id":4711,"result":{}}',
        '{"jsonrpc":"2.0","method":"notifications/unheard-of","params":{"a":1}}',
        '{"jsonrpc":"2.0","method":"tools/list"}',
    ],
)
def test_errors_answers_and_notifications_are_never_answered(server: Stdio, line: str) -> None:
    # An answer to an error that names no request would start a quarrel that never ends.
    assert answers_after(server, line) == []


@pytest.mark.parametrize("line", [b"", b" ", b"\t \t", b"\r", b" \r", b"\n\n\r\n"])
def test_blank_lines_are_ignored(server: Stdio, line: bytes) -> None:
    assert answers_after(server, line) == []


@pytest.mark.parametrize(("before", "after"), [("", "\r"), ("  ", ""), ("\t", " \t\r")])
def test_blanks_and_carriage_returns_around_a_message_do_not_count(server: Stdio, before: str, after: str) -> None:
    answer = answer_to(server, before + request_line(server, '"completion/complete"', COMPLETION) + after)
    assert answer["result"]["completion"]["values"] == ["Engineering"]


COMPLETION = '"ref":{"type":"ref/prompt","name":"completable-prompt"},"argument":{"name":"department","value":"E"}'


def test_blanks_inside_a_message_do_not_count(server: Stdio) -> None:
    message = json.loads(request_line(server, '"tools/list"', ""))
    answer = answer_to(server, json.dumps(message, separators=(" ,\t", " \r:  ")))
    assert "result" in answer


@pytest.mark.parametrize(
    "request_id", ["0", "-1", "1180591620717411303424", '""', '"5"', '"\\ud800"', '"' + "i" * 100_000 + '"']
)
def test_any_integer_and_any_text_is_an_id(server: Stdio, request_id: str) -> None:
    wanted = json.loads(request_id)
    assert "result" in answer_to(server, request_line(server, '"tools/list"', "", request_id), wanted)


def test_the_last_of_two_equal_members_counts(server: Stdio) -> None:
    line = request_line(server, '"tools/list"', "").replace('"id":7', '"id":6,"id":7')
    assert answer_to(server, line)["id"] == 7


def test_members_that_json_rpc_does_not_know_are_ignored(server: Stdio) -> None:
    line = request_line(server, '"tools/list"', "").replace('"id":7', '"id":7,"extra":{"a":1}')
    assert "result" in answer_to(server, line)


LONE = '"\\ud800"'
"""Half of a pair: a text in JSON that has no UTF-8."""


@pytest.mark.parametrize(
    ("method", "params"),
    [
        (LONE, ""),
        ('"tools/call"', f'"name":{LONE}'),
        ('"tools/call"', f'"name":"echo","arguments":{{"message":{LONE}}}'),
        ('"tools/call"', f'"name":"echo","arguments":{{{LONE}:"a"}}'),
        ('"tools/call"', f'"name":"echo","arguments":{{"message":"a",{LONE}:"a"}}'),
        ('"tools/call"', f'"name":"get-structured-content","arguments":{{"location":{LONE}}}'),
        ('"tools/list"', f'"cursor":{LONE}'),
        ('"resources/read"', f'"uri":{LONE}'),
        ('"prompts/get"', f'"name":{LONE}'),
        ('"prompts/get"', f'"name":"args-prompt","arguments":{{"city":{LONE}}}'),
        ('"completion/complete"', COMPLETION.replace('"E"', LONE)),
        ('"completion/complete"', COMPLETION.replace('"completable-prompt"', LONE)),
    ],
)
def test_a_lone_surrogate_anywhere_still_gets_its_answer(server: Stdio, method: str, params: str) -> None:
    answer = answer_to(server, request_line(server, method, params))
    if "error" in answer:
        assert answer["error"]["code"] in (-32602, -32601, -32002)


def test_an_argument_whose_name_is_a_lone_surrogate_is_refused_for_what_it_is(server: Stdio) -> None:
    params = f'"name":"echo","arguments":{{"message":"a",{LONE}:"a"}}'
    answer = answer_to(server, request_line(server, '"tools/call"', params))
    assert answer["result"]["isError"] is True
    assert "deep" not in answer["result"]["content"][0]["text"]


def test_a_lone_surrogate_as_progress_token_comes_back_as_it_went(server: Stdio) -> None:
    params = '"name":"trigger-long-running-operation","arguments":{"duration":0,"steps":1}'
    line = request_line(server, '"tools/call"', params)
    if server.era is Era.MODERN:
        line = line.replace('"_meta":{', f'"_meta":{{"progressToken":{LONE},')
    else:
        line = line.replace('"params":{', f'"params":{{"_meta":{{"progressToken":{LONE}}},')
    start = len(server.inbox)
    answer_to(server, line)
    assert server.inbox[start]["params"]["progressToken"] == "\ud800"


@pytest.mark.parametrize(
    ("argument", "answer_is_error"),
    [
        ("1e400", True),
        ("9" * 4000, False),
        ("9" * 5000, None),
        ("[" * 100 + "]" * 100, True),
        ('{"a":' * 90 + "1" + "}" * 90, True),
    ],
    ids=["beyond every double", "4,000 digits", "5,000 digits", "nested arrays", "nested objects"],
)
def test_an_extreme_argument_gets_a_result(server: Stdio, argument: str, answer_is_error: bool | None) -> None:
    params = f'"name":"get-sum","arguments":{{"a":{argument},"b":0}}'
    answer = answer_to(server, request_line(server, '"tools/call"', params))
    result: dict[str, Any] = answer["result"]
    assert answer_is_error in (None, result.get("isError", False))
    if result.get("isError"):
        assert "a" in result["content"][0]["text"]


def test_a_thousand_bad_lines_in_a_row_get_a_thousand_answers(server: Stdio) -> None:
    start = len(server.inbox)
    server.send_bytes(b"{\n" * 1000)
    server.settle()
    assert [answer["error"]["code"] for answer in server.inbox[start:-1]] == [PARSE_ERROR] * 1000


@pytest.mark.parametrize("shared", [Era.LEGACY], indirect=True, ids=str)
def test_a_line_of_64_mebibytes_is_echoed_whole(server: Stdio) -> None:
    message = "x" * (64 * MEGABYTE)
    result = server.call("echo", {"message": message})
    text = result["content"][0]["text"]
    assert len(text) == len("Echo: ") + len(message)
    assert text == f"Echo: {message}"
    server.inbox.clear()
    server.raw.clear()


def test_a_last_line_without_its_end_is_answered() -> None:
    with start_server() as server:
        server.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}')
        assert server.end() == 0
    assert [(answer["id"], answer["result"]) for answer in server.inbox] == [(1, {}), (2, {})]


def test_half_a_message_at_the_end_of_input_is_answered_too() -> None:
    with start_server() as server:
        server.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"pi')
        assert server.end() == 0
    (answer,) = server.inbox
    assert answer["error"]["code"] == PARSE_ERROR


def test_a_message_may_arrive_byte_by_byte() -> None:
    with start_server() as server:
        for byte in '{"jsonrpc":"2.0","id":"é✓","method":"ping"}\n'.encode():
            server.send_bytes(bytes([byte]))
        assert server.end() == 0
    assert [answer["id"] for answer in server.inbox] == ["é✓"]
