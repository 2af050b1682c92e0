"""`running_server` and the fixture `everything`: a server for somebody else's test, on every transport."""

import json
import socket
import subprocess
import threading
import urllib.parse
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from everything_server import Era, testing
from everything_server.errors import PluginError
from everything_server.testing import FakeClock, Received, RunningServer, running_server
from harness.client_side import DECLINE, User, altered, responses, text_of
from mcp.shared.exceptions import MCPError
from mcp_types import InputRequiredResult

LONG = "trigger-long-running-operation"

pytestmark = pytest.mark.everything(plugins="tools,resources,prompts", disable="get-env")


def era_of(server: RunningServer) -> Era:
    return Era.MODERN if Era.MODERN in server.eras else Era.LEGACY


@pytest.mark.everything(transport="every", era="every", page_size=5)
async def test_it_serves_what_was_asked_for_and_remembers_what_arrived(everything: RunningServer) -> None:
    async with everything.client() as client:
        tools = await client.list_tools()
        answer = await client.call_tool("echo", {"message": "hello"})
    assert text_of(answer) == "Echo: hello"
    assert len(tools.tools) == 5
    handshake = ["initialize", "notifications/initialized"] if era_of(everything) is Era.LEGACY else []
    assert everything.received.methods == [*handshake, "tools/list", "tools/call"]
    (called,) = everything.received.of("tools/call")
    assert called.transport == everything.transport
    assert called.era is era_of(everything)
    assert called.params["name"] == "echo"
    assert called.params["arguments"] == {"message": "hello"}
    assert called.is_request


@pytest.mark.everything(transport=["memory", "streamable-http"], era="every")
async def test_what_is_disabled_is_not_there(everything: RunningServer) -> None:
    async with everything.client() as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert "echo" in names
        assert "get-env" not in names
        with pytest.raises(MCPError, match="Unknown tool: get-env"):
            await client.call_tool("get-env", {})


@pytest.mark.everything(transport="streamable-http", era="every")
async def test_over_http_headers_and_the_session_are_remembered(everything: RunningServer) -> None:
    async with everything.client() as client:
        await client.list_tools()
    (listed,) = everything.received.of("tools/list")
    assert listed.http_method == "POST"
    if era_of(everything) is Era.MODERN:
        assert listed.headers["mcp-protocol-version"] == "2026-07-28"
        assert listed.headers["mcp-method"] == "tools/list"
        assert listed.session is None
        return
    assert listed.headers["mcp-protocol-version"] == "2025-11-25"
    assert listed.session == listed.headers["mcp-session-id"]
    assert everything.received[0].method == "initialize"
    assert everything.received[0].session is None
    ended = await everything.received.wait_for_async(lambda received: received.http_method == "DELETE")
    assert (ended.method, ended.message, ended.session) == (None, None, listed.session)


@pytest.mark.everything(transport="sse")
async def test_over_sse_the_stream_and_the_session_are_remembered(everything: RunningServer) -> None:
    async with everything.client() as client:
        await client.list_tools()
    assert everything.received[0].http_method == "GET"
    sessions = {received.session for received in everything.received if received.http_method == "POST"}
    assert len(sessions) == 1
    assert None not in sessions


@pytest.mark.everything(transport="stdio", era="modern")
def test_over_stdio_any_client_can_start_the_server_and_more_than_once(everything: RunningServer) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "nonsense"}) + "\nno message\n"
    for _ in range(2):
        subprocess.run(everything.command, input=line, text=True, capture_output=True, check=True, timeout=60)
    assert [(one.id, one.era) for one in everything.received.of("nonsense")] == [(7, Era.LEGACY)] * 2
    assert [one.problem for one in everything.received if one.message is None] != []


def test_a_message_can_be_waited_for() -> None:
    with running_server(transport="streamable-http", plugins="tools.echo") as server:
        seen: list[Received] = []
        waiting = threading.Thread(target=lambda: seen.append(server.received.wait_for("tools/call", count=2)))
        waiting.start()

        async def call_twice() -> None:
            async with server.client() as client:
                for text in ("one", "two"):
                    await client.call_tool("echo", {"message": text})

        anyio.run(call_twice)
        waiting.join(30)
    assert [one.params["arguments"]["message"] for one in seen] == ["two"]
    with pytest.raises(TimeoutError, match=r"1 x prompts/get: not within 0 seconds; <received .*tools/call"):
        server.received.wait_for("prompts/get", timeout=0)


