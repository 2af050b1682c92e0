"""The product's tools in several sessions at once, over real connections: what belongs to one stays there, and clients
that vanish harm nobody."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from everything_server import Era, Settings
from everything_server.transports.sse import SseApp, SseSettings
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from harness.asgi import listening
from harness.client_side import factory_with
from harness.clock import FakeClock
from harness.wire import Message, is_notification, is_request
from wire.http_clients import Http, Sse
from wire.runner import check_messages

PLUGINS = "tools,resources.dynamic"
WATCHED = "demo://resource/dynamic/text/1"
INTERVAL = 5
"""Seconds between two messages of a tool that sends them by itself."""

IDLE_LIMIT = 100
ROUNDS = 20

UPDATED = "notifications/resources/updated"
LOGGED = "notifications/message"
PROGRESS = "notifications/progress"


class Stand:
    """A server in this process with the product's tools, on clocks that stand still until a test moves them."""

    def __init__(self, transport: str) -> None:
        self.clock, self.idle_clock = FakeClock(), FakeClock()
        factory = factory_with(PLUGINS, Settings(clock=self.clock))
        self.is_sse = transport == "sse"
        if self.is_sse:
            self.app: Any = SseApp(factory, SseSettings(keep_alive=0))
        else:
            http = HttpSettings(keep_alive=0, session_idle=IDLE_LIMIT, clock=self.idle_clock)
            self.app = StreamableHttpApp(factory, http)

    def connect(self, url: str, capabilities: Message | None = None, answers: Any = None) -> Http | Sse:
        """A client of the legacy era, with its stream open."""
        options: Any = {"capabilities": capabilities, "answers": answers}
        if self.is_sse:
            return Sse(url.replace("/mcp", "/sse"), Era.LEGACY, **options).start()
        return Http(url, Era.LEGACY, **options).start()

    async def pass_an_interval(self) -> None:
        """Let time pass until all who send something by themselves have done so once more, or have ended."""
        asleep, slept = self.clock.sleepers, len(self.clock.slept)
        self.clock.advance(INTERVAL)
        await self.clock.until(lambda clock: len(clock.slept) >= slept + asleep or clock.sleepers == 0)

    async def end_those_who_left(self) -> None:
        """Let all sessions end whose clients have gone: a stream takes its own with it, others wait a while."""
        if not self.is_sse:
            self.idle_clock.advance(IDLE_LIMIT + 1)
        await self.clock.until(lambda clock: clock.sleepers == 0)


