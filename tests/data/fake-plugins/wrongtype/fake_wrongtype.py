"""A plugin that declares a prompt where tools are expected."""

from everything_server import PromptSpec, hookimpl


async def fake_prompt() -> str:
    """Never listed."""
    return ""


@hookimpl
def everything_server_tools():
    yield PromptSpec(name="fake-prompt", fn=fake_prompt)
