"""A plugin with a tool that can be described and one that cannot."""

from everything_server import ToolSpec, hookimpl


class Opaque:
    """Something that JSON has no form for."""


async def describable() -> str:
    """Dropped with the other."""
    return ""


async def indescribable(what: Opaque) -> str:
    """Has no schema."""
    return ""


@hookimpl
def everything_server_tools():
    yield ToolSpec(name="describable", fn=describable)
    yield ToolSpec(name="indescribable", fn=indescribable)
