"""The calculator over HTTP+SSE, with the clients that people learn with: MCP Inspector and the TypeScript SDK."""

import json
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from clients.inspector import Inspector
from harness.node import NodeProject
from harness.serving import ServerProcess, serving

GUARD = 120.0
"""Seconds after which a client is given up."""


@pytest.fixture(scope="module")
def calculator() -> Generator[ServerProcess]:
    """The server, started as the documents say, but for the port."""
    with serving("sse", "--message-path", "/messages", before=("--plugins", "calculator")) as server:
        yield server
        assert server.log == ""  # nobody has done anything to complain of


@pytest.fixture(scope="module")
def report(calculator: ServerProcess, typescript: NodeProject) -> dict[str, Any]:
    """What came of the conversations of the TypeScript SDK's `SSEClientTransport`."""
    command = [*typescript.script("calculator.mjs"), calculator.url]
    client = subprocess.run(command, capture_output=True, text=True, timeout=GUARD, check=False)
    assert (client.returncode, client.stderr) == (0, "")
    return json.loads(client.stdout)


def test_typescript_calls_are_answered(report: dict[str, Any]) -> None:
    assert {"calculate", "batch_calculate", "advanced_calculate", "demo_progress"} <= set(report["tools"])
    assert report["call"]["content"] == [{"type": "text", "text": "7 × 6 = 42"}]
    assert report["call"]["structuredContent"]["value"] == 42
    assert report["invalid"]["isError"]
    assert report["concurrent"] == list(range(1, 21))
    assert report["progress"] == [1, 2, 3]


def test_typescript_the_clients_model_is_asked(report: dict[str, Any]) -> None:
    assert report["solved"]["content"][0]["text"] == "asked: How many?"


def test_typescript_sessions_are_apart_and_a_new_one_begins_anew(report: dict[str, Any]) -> None:
    assert report["histories"] == {"one": 21, "other": ["9 - 8"]}
    assert report["stats"]["byOperation"] == {"multiply": 1, "add": 20}
    assert "19 + 1 = 20" in report["prompt"]["messages"][0]["content"]["text"]
    assert report["reconnected"] == []


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("--method", "tools/list", "--strict"), "advanced_calculate"),
        (
            ("--method", "tools/call", "--tool-name", "calculate")
            + ("--tool-arg", "op=multiply", "--tool-arg", "a=7", "--tool-arg", "b=6"),
            "7 × 6 = 42",
        ),
        (("--method", "resources/read", "--uri", "calculator://constants"), "3.14159"),
        (("--method", "prompts/get", "--prompt-name", "calculator-tutorial"), "batch_calculate"),
    ],
    ids=["tools", "call", "resource", "prompt"],
)
def test_the_inspectors_command_line_is_served(
    arguments: tuple[str, ...], found: str, calculator: ServerProcess, inspector: Inspector, tmp_path: Path
) -> None:
    # The address and the transport in the order in which the walk-through of the transport types them.
    answer = inspector.ask(
        tmp_path, [calculator.url.replace("127.0.0.1", "localhost"), "--transport", "sse", *arguments]
    )
    assert (answer.returncode, answer.stderr) == (0, ""), answer.stdout
    assert found in answer.stdout
