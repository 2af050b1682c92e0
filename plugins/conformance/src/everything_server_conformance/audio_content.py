"""`test_audio_content`, for the scenario `tools-call-audio`."""

from collections.abc import Iterator

from everything_server import ToolSpec, hookimpl
from everything_server.content.tone import tone
from mcp_types import AudioContent


async def audio_content() -> AudioContent:
    """Give a sound."""
    return tone()


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="test_audio_content", fn=audio_content)