@pytest.fixture(params=["streamable-http", "sse"])
def stand(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Stand:
    return Stand(request.param)


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Run what waits on sockets beside the server, which is in this thread."""
    return await anyio.to_thread.run_sync(function, *arguments)


def cut(client: Http | Sse) -> None:
    """Close its connections and say nothing."""
    if isinstance(client, Http):
        client.session_id = None  # so that it is not deleted
    client.close()


def text_of(result: Message) -> str:
    (block,) = result["content"]
    return block["text"]


def notifications(client: Http | Sse) -> list[str]:
    return [message["method"] for message in client.inbox if is_notification(message)]


def come_toggle_and_vanish(stand: Stand, url: str) -> None:
    """A client that has everything sent to it, and vanishes."""
    client = stand.connect(url)
    client.result("resources/subscribe", {"uri": WATCHED})
    client.call("toggle-simulated-logging")
    client.call("toggle-subscriber-updates")
    client.notification(UPDATED)
    client.wait(
        lambda messages: any(m.get("params", {}).get("logger") == "toggle-simulated-logging" for m in messages) or None,
        "a simulated message",
    )
    cut(client)


async def test_clients_that_have_things_sent_to_them_and_vanish_harm_nobody(
    stand: Stand, caplog: pytest.LogCaptureFixture
) -> None:
    async with listening(stand.app) as url, anyio.create_task_group() as tasks:
        stand.clock.advance(10)  # nobody has come yet
        good: Http | Sse = await in_thread(stand.connect, url)
        stop, stopped = threading.Event(), anyio.Event()
        echoed: list[str] = []

        def echo_on() -> None:
            while not stop.is_set():
                echoed.append(text_of(good.call("echo", {"message": f"{len(echoed)}"})))

        async def stay() -> None:
            await in_thread(echo_on)
            stopped.set()

        tasks.start_soon(stay)
        try:
            for _ in range(ROUNDS):
                await in_thread(come_toggle_and_vanish, stand, url)
                stand.clock.advance(INTERVAL)  # those who are left are sent something
            for _ in range(2):
                await stand.pass_an_interval()
            await stand.end_those_who_left()
            assert stand.clock.sleepers == 0
            before = len(echoed)
            while len(echoed) < before + 3:
                await anyio.lowlevel.checkpoint()
        finally:
            stop.set()  # or the thread would never end
        await stopped.wait()
        await in_thread(good.close)
    assert echoed == [f"Echo: {number}" for number in range(len(echoed))]
    assert notifications(good) == []
    check_messages(good)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


MODEL = {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "of-a"}
SAMPLING = {"sampling": {}}


async def test_what_belongs_to_one_session_reaches_no_other(stand: Stand) -> None:
    async with listening(stand.app) as url:
        first: Http | Sse = await in_thread(lambda: stand.connect(url, SAMPLING, {"sampling/createMessage": MODEL}))
        job = first.send_call("trigger-long-running-operation", {"duration": 4, "steps": 4}, progressToken="t")
        await stand.clock.wake_next()
        second: Http | Sse = await in_thread(
            lambda: stand.connect(url, {}, {"sampling/createMessage": {**MODEL, "model": "of-b"}})
        )
        await stand.clock.wake_next()

        def talk() -> None:
            assert text_of(second.call("echo", {"message": "B"})) == "Echo: B"
            second.result("resources/subscribe", {"uri": WATCHED})
            sampled = first.call("trigger-sampling-request", {"prompt": "Say hi"})
            assert "of-a" in text_of(sampled)
            refusal = second.error("tools/call", {"name": "trigger-sampling-request", "arguments": {"prompt": "x"}})
            assert refusal["code"] == -32602
            made = first.call("gzip-file-as-resource", {"name": "only-a", "data": "data:text/plain,a"})
            uri = made["content"][0]["uri"]
            assert uri in {entry["uri"] for entry in first.result("resources/list")["resources"]}
            assert first.result("resources/read", {"uri": uri})["contents"][0]["uri"] == uri
            assert uri not in {entry["uri"] for entry in second.result("resources/list")["resources"]}
            assert second.error("resources/read", {"uri": uri})["code"] == -32002
            first.call("trigger-resource-updates", {"uris": [WATCHED]})  # it is the other one that has subscribed
            first.call("trigger-list-changed", {"list": "tools"})
            assert "added-tool" in {tool["name"] for tool in first.result("tools/list")["tools"]}
            assert "added-tool" not in {tool["name"] for tool in second.result("tools/list")["tools"]}
            first.result("logging/setLevel", {"level": "error"})
            first.call("trigger-log-messages")
            second.result("logging/setLevel", {"level": "emergency"})
            second.call("trigger-log-messages")
            first.notification("notifications/tools/list_changed")
            first.notification("notifications/resources/list_changed")

        await in_thread(talk)
        await stand.clock.wake_next()
        await stand.clock.wake_next()

        def finish() -> None:
            assert "Steps: 4" in text_of(first.answer(job)["result"])
            for client in (first, second):
                client.settle()
                check_messages(client)
                client.close()

        await in_thread(finish)
    levels = [message["params"]["level"] for message in first.inbox if message.get("method") == LOGGED]
    assert levels == ["error", "critical", "alert", "emergency"]
    assert [message["params"]["progress"] for message in first.inbox if message.get("method") == PROGRESS] == [
        1,
        2,
        3,
        4,
    ]
    assert notifications(first).count(UPDATED) == 0
    assert [message["method"] for message in first.inbox if is_request(message)] == ["sampling/createMessage"]
    logged = [message["params"] for message in second.inbox if is_notification(message)]
    assert [(params.get("logger"), params.get("level")) for params in logged] == [
        ("resources", "info"),  # of its own subscription
        ("trigger-log-messages", "emergency"),
    ]
    assert [message for message in second.inbox if is_request(message)] == []


CALLS = 20
SESSIONS = 20


async def test_many_sessions_under_the_same_ids_get_their_own_answers(stand: Stand) -> None:
    def talk(number: int, url: str) -> None:
        client = stand.connect(url)
        for request_id in range(1, CALLS + 1):
            message = f"session {number}, call {request_id}"
            params = {"name": "echo", "arguments": {"message": message}}
            answer = client.request("tools/call", params, request_id + 100)  # the handshake has had the first ids
            assert answer["id"] == request_id + 100
            assert text_of(answer["result"]) == f"Echo: {message}"
        check_messages(client)
        client.close()

    def all_at_once(url: str) -> None:
        with ThreadPoolExecutor(SESSIONS) as threads:
            for one in [threads.submit(talk, number, url) for number in range(SESSIONS)]:
                one.result()

    async with listening(stand.app) as url:
        await in_thread(all_at_once, url)
