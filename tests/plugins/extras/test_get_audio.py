"""`extras.get-audio`."""

import base64
import io
import wave
from typing import Any

import pytest
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import AudioContent, CallToolResult, TextContent

PLUGIN = "extras.get-audio"
TOOL = "get-audio"


def _audio(result: CallToolResult) -> bytes:
    block = result.content[1]
    assert isinstance(block, AudioContent)
    return base64.b64decode(block.data, validate=True)


async def test_a_sound_stands_between_two_texts(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        result = await client.call_tool(TOOL)
    assert not result.is_error
    before, audio, after = result.content
    assert isinstance(before, TextContent)
    assert isinstance(audio, AudioContent)
    assert isinstance(after, TextContent)
    assert before.text
    assert after.text
    assert audio.mime_type == "audio/wav"


async def test_the_sound_is_a_sound_wav_file(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        file = _audio(await client.call_tool(TOOL))
    assert (file[:4], file[8:12]) == (b"RIFF", b"WAVE")
    assert int.from_bytes(file[4:8], "little") == len(file) - 8
    with wave.open(io.BytesIO(file)) as reader:
        assert (reader.getnchannels(), reader.getsampwidth(), reader.getframerate()) == (1, 1, 8000)
        samples = reader.readframes(reader.getnframes())
    assert len(samples) == 800  # a tenth of a second
    period = samples[:20]
    assert samples == period * 40  # 400 times a second
    assert len(set(period)) > 2
    assert period.index(max(period)) != period.index(min(period))


async def test_it_is_the_same_every_time(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        first, second = _audio(await client.call_tool(TOOL)), _audio(await client.call_tool(TOOL, {}))
    assert first == second


async def test_it_takes_no_argument(connect: Connect, refused: Any) -> None:
    async with connect(PLUGIN) as client:
        result = await client.call_tool(TOOL, {"seconds": 3})
        [tool] = (await client.list_tools()).tools
    assert refused(result) == ["seconds"]
    assert tool.title == "Get Audio Tool"
    assert (tool.input_schema["type"], tool.input_schema["properties"]) == ("object", {})


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
