"""`tools.get-env`."""

import json
import os
from typing import Any

import pytest
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

TOOL = "get-env"

SHOWN = ("PATH", "HOME", "LANG", "TZ", "USER", "SHELL", "PWD", "EVERYTHING_GREETING")


def _texts(result: CallToolResult) -> list[str]:
    assert not result.is_error
    return [block.text for block in result.content if isinstance(block, TextContent)]


@pytest.mark.parametrize("name", SHOWN)
async def test_harmless_values_are_shown(connect: Connect, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, f"the value of {name}, with an é")
    async with connect("tools.get-env") as client:
        result = await client.call_tool(TOOL)
    assert json.loads(_texts(result)[0])[name] == f"the value of {name}, with an é"


async def test_nothing_but_harmless_values_is_shown(connect: Connect) -> None:
    async with connect("tools.get-env") as client:
        result = await client.call_tool(TOOL, {})
    shown = json.loads(_texts(result)[0])
    assert {name for name in shown if not name.startswith("EVERYTHING_")} <= set(SHOWN)
    assert all(os.environ[name] == value for name, value in shown.items())


@pytest.mark.parametrize(
    "name",
    [
        "PROBE_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "HARMLESS_OR_NOT",
        "everything_lower",
        "PATHS",
        "XPATH",
        "EVERYTHING_API_KEY",
        "EVERYTHING_TOKEN",
        "EVERYTHING_SECRET",
        "EVERYTHING_db_password",
    ],
)
async def test_of_all_others_the_name_is_told_and_not_the_value(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "canary-7781")
    async with connect("tools.get-env") as client:
        result = await client.call_tool(TOOL)
    shown, others = _texts(result)
    assert name not in json.loads(shown)
    assert name in others
    assert "canary-7781" not in result.model_dump_json()


async def test_no_secret_is_in_anything_else_that_the_server_says(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_TOKEN", "canary-7781")
    async with connect() as client:
        said = [
            *(await client.list_tools()).tools,
            *(await client.list_resources()).resources,
            *(await client.list_resource_templates()).resource_templates,
            *(await client.list_prompts()).prompts,
            *[await client.read_resource(entry.uri) for entry in (await client.list_resources()).resources],
            await client.call_tool(TOOL, {"PROBE_TOKEN": "?"}),
        ]
        instructions = client.instructions or ""
    assert not [text for text in (instructions, *map(str, said)) if "canary-7781" in text]


async def test_a_name_that_is_no_text_does_not_spoil_the_answer(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, os.fsdecode(b"PROBE_\xff"), "canary-7781")
    monkeypatch.setitem(os.environ, "EVERYTHING_LATIN", os.fsdecode(b"caf\xe9"))
    async with connect("tools.get-env") as client:
        result = await client.call_tool(TOOL)
    shown, others = _texts(result)
    assert "EVERYTHING_LATIN" in json.loads(shown)
    assert "PROBE_" in others
    assert (shown + others).encode()  # a lone surrogate would be unreadable for most clients


@pytest.mark.parametrize("argument", ["all", "names", "PROBE_TOKEN"])
async def test_there_is_no_argument_that_opens_it(connect: Connect, refused: Any, argument: str) -> None:
    async with connect("tools.get-env") as client:
        result = await client.call_tool(TOOL, {argument: True})
    assert refused(result) == [argument]


async def test_its_description_warns(connect: Connect) -> None:
    async with connect("tools.get-env") as client:
        [tool] = (await client.list_tools()).tools
    assert tool.title == "Print Environment Tool"
    assert "whoever is connected can read" in (tool.description or "")
    assert tool.input_schema["properties"] == {}
    assert tool.input_schema["additionalProperties"] is False


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of("tools.get-env") == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without("tools.get-env") == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable="tools.get-env") as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
