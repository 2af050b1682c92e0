"""The servers that the official clients connect to, one for each transport."""

import sys
from pathlib import Path
from typing import Any

import pytest
from clients import catalogue
from harness.node import NodeProject, install_project


@pytest.fixture(scope="module", params=["stdio"])
def server(request: pytest.FixtureRequest) -> dict[str, Any]:
    """How to reach a server that offers what the catalogue covers, in the form that the Node.js scripts take."""
    assert request.param == "stdio"
    return {
        "transport": "stdio",
        "command": str(Path(sys.executable).with_name("everything-server")),
        "args": ["--plugins", catalogue.GROUPS, "--strict", "stdio"],
        "env": catalogue.ENVIRONMENT,
    }


@pytest.fixture(scope="session")
def typescript() -> NodeProject:
    """The TypeScript clients, installed."""
    return install_project(Path(__file__).with_name("typescript"))
