"""`conformance.audio-content`."""

import base64
import io
import wave

from harness import Connect
from mcp_types import AudioContent


async def test_it_gives_a_sound_in_a_wav_file(connect: Connect) -> None:
    async with connect("conformance.audio-content") as client:
        [content] = (await client.call_tool("test_audio_content")).content
    assert isinstance(content, AudioContent)
    assert content.mime_type == "audio/wav"
    with wave.open(io.BytesIO(base64.b64decode(content.data))) as file:
        assert file.getnframes() > 0
