"""`--seed`: the same conversation is the same to the byte, in another process, over stdio and HTTP, in both eras."""

import json
from collections.abc import Callable
from typing import Any

from everything_server import Era, Randomness
from harness.raw_http import SESSION, Exchange, Headers, initialize, modern, post, request
from harness.serving import ServerProcess, serving
from harness.wire import COMMAND, Message, Stdio

CAPABILITIES: Message = {"elicitation": {"form": {}, "url": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
PLUGINS = "tools,resources,prompts,tasks,extras,calculator"
SEED = ("--plugins", PLUGINS, "--seed", "42")

Ask = Callable[[str, Message], Message]


def converse(era: Era, ask: Ask) -> None:
    """Ask for everything in which there is an id, a time, or chance."""

    def call(tool: str, arguments: Message | None = None) -> Message:
        return ask("tools/call", {"name": tool, "arguments": arguments or {}})

    for kind in ("tools", "resources", "resources/templates", "prompts"):
        ask(f"{kind}/list", {})
    call("get-resource-reference", {"resourceType": "Blob", "resourceId": 3})
    ask("resources/read", {"uri": "demo://resource/dynamic/text/1"})
    ask("prompts/get", {"name": "resource-prompt", "arguments": {"resourceType": "Text", "resourceId": "1"}})
    arguments = {"name": "a.gz", "data": "data:,abc", "outputType": "resourceLink"}
    (link,) = call("gzip-file-as-resource", arguments)["result"]["content"]
    ask("resources/read", {"uri": link["uri"]})
    call("get-structured-content", {"location": "Chicago"})
    sums = call("calculate", {"op": "add", "a": 1, "b": 2})["result"]["structuredContent"]
    handle = f"?historyHandle={sums['historyHandle']}" if era is Era.MODERN else ""
    ask("resources/read", {"uri": f"calculator://stats{handle}"})
    call("trigger-long-running-operation", {"duration": 0.1, "steps": 2})
    call("no-such-tool")
    url: Message = {"url": "https://example.com/"}
    if era is Era.LEGACY:
        call("trigger-url-elicitation", {**url, "errorPath": True})
        return
    asked = call("trigger-url-elicitation", url)["result"]
    answered = {
        "name": "trigger-url-elicitation",
        "arguments": url,
        "inputResponses": {"browserFlow": {"action": "decline"}},
        "requestState": asked["requestState"],
    }
    assert "declined" in str(ask("tools/call", answered)["result"]["content"])
    assert "error" in ask("tools/call", {**answered, "requestState": asked["requestState"][:-2] + "xx"})
    task = call("simulate-research-query", {"topic": "chance"})["result"]
    for _ in range(9):
        task = ask("tasks/get", {"taskId": task["taskId"]})["result"]
    assert task["status"] == "completed"


def over_stdio(era: Era, *, fresh: bool) -> bytes:
    """All that the server writes."""
    with Stdio([COMMAND, *SEED, "stdio"], era, capabilities=CAPABILITIES, fresh=fresh) as client:
        client.start()
        converse(era, client.request)
        client.end()
        return b"".join(client.raw)


def over_http(server: ServerProcess, era: Era) -> bytes:
    """All that the server writes, the headers included."""
    written: list[Any] = []
    session: list[str] = []

    def exchanged(sent: Any) -> Headers:
        with Exchange(server.url, sent) as answered:
            written.append((answered.status, answered.headers.lines, answered.body()))
            return answered.headers

    def ask(method: str, params: Message) -> Message:
        if era is Era.LEGACY:
            exchanged(post(request(method, params, len(written)), session[0]))
        else:
            sent = modern(method, params, request_id=len(written), capabilities=CAPABILITIES)
            exchanged(sent.having({"Mcp-Name": params["taskId"]}) if "taskId" in params else sent)
        lines = [line.removeprefix("data: ") for line in written[-1][2].decode().splitlines()]
        answer: Message = json.loads([line for line in lines if line.startswith("{")][-1])
        return answer

    if era is Era.LEGACY:
        session.append(exchanged(post(initialize(capabilities=CAPABILITIES)))[SESSION])
        exchanged(post({"jsonrpc": "2.0", "method": "notifications/initialized"}, session[0]))
    converse(era, ask)
    return repr(written).encode()


def test_over_stdio(era: Era) -> None:
    # One is a fork, the other one not: so their sets, for example, are in different orders.
    first, second = (over_stdio(era, fresh=fresh) for fresh in (False, True))
    assert first == second
    assert b"2026-07-28T12:00:" in first


def test_over_http() -> None:
    written: list[bytes] = []
    for _ in range(2):
        with serving("streamable-http", before=SEED) as server:
            written.append(b"".join(over_http(server, era) for era in Era))
    first, second = written
    assert first == second
    assert b"'date'" not in first


def test_another_seed_gives_other_ids_and_none_gives_others_each_time() -> None:
    made = [Randomness(seed) for seed in (1, 1, 2, None, None)]
    for ids in ([one.uuid() for one in made], [one.token() for one in made]):
        assert ids[0] == ids[1]
        assert len(set(ids)) == 4


def test_a_seed_and_a_key_exclude_each_other() -> None:
    with Stdio([COMMAND, "--seed", "1", "--state-key", "k" * 32, "stdio"], Era.MODERN) as client:
        assert client.end() == 2
        assert "leave out --state-key" in client.stderr