async def test_waiting_does_not_block_an_event_loop(everything: RunningServer) -> None:
    with pytest.raises(RuntimeError, match="use await wait_for_async"):
        everything.received.wait_for("ping")
    async with everything.client() as client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "echo", {"message": "later"})
        called = await everything.received.wait_for_async("tools/call")
    assert called.params["arguments"] == {"message": "later"}


@pytest.mark.parametrize("transport", ["sse", "streamable-http"])
def test_it_stops_whatever_happens_in_the_block_and_nothing_is_left(transport: str) -> None:
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError), running_server(transport=transport, plugins="tools.echo") as server:
        parts = urllib.parse.urlsplit(server.url)
        held = socket.create_connection((parts.hostname or "", parts.port or 0))
        held.sendall(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept: text/event-stream\r\n\r\n".encode())
        server.received.wait_for(lambda received: received.http_method == "GET")
        raise ZeroDivisionError
    held.close()
    assert set(threading.enumerate()) <= before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((parts.hostname or "", parts.port or 0))


@pytest.mark.everything(transport=["memory", "sse", "streamable-http"], clock="fake")
async def test_its_clock_is_moved_by_the_test(everything: RunningServer) -> None:
    async with everything.client() as client, anyio.create_task_group() as tasks:
        answers: list[Any] = []

        async def call() -> None:
            answers.append(await client.call_tool(LONG, {"duration": 1000, "steps": 2}))

        tasks.start_soon(call)
        for _ in range(2):
            await everything.clock.wake_next()
    assert text_of(answers[0]) == "Long running operation completed. Duration: 1000 seconds, Steps: 2."


@pytest.mark.everything(transport="streamable-http", clock="fake")
def test_a_test_that_is_not_async_moves_the_clock_too(everything: RunningServer) -> None:
    answers: list[Any] = []

    async def call() -> None:
        async with everything.client() as client:
            answers.append(await client.call_tool(LONG, {"duration": 1000, "steps": 1}))

    calling = threading.Thread(target=anyio.run, args=(call,))
    calling.start()
    everything.clock.wait_for_sleepers()
    everything.clock.advance(1000)
    calling.join(30)
    assert len(answers) == 1
    assert everything.clock.slept == [1000]


@pytest.mark.everything(clock="instant")
async def test_on_an_instant_clock_nothing_takes_time(everything: RunningServer) -> None:
    async with everything.client() as client:
        await client.call_tool(LONG, {"duration": 1000, "steps": 4})
    assert everything.clock.slept == [250] * 4
    assert everything.clock.monotonic() == 1000


@pytest.mark.everything(transport="streamable-http", era="legacy", clock="fake", session_idle=60)
async def test_an_idle_session_ends_when_the_clock_says_so(everything: RunningServer) -> None:
    opened = await post(everything.url, {}, {"method": "initialize", "id": 1, "params": HANDSHAKE})
    headers = {"mcp-session-id": opened["mcp-session-id"]}
    assert (await post(everything.url, headers, {"method": "ping", "id": 2}))["status"] == 200
    everything.clock.advance(61)
    assert (await post(everything.url, headers, {"method": "ping", "id": 3}))["status"] == 404


HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


async def post(url: str, headers: dict[str, str], message: dict[str, Any]) -> dict[str, Any]:
    """The status and the headers of the answer to a message."""
    import httpx2

    headers = {"accept": "application/json, text/event-stream", **headers}
    async with httpx2.AsyncClient() as http:
        answer = await http.post(url, headers=headers, json={"jsonrpc": "2.0", **message})
    return {"status": answer.status_code, **answer.headers}


@pytest.mark.everything(transport=["memory", "streamable-http"], era="modern", clock="fake")
async def test_what_a_tool_has_minted_expires_when_the_clock_says_so(everything: RunningServer) -> None:
    async with everything.client() as client:
        arguments = {"name": "x.gz", "data": "data:,x", "outputType": "resourceLink"}
        (link,) = (await client.call_tool("gzip-file-as-resource", arguments)).content
        everything.clock.advance(599)
        await client.read_resource(link.uri)
        everything.clock.advance(2)
        with pytest.raises(MCPError, match="not found"):
            await client.read_resource(link.uri)


@pytest.mark.everything(transport=["memory", "streamable-http"], era="modern", clock="fake")
@pytest.mark.parametrize(("waited", "is_taken"), [(599, True), (601, False)])
async def test_the_state_of_a_call_expires_when_the_clock_says_so(
    everything: RunningServer, waited: float, is_taken: bool
) -> None:
    async with everything.client(elicitation_callback=User()) as client:
        arguments = {"url": "https://example.com/"}
        call = client.session.call_tool
        asked = await call("trigger-url-elicitation", arguments, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        everything.clock.advance(waited)
        again: dict[str, Any] = {
            "input_responses": responses(browserFlow=DECLINE),
            "request_state": asked.request_state,
        }
        if is_taken:
            assert text_of(await call("trigger-url-elicitation", arguments, **again)).startswith("The user declined")
        else:
            with pytest.raises(MCPError, match="Invalid or expired requestState"):
                await call("trigger-url-elicitation", arguments, **again)


@pytest.mark.parametrize("how", [None, *altered("state" * 9)])
@pytest.mark.parametrize("options", [{"seed": 1}, {"clock": "fake"}], ids=["seed", "clock"])
async def test_a_state_is_taken_back_as_it_was_given_and_in_no_other_form(
    options: dict[str, Any], how: str | None
) -> None:
    tool, arguments = "trigger-url-elicitation", {"url": "https://example.com/"}
    with running_server(era="modern", plugins=tool, **options) as server:
        async with server.client(elicitation_callback=User()) as client:
            call = partial(client.session.call_tool, tool, arguments)
            asked = await call(allow_input_required=True)
            assert isinstance(asked, InputRequiredResult)
            state = asked.request_state or ""
            answer = partial(call, input_responses=responses(browserFlow=DECLINE))
            if how is None:
                assert "declined" in text_of(await answer(request_state=state))
                return
            with pytest.raises(MCPError, match="Invalid or expired requestState"):
                await answer(request_state=altered(state)[how])


async def test_what_has_arrived_can_be_forgotten(everything: RunningServer) -> None:
    async with everything.client() as client:
        await client.list_prompts()
        everything.received.clear()
        assert list(everything.received) == []
        await client.list_resources()
    assert everything.received[0] is everything.received[-1]
    assert everything.received[:1] == everything.received.of(lambda received: received.is_request)
    assert repr(everything.received) == "<received resources/list>"


@pytest.mark.everything(transport="stdio")
def test_a_record_that_a_killed_process_has_torn_is_no_reason_to_lose_others(everything: RunningServer) -> None:
    pipe = Path(everything.command[everything.command.index("--record") + 1])
    whole = Received(transport="stdio", message={"jsonrpc": "2.0", "method": "ping", "id": 1})
    pipe.write_text(f'{{"transport": "std\n{json.dumps(whole.as_json())}\n')
    assert everything.received.wait_for("ping") == whole
    assert everything.received[0].problem == "The record of this message is torn"


def test_the_public_names_are_there_and_no_others() -> None:
    for name in testing.__all__:
        assert getattr(testing, name).__name__ == name
    with pytest.raises(AttributeError, match="no_such_name"):
        testing.no_such_name  # noqa: B018


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"transport": "carrier pigeon"}, "transport: there is no 'carrier pigeon', only memory, stdio, sse, stream"),
        ({"era": "bronze"}, "era: there is no 'bronze', only dual, legacy, modern"),
        ({"clock": "cuckoo"}, "clock: there is no 'cuckoo', only fake, instant, or a clock of your own"),
        ({"plugin": "tools"}, "unknown option plugin; there are transport, era, plugins"),
        ({"transport": "sse", "era": "modern"}, "sse exists in the legacy era only"),
        ({"transport": "stdio", "clock": "fake"}, "whose clock nobody else can move"),
    ],
)
def test_what_cannot_be_had_is_refused_with_the_reason(options: dict[str, str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem), running_server(**options):
        raise NotImplementedError


def test_a_plugin_that_there_is_not_is_refused() -> None:
    with pytest.raises(PluginError, match=r"nowhere\.to-be-found"), running_server(plugins="nowhere.to-be-found"):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("transport", "missing", "hint"),
    [
        ("memory", "url", "over memory there is no url; transport='streamable-http' has one"),
        ("streamable-http", "command", "over streamable-http there is no command; transport='stdio' has one"),
        ("stdio", "clock", "give it a clock with clock='fake'"),
    ],
)
def test_what_a_server_has_not_got_is_refused_with_a_hint(transport: str, missing: str, hint: str) -> None:
    with running_server(transport=transport, plugins="tools.echo") as server, pytest.raises(AttributeError, match=hint):
        getattr(server, missing)


async def test_two_servers_share_nothing(everything: RunningServer) -> None:
    with running_server(plugins="tools.echo", clock=FakeClock()) as other:
        async with everything.client() as client, other.client() as neighbour:
            await client.list_prompts()
            await neighbour.call_tool("echo", {"message": "mine"})
    assert everything.received.of("tools/call") == []
    assert other.received.of("prompts/list") == []
