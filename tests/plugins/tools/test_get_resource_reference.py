"""`tools.get-resource-reference`."""

import base64
from typing import Any

import pytest
from everything_server import Settings
from harness import Connect
from harness.clock import FakeClock
from mcp.shared.exceptions import MCPError
from mcp_types import BlobResourceContents, CallToolResult, EmbeddedResource, TextContent, TextResourceContents

TOOL = "get-resource-reference"
MADE = "2026-07-28T12:00:00.000+00:00"
"""What the fake clock shows."""


def _resource(result: CallToolResult) -> TextResourceContents | BlobResourceContents:
    """The embedded resource, which stands between two texts, the second naming its URI."""
    assert not result.is_error
    before, embedded, after = result.content
    assert isinstance(before, TextContent)
    assert isinstance(embedded, EmbeddedResource)
    assert isinstance(after, TextContent)
    assert str(embedded.resource.uri) in after.text
    return embedded.resource


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        (None, 1),
        ({}, 1),
        ({"resourceType": "Text"}, 1),
        ({"resourceId": 2}, 2),
        ({"resourceType": "Text", "resourceId": 7.0}, 7),
        ({"resourceId": 9007199254740993}, 9007199254740993),
        ({"resourceId": 10**40}, 10**40),
    ],
    ids=str,
)
async def test_a_text_tells_its_number_and_when_it_was_made(
    connect: Connect, arguments: dict[str, Any] | None, number: int
) -> None:
    async with connect("tools.get-resource-reference", settings=Settings(clock=FakeClock())) as client:
        result = await client.call_tool(TOOL, arguments)
    assert _resource(result) == TextResourceContents(
        uri=f"demo://resource/dynamic/text/{number}",
        mime_type="text/plain",
        text=f"Resource {number}: This is a plaintext resource created at {MADE}",
    )


@pytest.mark.parametrize(("arguments", "number"), [({}, 1), ({"resourceId": 7}, 7)], ids=str)
async def test_a_blob_holds_the_same_as_base64(connect: Connect, arguments: dict[str, Any], number: int) -> None:
    async with connect("tools.get-resource-reference", settings=Settings(clock=FakeClock())) as client:
        result = await client.call_tool(TOOL, {"resourceType": "Blob", **arguments})
    data = f"Resource {number}: This is a base64 blob created at {MADE}".encode()
    assert _resource(result) == BlobResourceContents(
        uri=f"demo://resource/dynamic/blob/{number}",
        mime_type="application/octet-stream",
        blob=base64.b64encode(data).decode(),
    )


async def test_what_is_embedded_can_be_read_where_resources_are_served(connect: Connect) -> None:
    plugins = "tools.get-resource-reference,resources.dynamic"
    async with connect(plugins, settings=Settings(clock=FakeClock())) as client:
        embedded = _resource(await client.call_tool(TOOL, {"resourceId": 12}))
        assert (await client.read_resource(str(embedded.uri))).contents == [embedded]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"resourceId": 0}, ["resourceId"]),
        ({"resourceId": -1}, ["resourceId"]),
        ({"resourceId": 1.5}, ["resourceId"]),
        ({"resourceId": "2"}, ["resourceId"]),
        ({"resourceId": None}, ["resourceId"]),
        ({"resourceId": True}, ["resourceId"]),
        ({"resourceType": "text"}, ["resourceType"]),
        ({"resourceType": "Binary"}, ["resourceType"]),
        ({"resourceType": "text", "resourceId": 0}, ["resourceId", "resourceType"]),
        ({"resource_id": 2}, ["resource_id"]),
    ],
    ids=str,
)
async def test_what_names_no_resource_is_refused(
    connect: Connect, refused: Any, arguments: dict[str, Any], names: list[str]
) -> None:
    async with connect("tools.get-resource-reference") as client:
        result = await client.call_tool(TOOL, arguments)
    assert refused(result) == names


async def test_the_schema_states_kinds_limits_and_defaults(connect: Connect) -> None:
    async with connect("tools.get-resource-reference") as client:
        [tool] = (await client.list_tools()).tools
    assert tool.title == "Get Resource Reference Tool"
    properties = tool.input_schema["properties"]
    assert set(properties) == {"resourceType", "resourceId"}  # the request's context is no argument
    assert (properties["resourceType"]["enum"], properties["resourceType"]["default"]) == (["Text", "Blob"], "Text")
    number = properties["resourceId"]
    assert (number["type"], number["minimum"], number["default"]) == ("integer", 1, 1)


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of("tools.get-resource-reference") == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without("tools.get-resource-reference") == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable="tools.get-resource-reference") as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
