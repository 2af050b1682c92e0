"""A plugin that works."""

from everything_server import ToolSpec, hookimpl


async def fake_good(name: str = "you") -> str:
    """Greet."""
    return f"Good day, {name}."


@hookimpl
def everything_server_tools():
    yield ToolSpec(name="fake-good", fn=fake_good)
