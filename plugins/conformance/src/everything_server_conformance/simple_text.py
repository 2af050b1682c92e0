"""`test_simple_text`, for the scenario `tools-call-simple-text`."""

from collections.abc import Iterator

from everything_server import ToolSpec, hookimpl


async def simple_text() -> str:
    """Give a text."""
    return "This is a simple text response for testing."


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="test_simple_text", fn=simple_text)
