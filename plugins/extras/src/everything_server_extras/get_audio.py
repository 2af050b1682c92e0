"""`get-audio`: a sound between two texts."""

import base64
import io
import wave
from collections.abc import Iterator
from functools import cache
from typing import Final

from everything_server import ToolSpec, hookimpl
from mcp_types import AudioContent, ContentBlock, TextContent, ToolAnnotations

SAMPLE_RATE: Final = 8000
SAMPLES: Final = 800
PERIOD: Final = 20
"""Samples in one wave: at this rate, 400 waves a second."""


async def get_audio() -> list[ContentBlock]:
    """Get a short WAV sound, with a text before and after it."""
    return [
        TextContent(type="text", text="Here is a short sound:"),
        AudioContent(type="audio", data=base64.b64encode(tone()).decode(), mime_type="audio/wav"),
        TextContent(type="text", text="It is a tone of 400 Hz that lasts a tenth of a second."),
    ]


@cache
def tone() -> bytes:
    """The file: 8-bit mono, a triangle wave of whole numbers, so that it is the same to the byte on every machine."""
    wave_form = bytes(128 + 12 * (abs(place - PERIOD // 2) - PERIOD // 4) for place in range(PERIOD))
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(1)
        writer.setframerate(SAMPLE_RATE)
        writer.writeframes(wave_form * (SAMPLES // PERIOD))
    return file.getvalue()


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-audio",
        title="Get Audio Tool",
        fn=get_audio,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
