"""`requestState`, which a client carries from one round to the next: what it may do with it, on stdio and over HTTP.

2026-07-28 basic/patterns/mrtr, Server Requirements: the server verifies what comes back, and binds it to the request.
"""

import base64
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from everything_server import Era, Settings
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from harness.asgi import running
from harness.client_side import altered, factory_with, raw_client
from harness.raw_http import exchange, modern
from harness.serving import serving
from harness.wire import COMMAND, Message, Stdio, clean_environment
from mcp.server.request_state import RequestStateSecurity

TOOL = "trigger-multi-step-elicitation"
OTHER_TOOL = "trigger-url-elicitation"
PLUGINS = f"tools.{TOOL},tools.{OTHER_TOOL},tools.echo,prompts.simple,resources.dynamic,extras.elicitation-prompt"
CAPABILITIES = {"elicitation": {"form": {}, "url": {}}}

LIFETIME = 600

ANSWERS = [{"activity": "hike"}, {"kind": "coast"}, {"people": 2}]
PLANNED = "The outing is planned: activity: hike, kind: coast, people: 2"

REFUSAL = {
    "code": -32602,
    "message": "Invalid or expired requestState",
    "data": {"reason": "invalid_request_state"},
}
"""What every state that is not good is answered with, whatever is wrong with it."""

Send = Callable[[str, Message], Awaitable[Message]]
"""Sends a request, and gives the answer."""


@dataclass(frozen=True)
class Server:
    """A server in this process, and how a client reaches it."""

    send: Send

    async def call(self, tool: str = TOOL, /, arguments: Message | None = None, **members: Any) -> Message:
        """The answer to a call; `members` stand beside its name and its arguments."""
        return await self.send("tools/call", {"name": tool, "arguments": arguments or {}, **members})

    async def ask(self, tool: str = TOOL, /, arguments: Message | None = None, **members: Any) -> tuple[str, str]:
        """The key and the state of the question that a call is answered with."""
        result = (await self.call(tool, arguments, **members))["result"]
        assert result["resultType"] == "input_required", result
        (key,) = result["inputRequests"]
        return key, result["requestState"]

    async def finish(self, key: str, state: str, answers: list[Message] = ANSWERS) -> str:
        """Answer one question after the other; the text of the result."""
        for answer in answers[:-1]:
            key, state = await self.ask(TOOL, {}, **continued(key, state, answer))
        result = (await self.call(TOOL, {}, **continued(key, state, answers[-1])))["result"]
        return result["content"][0]["text"]


def continued(key: str, state: Any, answer: Message) -> Message:
    """The members of a call that goes on."""
    return {"inputResponses": {key: {"action": "accept", "content": answer}}, "requestState": state}


@asynccontextmanager
async def over_stdio(settings: Settings) -> AsyncGenerator[Server]:
    async with raw_client(PLUGINS, Era.MODERN, CAPABILITIES, settings) as client:

        async def send(method: str, params: Message) -> Message:
            return await client.answer(await client.start(method, params))

        yield Server(send)


@asynccontextmanager
async def over_http(settings: Settings) -> AsyncGenerator[Server]:
    async with running(StreamableHttpApp(factory_with(PLUGINS, settings), HttpSettings(keep_alive=0))) as client:

        async def send(method: str, params: Message) -> Message:
            reply = await client.send(modern(method, params, capabilities=CAPABILITIES))
            answer = await reply.answer()
            assert reply.status == (400 if answer.get("error", {}).get("code") == -32602 else 200)
            return answer

        yield Server(send)


OVER: dict[str, Callable[[Settings], Any]] = {"stdio": over_stdio, "http": over_http}


