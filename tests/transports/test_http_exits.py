"""No call may end the process, not even one of a tool that calls `sys.exit`. The server is in another process."""

import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from everything_server import Era
from harness.raw_http import Exchange, modern, open_session, request
from harness.serving import ServerProcess
from harness.wire import Message, clean_environment

SERVER = """
import sys

from everything_server import PromptSpec, ResourceSpec, ToolSpec
from everything_server.transports.listen import address_of, bind, serve
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from harness.plugins import factory_of, plugin

async def leave() -> str:
    sys.exit("a tool that exits")

def leave_from_thread() -> str:
    sys.exit("a tool that exits")

specs = [
    ToolSpec(name="leave", fn=leave),
    ToolSpec(name="leave_from_thread", fn=leave_from_thread),
    ResourceSpec(name="leave", uri="exits://leave", fn=leave),
    PromptSpec(name="leave", fn=leave),
]
app = StreamableHttpApp(factory_of(plugin("fake.exits", *specs)), HttpSettings())
listening = bind("127.0.0.1", 0)
serve(app, listening, f"everything-server: listening on http://{address_of(listening)}/mcp", app.close)
"""


@pytest.fixture
def server() -> Generator[ServerProcess]:
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    env = clean_environment(PYTHONPATH=os.pathsep.join(filter(None, paths)))
    process = ServerProcess([sys.executable, "-c", SERVER], env)
    try:
        process.wait_until_ready()
        yield process
    finally:
        process.kill()


@pytest.mark.parametrize("tool", ["leave", "leave_from_thread"])
def test_a_tool_that_exits_has_failed_and_the_server_lives(server: ServerProcess, era: Era, tool: str) -> None:
    for _ in range(2):
        assert answer(server.url, era, "tools/call", {"name": tool, "arguments": {}})["result"]["isError"]
    assert server.is_running


def test_a_resource_or_prompt_that_exits_has_failed_and_the_server_lives(server: ServerProcess, era: Era) -> None:
    for method, params in (("resources/read", {"uri": "exits://leave"}), ("prompts/get", {"name": "leave"})):
        error = answer(server.url, era, method, params)["error"]
        assert error["code"] == -32603
        assert "exits" not in error["message"]
    assert server.is_running


def answer(url: str, era: Era, method: str, params: Message) -> Message:
    exchanged = Exchange(url, modern(method, params)) if era is Era.MODERN else post_in_a_session(url, method, params)
    with exchanged:
        return exchanged.answer()


def post_in_a_session(url: str, method: str, params: Message) -> Exchange:
    return open_session(url).post(request(method, params))
