"""Plugins that are objects of one module; one of them, and a whole group, are marked as opt-in."""

from everything_server import ToolSpec, hookimpl


class _Plugin:
    def __init__(self, tool):
        self.tool = tool

    @hookimpl
    def everything_server_tools(self):
        async def answer() -> str:
            """Say who this is."""
            return self.tool

        yield ToolSpec(name=self.tool, fn=answer)


open_plugin = _Plugin("mixed-open")
shy_plugin = _Plugin("mixed-shy")
shy_one = _Plugin("shy-one")
shy_two = _Plugin("shy-two")
