"""`tools.get-annotated-message`."""

from typing import Any

import pytest
from everything_server.content.tiny_image import TINY_IMAGE
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import Annotations, ImageContent, TextContent

TOOL = "get-annotated-message"

MESSAGES = {
    "error": TextContent(
        type="text",
        text="Error: Operation failed",
        annotations=Annotations(priority=1.0, audience=["user", "assistant"]),
    ),
    "success": TextContent(
        type="text",
        text="Operation completed successfully",
        annotations=Annotations(priority=0.7, audience=["user"]),
    ),
    "debug": TextContent(
        type="text",
        text="Debug: Cache hit ratio 0.95, latency 150ms",
        annotations=Annotations(priority=0.3, audience=["assistant"]),
    ),
}
IMAGE = ImageContent(
    type="image", data=TINY_IMAGE, mime_type="image/png", annotations=Annotations(priority=0.5, audience=["user"])
)


@pytest.mark.parametrize("kind", MESSAGES)
async def test_a_message_says_for_whom_it_is_and_how_much_it_matters(connect: Connect, kind: str) -> None:
    async with connect("tools.get-annotated-message") as client:
        result = await client.call_tool(TOOL, {"messageType": kind})
    assert result.content == [MESSAGES[kind]]
    assert not result.is_error


@pytest.mark.parametrize("kind", MESSAGES)
async def test_an_image_for_the_user_follows_on_demand(connect: Connect, kind: str) -> None:
    async with connect("tools.get-annotated-message") as client:
        result = await client.call_tool(TOOL, {"messageType": kind, "includeImage": True})
    assert result.content == [MESSAGES[kind], IMAGE]


async def test_without_a_wish_there_is_no_image(connect: Connect) -> None:
    async with connect("tools.get-annotated-message") as client:
        result = await client.call_tool(TOOL, {"messageType": "debug", "includeImage": False})
    assert result.content == [MESSAGES["debug"]]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"messageType": "info"}, ["messageType"]),
        ({"messageType": "Error"}, ["messageType"]),
        ({"messageType": 1}, ["messageType"]),
        ({"messageType": "error", "includeImage": "yes"}, ["includeImage"]),
        ({"messageType": "error", "includeImage": 1}, ["includeImage"]),
        ({"includeImage": True}, ["messageType"]),
        ({"messageType": "error", "include_image": True}, ["include_image"]),
        (None, ["messageType"]),
    ],
    ids=str,
)
async def test_what_the_schema_does_not_allow_is_refused(
    connect: Connect, refused: Any, arguments: dict[str, Any] | None, names: list[str]
) -> None:
    async with connect("tools.get-annotated-message") as client:
        result = await client.call_tool(TOOL, arguments)
    assert refused(result) == names


async def test_the_schema_names_the_kinds_and_the_default(connect: Connect) -> None:
    async with connect("tools.get-annotated-message") as client:
        [tool] = (await client.list_tools()).tools
    assert tool.title == "Get Annotated Message Tool"
    properties = tool.input_schema["properties"]
    assert properties["messageType"]["enum"] == list(MESSAGES)
    assert (properties["includeImage"]["type"], properties["includeImage"]["default"]) == ("boolean", False)
    assert tool.input_schema["required"] == ["messageType"]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of("tools.get-annotated-message") == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without("tools.get-annotated-message") == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable="tools.get-annotated-message") as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL, {"messageType": "error"})
    assert refusal.value.code == -32602
