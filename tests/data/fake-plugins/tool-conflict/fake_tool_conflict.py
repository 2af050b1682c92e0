"""A plugin with a tool of its own and one whose name is taken."""

from everything_server import ToolSpec, hookimpl


async def another_echo() -> str:
    """Never listed."""
    return "the wrong echo"


@hookimpl
def everything_server_tools():
    yield ToolSpec(name="zz-own", fn=another_echo)
    yield ToolSpec(name="echo", fn=another_echo)
