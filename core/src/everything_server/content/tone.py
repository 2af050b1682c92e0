"""A short sound, as a WAV file."""

import base64
import io
import wave
from functools import cache
from typing import Final

from mcp_types import AudioContent

SAMPLE_RATE: Final = 8000
SAMPLES: Final = 800
PERIOD: Final = 20
"""Samples in one wave: at this rate, 400 waves a second."""


def tone() -> AudioContent:
    """A tone of 400 Hz that lasts a tenth of a second, as a content block."""
    return AudioContent(type="audio", data=base64.b64encode(wav()).decode(), mime_type="audio/wav")


@cache
def wav() -> bytes:
    """The file: 8-bit mono, a triangle wave of whole numbers, so that it is the same to the byte on every machine."""
    wave_form = bytes(128 + 12 * (abs(place - PERIOD // 2) - PERIOD // 4) for place in range(PERIOD))
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(1)
        writer.setframerate(SAMPLE_RATE)
        writer.writeframes(wave_form * (SAMPLES // PERIOD))
    return file.getvalue()
