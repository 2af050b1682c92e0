"""The commands that serve the calculator, as processes, and a session that a person holds with curl."""

import json
import re
import shutil
import subprocess
import threading
import urllib.parse
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import Queue
from typing import Any, Final

import pytest
from harness.node import do_without
from harness.raw_http import Exchange, HttpRequest, exchange, get, post
from harness.serving import ServerProcess, serving
from harness.wire import COMMAND, GUARD, Message, clean_environment

CALCULATOR: Final = str(Path(COMMAND).with_name("calculator-server"))
TYPED: Final = ("sse", "--port", "1923", "--message-path", "/messages")
"""What follows `--plugins calculator` in the documents."""

CALL: Final = """{
  "jsonrpc": "2.0",
  "id": 1,
  "method": "tools/call",
  "params": {
    "name": "calculate",
    "arguments": { "op": "multiply", "a": 7, "b": 6 }
  }
}"""


@pytest.fixture(scope="module")
def url() -> Generator[str]:
    """The origin of a calculator server that the tests of this module share."""
    server = ServerProcess([CALCULATOR, "--port", "0"], clean_environment())
    try:
        server.wait_until_ready()
        yield server.url.removesuffix("/sse")
        server.stop()
    finally:
        server.kill()


class Conversation:
    """An event stream, and posts to the endpoint that it names; nothing is sent that a test does not send."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.stream = exchange(url, get().having(path="/sse"))
        event = self.stream.event()
        assert event is not None
        assert event.name == "endpoint"
        self.endpoint = event.data or ""
        assert re.fullmatch(r"/messages\?sessionId=[\w-]{22,}", self.endpoint)

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(self, *failure: object) -> None:
        self.stream.close()

    def post(self, method: str, params: Message, request_id: int) -> None:
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        with exchange(self.url, post(message, path=self.endpoint)) as accepted:
            assert accepted.status == 202

    def ask(self, method: str, **params: Any) -> Message:
        """Send a request and wait for its result, which must be the next message."""
        self.post(method, params, 9)
        answer = self.stream.message()
        assert answer["id"] == 9
        return answer["result"]

    def calculate(self, op: str, a: float, b: float) -> str:
        """The text of a calculation."""
        result = self.ask("tools/call", name="calculate", arguments={"op": op, "a": a, "b": b})
        return result["content"][0]["text"]

    def read(self, uri: str) -> Any:
        """A resource that is JSON."""
        [contents] = self.ask("resources/read", uri=uri)["contents"]
        return json.loads(contents["text"])


@contextmanager
def curl(*arguments: str) -> Generator[subprocess.Popen[str]]:
    """curl, until the block is left."""
    program = shutil.which("curl") or do_without("curl is not installed")
    command = [program, "--silent", "--noproxy", "*", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        guard = threading.Timer(GUARD, process.kill)
        guard.start()
        try:
            yield process
        finally:
            guard.cancel()
            process.kill()


def lines_of(process: subprocess.Popen[str]) -> Generator[str]:
    """What it prints, without the empty lines between events."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip():
            yield line.rstrip("\n")


def test_a_call_by_curl_is_accepted_and_answered_on_the_stream(url: str) -> None:
    port = urllib.parse.urlsplit(url).port
    with curl("-N", f"http://localhost:{port}/sse") as stream:
        shown = lines_of(stream)
        assert next(shown) == "event: endpoint"
        endpoint = next(shown).removeprefix("data: ")
        assert endpoint.startswith("/messages?sessionId=")
        address = f"http://localhost:{port}{endpoint}"
        posting = ("-X", "POST", address, "-H", "Content-Type: application/json", "-d", CALL, "-w", "%{http_code}")
        with curl(*posting) as posted:
            assert posted.communicate()[0].endswith("202")
        assert next(shown) == "event: message"
        answer = json.loads(next(shown).removeprefix("data: "))
    assert answer["id"] == 1
    assert answer["result"]["content"] == [{"type": "text", "text": "7 × 6 = 42"}]
    assert answer["result"]["structuredContent"]["value"] == 42


def test_a_session_is_found_by_its_id_only(url: str) -> None:
    for path, status in (("/messages", 400), ("/messages?sessionId=unknown", 404)):
        with exchange(url, post(json.loads(CALL), path=path)) as refused:
            assert refused.status == status
            assert "error" in refused.answer()


def test_several_calls_are_answered_one_after_the_other(url: str) -> None:
    with Conversation(url) as conversation:
        assert conversation.calculate("add", 1, 2) == "1 + 2 = 3"
        assert conversation.calculate("divide", 1, 0) == "1 ÷ 0 has no result: division by zero"
        assert conversation.calculate("power", 2, 8) == "2 ^ 8 = 256"
        refused = conversation.ask("tools/call", name="calculate", arguments={"op": "modulo", "a": 1, "b": 2})
        assert refused["isError"]
        assert "op: " in refused["content"][0]["text"]


def test_concurrent_calls_are_all_answered(url: str) -> None:
    with Conversation(url) as conversation:

        def post_one(number: int) -> None:
            arguments = {"op": "multiply", "a": number, "b": 2}
            conversation.post("tools/call", {"name": "calculate", "arguments": arguments}, number)

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(post_one, range(1, 25)))
        answers = [conversation.stream.message() for _ in range(24)]
        total = conversation.read("calculator://stats")["calculations"]
    found = {answer["id"]: answer["result"]["structuredContent"]["value"] for answer in answers}
    assert found == {number: number * 2 for number in range(1, 25)}
    assert total == 24


