"""`tools.get-tiny-image`."""

import base64
import struct
import zlib
from typing import Any

import pytest
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import ImageContent, TextContent

TOOL = "get-tiny-image"


def _chunks(png: bytes) -> list[bytes]:
    """The kinds of the chunks of a PNG file, whose checksums must be right."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    kinds, place = [], 8
    while place < len(png):
        [length] = struct.unpack(">I", png[place : place + 4])
        body = png[place + 4 : place + 8 + length]
        assert png[place + 8 + length : place + 12 + length] == struct.pack(">I", zlib.crc32(body))
        kinds.append(body[:4])
        place += 12 + length
    return kinds


async def test_an_image_stands_between_two_texts(connect: Connect) -> None:
    async with connect("tools.get-tiny-image") as client:
        result = await client.call_tool(TOOL)
    assert not result.is_error
    before, image, after = result.content
    assert isinstance(before, TextContent)
    assert isinstance(image, ImageContent)
    assert isinstance(after, TextContent)
    assert before.text
    assert after.text
    assert image.mime_type == "image/png"


async def test_the_image_is_a_sound_png_file(connect: Connect) -> None:
    async with connect("tools.get-tiny-image") as client:
        result = await client.call_tool(TOOL, {})
    image = result.content[1]
    assert isinstance(image, ImageContent)
    kinds = _chunks(base64.b64decode(image.data, validate=True))
    assert (kinds[0], kinds[-1]) == (b"IHDR", b"IEND")


async def test_it_takes_no_argument(connect: Connect, refused: Any) -> None:
    async with connect("tools.get-tiny-image") as client:
        result = await client.call_tool(TOOL, {"size": 3})
        [tool] = (await client.list_tools()).tools
    assert refused(result) == ["size"]
    assert tool.title == "Get Tiny Image Tool"
    assert (tool.input_schema["type"], tool.input_schema["properties"]) == ("object", {})


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of("tools.get-tiny-image") == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without("tools.get-tiny-image") == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable="tools.get-tiny-image") as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
