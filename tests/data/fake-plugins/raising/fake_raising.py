"""A plugin that raises while it declares, after its first tool."""

from everything_server import ToolSpec, hookimpl


async def fake_raising() -> str:
    """Never listed."""
    return ""


@hookimpl
def everything_server_tools():
    yield ToolSpec(name="fake-raising", fn=fake_raising)
    raise LookupError("no second tool")
