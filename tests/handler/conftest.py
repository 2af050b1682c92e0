"""The servers that the tables are played against: one process of each for all tests of a worker."""

import sys
from collections.abc import Callable, Generator
from pathlib import Path

import harness.http_server
import pytest
from handler.play import Mount
from harness.serving import ServerProcess, serving


@pytest.fixture(scope="session")
def mounts() -> Generator[Callable[[str], Mount]]:
    """Gives a handler by its name, made anew."""
    server = ServerProcess([sys.executable, str(Path(harness.http_server.__file__))])

    def get(name: str) -> Mount:
        mount = Mount(server.url, name)
        mount.control("reset")
        return mount

    try:
        server.wait_until_ready()
        yield get
        assert server.log == ""
        server.stop()
    finally:
        server.kill()


@pytest.fixture(scope="session")
def product() -> Generator[str]:
    """The address of the whole product, which serves legacy clients with sessions."""
    with serving("streamable-http") as server:
        yield server.url
        assert server.log == ""