@pytest.fixture(params=OVER)
def over(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Makes a server and connects to it."""
    return lambda settings=None: OVER[request.param](settings or Settings())


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Any:
    """What a client does wrong is worth a line in the log, and no traceback."""
    yield
    assert [record for record in caplog.records if record.exc_info or record.levelno > logging.WARNING] == []


class Clock:
    """Stands where the SDK asks the time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_800_000_000.0
        monkeypatch.setattr("mcp.server.request_state.time", SimpleNamespace(time=lambda: self.now))


async def test_three_rounds_lead_to_the_result(over: Any) -> None:
    async with over() as server:
        assert await server.finish(*await server.ask()) == PLANNED


@pytest.mark.parametrize("how", sorted(altered("state" * 9)))
async def test_a_state_that_was_changed_is_refused(over: Any, how: str) -> None:
    async with over() as server:
        key, state = await server.ask()
        answer = await server.call(TOOL, {}, **continued(key, altered(state)[how], ANSWERS[0]))
        assert answer["error"] == REFUSAL
        assert await server.finish(key, state) == PLANNED  # the good one still is


@pytest.mark.parametrize("state", [7, 0, True, [], ["x"], {}, {"a": 1}, "x" * (1 << 20), "v1.", "\ud800"], ids=ascii)
async def test_what_is_no_state_is_refused(over: Any, state: Any) -> None:
    async with over() as server:
        key, _ = await server.ask()
        error = (await server.call(TOOL, {}, **continued(key, state, ANSWERS[0])))["error"]
        assert error["code"] == -32602
        if isinstance(state, str) and state.isascii():
            assert error == REFUSAL
        assert await server.finish(*await server.ask()) == PLANNED


async def test_no_state_and_a_null_ask_again(over: Any) -> None:
    async with over() as server:
        key, _ = await server.ask()
        answers = {"inputResponses": {key: {"action": "accept", "content": ANSWERS[0]}}}
        for members in (answers, {**answers, "requestState": None}):
            again, state = await server.ask(TOOL, {}, **members)
            assert again == key
            assert await server.finish(again, state) == PLANNED


async def test_a_state_is_good_for_its_own_request_only(over: Any) -> None:
    """Not for another tool, other arguments, or another kind of request."""
    page, other_page = {"url": "https://example.com/a"}, {"url": "https://example.com/b"}
    async with over() as server:
        _, state = await server.ask()
        key, page_state = await server.ask(OTHER_TOOL, page)
        agreed = {"inputResponses": {key: {"action": "accept"}}}
        misuses = [
            await server.call(OTHER_TOOL, page, requestState=state),
            await server.call("echo", {"message": "x"}, requestState=state),
            await server.call(TOOL, {"rounds": 2}, requestState=state),
            await server.call(TOOL, {}, requestState=page_state, **agreed),
            await server.call(OTHER_TOOL, other_page, requestState=page_state, **agreed),
            await server.call(OTHER_TOOL, {**page, "message": "x"}, requestState=page_state, **agreed),
            await server.send("prompts/get", {"name": "simple-prompt", "requestState": state}),
            await server.send("prompts/get", {"name": TOOL, "requestState": state}),
            await server.send("prompts/get", {"name": "elicitation-prompt", "requestState": state}),
            await server.send("resources/read", {"uri": "demo://resource/dynamic/text/1", "requestState": state}),
        ]
        assert [misuse.get("error") for misuse in misuses] == [REFUSAL] * len(misuses)
        served = (await server.call(OTHER_TOOL, page, requestState=page_state, **agreed))["result"]
        assert served["content"][0]["text"].startswith("The user agreed to open")


async def test_a_state_is_good_for_ten_minutes(over: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    async with over() as server:
        key, state = await server.ask()
        second = continued(key, state, ANSWERS[0])
        clock.now += LIFETIME - 1
        later = await server.ask(TOOL, {}, **second)  # which is sealed anew
        clock.now += 1
        assert (await server.call(TOOL, {}, **second))["error"] == REFUSAL
        clock.now += LIFETIME - 2
        assert await server.finish(*later, ANSWERS[1:]) == PLANNED


async def test_its_lifetime_can_be_another_one(over: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    async with over(Settings(request_state=RequestStateSecurity.ephemeral(ttl=1))) as server:
        key, state = await server.ask()
        clock.now += 0.9
        assert await server.finish(key, state) == PLANNED
        clock.now += 0.2
        assert (await server.call(TOOL, {}, **continued(key, state, ANSWERS[0])))["error"] == REFUSAL


async def test_a_state_from_the_future_is_refused(over: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    async with over() as server:
        key, state = await server.ask()
        clock.now -= 3600
        assert (await server.call(TOOL, {}, **continued(key, state, ANSWERS[0])))["error"] == REFUSAL


async def test_a_state_shows_nothing_of_what_was_answered(over: Any) -> None:
    async with over() as server:
        key, state = await server.ask()
        _, second = await server.ask(TOOL, {}, **continued(key, state, ANSWERS[0]))
    assert second != state
    body = second.partition(".")[2]
    shown = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
    assert [secret for secret in (b"hike", b"activity", TOOL.encode()) if secret in shown] == []


async def test_a_state_goes_on_at_a_server_of_another_factory_that_has_the_key(over: Any) -> None:
    key = b"a key that two processes share, of 32 bytes and more"

    def settings(*keys: bytes) -> Settings:
        return Settings(request_state=RequestStateSecurity(keys=keys))

    async with over(settings(key)) as server:
        question, state = await server.ask()
    async with over(settings(b"n" * 32, key)) as server:  # whose keys are being replaced
        assert await server.finish(question, state) == PLANNED
    async with over(settings(b"n" * 32)) as server:
        answer = await server.call(TOOL, {}, **continued(question, state, ANSWERS[0]))
        assert answer["error"] == REFUSAL


# ---------------------------------------------------------------- processes


KEY = "0123456789abcdef0123456789abcdef"
ONLY = ("--plugins", f"tools.{TOOL}")


class Process:
    """A server in another process."""

    def __init__(self, request: Callable[[Message], Message]) -> None:
        self._request = request

    def call(self, **members: Any) -> Message:
        return self._request({"name": TOOL, "arguments": {}, **members})

    def ask(self, **members: Any) -> tuple[str, str]:
        result = self.call(**members)["result"]
        (key,) = result["inputRequests"]
        return key, result["requestState"]


def listening_at(url: str) -> Process:
    def request(params: Message) -> Message:
        with exchange(url, modern("tools/call", params, capabilities=CAPABILITIES)) as exchanged:
            return exchanged.answer()

    return Process(request)


def started(client: Stdio) -> Process:
    return Process(lambda params: client.request("tools/call", params))


def test_processes_with_the_same_key_go_on_with_each_others_calls_and_others_do_not() -> None:
    shared = clean_environment(EVERYTHING_SERVER_STATE_KEY=KEY)

    def start(env: dict[str, str]) -> Stdio:
        return Stdio([COMMAND, *ONLY, "stdio"], Era.MODERN, env=env, capabilities=CAPABILITIES)

    with (
        serving("streamable-http", before=(*ONLY, "--state-key", KEY)) as server,
        start(shared) as with_key,
        start(clean_environment()) as without,
    ):
        first, second, stranger = listening_at(server.url), started(with_key), started(without)
        kind = first.ask(**continued(*second.ask(**continued(*first.ask(), ANSWERS[0])), ANSWERS[1]))
        assert second.call(**continued(*kind, ANSWERS[2]))["result"]["content"][0]["text"] == PLANNED
        for asked, other in ((first, stranger), (stranger, first), (stranger, second)):
            assert other.call(**continued(*asked.ask(), ANSWERS[0]))["error"] == REFUSAL
        assert "Traceback" not in with_key.stderr + without.stderr + server.stderr
