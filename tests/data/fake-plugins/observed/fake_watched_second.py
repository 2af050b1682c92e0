"""A plugin that leaves a mark where FAKE_PLUGINS_IMPORTED says, so that a test knows that it was imported."""

import os
from pathlib import Path

from everything_server import ToolSpec, hookimpl

with Path(os.environ["FAKE_PLUGINS_IMPORTED"]).open("a") as file:
    file.write("second\n")


async def watched() -> str:
    """Say which this is."""
    return "second"


@hookimpl
def everything_server_tools():
    yield ToolSpec(name="watched-second", fn=watched)
