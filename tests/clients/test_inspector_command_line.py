"""The command line of MCP Inspector: one connection for one question, in the era that it is told to speak."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from clients import catalogue
from clients.inspector import Inspector
from clients.servers import Listening
from everything_server import Era
from harness.wire import LEGACY_VERSION, MODERN_VERSION

Ask = Callable[..., Any]

VERSIONS: Final = {
    ("streamable-http", "legacy"): LEGACY_VERSION,
    ("streamable-http", "auto"): MODERN_VERSION,
    ("streamable-http", "modern"): MODERN_VERSION,
    ("sse", "legacy"): LEGACY_VERSION,
    ("sse", "auto"): LEGACY_VERSION,
}
"""What it must agree on with the server, by transport and by the era that it is told to speak."""

PLACES: Final = [("streamable-http", "legacy"), ("streamable-http", "modern"), ("sse", "legacy")]


@pytest.fixture
def ask(inspector: Inspector, listening: Listening, tmp_path: Path) -> Ask:
    """Runs it once and gives the result; it must have nothing to remark on."""

    def ask(place: tuple[str, str], *arguments: str) -> Any:
        transport, era = place
        kind = "sse" if transport == "sse" else "http"
        address = [listening(transport).url, "--transport", kind, "--protocol-era", era]
        answer = inspector.ask(tmp_path, [*address, *arguments])
        assert (answer.returncode, answer.stderr) == (0, ""), answer.stdout
        return json.loads(answer.stdout)["result"]

    return ask


@pytest.mark.parametrize(("place", "version"), VERSIONS.items(), ids=map("-".join, VERSIONS))
def test_it_agrees_with_the_server_on_a_revision(place: tuple[str, str], version: str, ask: Ask) -> None:
    opened = ask(place, "--method", "initialize")
    assert opened["protocolVersion"] == version
    assert opened["serverInfo"]["name"] == "mcp-servers/everything"
    assert opened["capabilities"] == catalogue.PLAIN_CAPABILITIES


@pytest.mark.parametrize("place", PLACES, ids="-".join)
def test_it_lists_the_tools_and_finds_no_fault_with_their_schemas(place: tuple[str, str], ask: Ask) -> None:
    listed = ask(place, "--method", "tools/list", "--strict")
    assert {tool["name"] for tool in listed["tools"]} == catalogue.listed(catalogue.plain_rows(Era.MODERN))["tools"]


@pytest.mark.parametrize("place", PLACES, ids="-".join)
def test_it_calls_a_tool(place: tuple[str, str], ask: Ask) -> None:
    result = ask(place, "--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=héllo")
    assert result["content"] == [{"type": "text", "text": "Echo: héllo"}]


@pytest.mark.parametrize("place", PLACES, ids="-".join)
def test_it_reads_a_resource(place: tuple[str, str], ask: Ask) -> None:
    result = ask(place, "--method", "resources/read", "--uri", "demo://resource/dynamic/text/5")
    (contents,) = result["contents"]
    assert contents["text"].startswith("Resource 5: ")


@pytest.mark.parametrize("place", PLACES, ids="-".join)
def test_it_gets_a_prompt(place: tuple[str, str], ask: Ask) -> None:
    result = ask(place, "--method", "prompts/get", "--prompt-name", "args-prompt", "--prompt-args", "city=Paris")
    (message,) = result["messages"]
    assert message["content"] == {"type": "text", "text": "What's weather in Paris?"}
