"""Fixtures of the whole suite; what they are made of is in `harness`."""

import signal

import pytest
from everything_server import Era
from harness import Connect, connector

# A shell that runs its command in the background has SIGINT ignored, and what we start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


pytest_plugins = ["everything_server.testing.plugin", "pytester"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=list(Era), ids=str)
def era(request: pytest.FixtureRequest) -> Era:
    """Each era in turn: a test that takes this runs once for each."""
    return request.param


@pytest.fixture
def connect(era: Era) -> Connect:
    """Starts a server in this process with the plugins a test names, and connects the official client to it."""
    return connector(era)