def test_progress_comes_on_the_stream(url: str) -> None:
    with Conversation(url) as conversation:
        params = {
            "name": "demo_progress",
            "arguments": {"steps": 2, "seconds": 0},
            "_meta": {"progressToken": "p"},
        }
        conversation.post("tools/call", params, 1)
        messages = [conversation.stream.message() for _ in range(3)]
    assert [message.get("params", {}).get("progress") for message in messages] == [1, 2, None]


def test_history_statistics_and_prompts_are_about_this_session(url: str) -> None:
    with Conversation(url) as conversation:
        conversation.calculate("add", 1, 2)
        conversation.calculate("add", 3, 4)
        assert conversation.read("calculator://history/1")["calculations"][0]["text"] == "3 + 4 = 7"
        assert conversation.read("calculator://history/calc-1")["text"] == "1 + 2 = 3"
        assert conversation.read("calculator://stats")["byOperation"] == {"add": 2}
        [message] = conversation.ask("prompts/get", name="generate-problems")["messages"]
        assert "1 + 2 = 3; 3 + 4 = 7" in message["content"]["text"]
        explained = conversation.ask("prompts/get", name="explain-calculation", arguments={"expression": "3 + 4"})
        assert "It comes to 7." in explained["messages"][0]["content"]["text"]


def test_two_sessions_never_see_each_other_and_a_new_one_begins_anew(url: str) -> None:
    with Conversation(url) as one, Conversation(url) as other:
        assert one.endpoint != other.endpoint
        one.calculate("add", 1, 1)
        other.calculate("add", 2, 2)
        for conversation, expression in ((one, "1 + 1"), (other, "2 + 2")):
            history = conversation.read("calculator://history/all")
            assert [entry["expression"] for entry in history["calculations"]] == [expression]
    with Conversation(url) as again:
        assert again.read("calculator://history/all")["calculations"] == []
        gone = HttpRequest(path=one.endpoint, headers=(("Content-Type", "application/json"),), body=CALL.encode())
        ended: Queue[int] = Queue()
        while True:  # the server notices in its own time that the stream has been left
            with exchange(url, gone) as refused:
                ended.put(refused.status)
            if ended.queue[-1] == 404:
                break
            assert ended.queue[-1] == 202
            again.calculate("add", 1, 1)


def test_its_health_and_its_page_are_there(url: str) -> None:
    with Conversation(url), exchange(url, get().having(path="/health")) as answered:
        health = json.loads(answered.body())
        assert (health["status"], health["transport"]) == ("ok", "sse")
        assert health["activeSessions"] >= 1
        assert set(health) == {"status", "transport", "activeSessions", "uptime"}
    with exchange(url, get().having(path="/")) as answered:
        told = json.loads(answered.body())
    assert {path.removeprefix(url) for path in told["endpoints"].values()} == {"/sse", "/messages"}
    assert "calculate" in told["features"]["legacy"]["tools"]


# ---------------------------------------------------------------- the commands


def shown(*arguments: str, **env: str) -> str:
    """What the command prints; it must succeed."""
    done = subprocess.run(
        [CALCULATOR, *arguments],
        capture_output=True,
        text=True,
        env=clean_environment(**env),
        timeout=GUARD,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_command_of_everything_server_serves_it_with_the_same_paths() -> None:
    options = [word if word != "1923" else "0" for word in TYPED[1:]]
    with serving("sse", *options, before=("--plugins", "calculator")) as server, Conversation(server.url) as talk:
        assert talk.calculate("multiply", 7, 6) == "7 × 6 = 42"


def test_the_commands_help_shows_its_own_defaults() -> None:
    text = " ".join(shown("--help").split())
    assert text.startswith("Usage: calculator-server sse [OPTIONS]")
    assert "default: 1923" in text
    assert "[default: /messages]" in text


def test_the_command_serves_the_calculators_plugins_and_no_others() -> None:
    rows = json.loads(shown("plugins", "--json", EVERYTHING_SERVER_PLUGINS="tools"))
    active = {row["name"] for row in rows if row["status"] == "active"}
    assert active == {row["name"] for row in rows if row["name"].startswith("calculator.")}


def test_the_command_tells_its_version() -> None:
    assert shown("--version").startswith("everything-server, version ")


def test_the_command_takes_another_transport_and_the_usual_variables() -> None:
    env = clean_environment(PORT="0", SAMPLE_TOOL_NAME="learn_echo")
    for arguments, path in (((), "/sse"), (("streamable-http",), "/mcp")):
        server = ServerProcess([CALCULATOR, *arguments], env)
        with ExitStack() as stack:
            stack.callback(server.kill)
            server.wait_until_ready()
            assert server.url.endswith(path)
            with Exchange(server.url, get().having(path="/")) as answered:
                tools = json.loads(answered.body())["features"]["legacy"]["tools"]
            assert "learn_echo" in tools
            server.stop()


def test_a_name_of_the_sample_tool_that_no_tool_can_have_ends_the_command() -> None:
    done = subprocess.run(
        [CALCULATOR, "--port", "0"],
        capture_output=True,
        text=True,
        env=clean_environment(SAMPLE_TOOL_NAME="no name"),
        timeout=GUARD,
        check=False,
    )
    assert done.returncode == 2
    assert "SAMPLE_TOOL_NAME must be the name of a tool" in done.stderr
    assert "Traceback" not in done.stderr
