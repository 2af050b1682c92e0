"""A plugin that writes to stdout, itself and by a child process, when imported and when called."""

import os
import subprocess

from everything_server import ToolSpec, hookimpl


def make_noise(when):
    print("printed", when)
    os.write(1, f"written {when}\n".encode())
    subprocess.run(["sh", "-c", f"echo child {when}"], check=True)


async def fake_noisy() -> str:
    """Make noise."""
    make_noise("by a tool")
    return "quiet"


@hookimpl
def everything_server_tools():
    yield ToolSpec(name="fake-noisy", fn=fake_noisy)


make_noise("at import")
