"""The servers that the clients connect to, one for each transport, and the clients that have to be installed."""

from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from clients import catalogue
from clients.inspector import Inspector, install_inspector
from clients.servers import EVERYTHING, PLAIN, Listening
from harness.node import NodeProject, install_project
from harness.serving import ServerProcess, serving
from harness.wire import COMMAND, clean_environment


@pytest.fixture(scope="session", autouse=True)
def no_proxy() -> Generator[None]:
    """Clients connect to this machine only, whatever proxy the environment names for the rest of the world."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.setenv(name, "localhost,127.0.0.1")
        yield


@pytest.fixture(scope="session")
def listening() -> Generator[Listening]:
    """A server that offers what the plain rows are about, by transport; each is started when it is first asked for."""
    yield from _servers(PLAIN)


@pytest.fixture(scope="session")
def listening_with_everything() -> Generator[Listening]:
    """A server that offers everything, by transport; each is started when it is first asked for."""
    yield from _servers(EVERYTHING)


def _servers(options: tuple[str, ...]) -> Generator[Listening]:
    servers: dict[str, ServerProcess] = {}
    with ExitStack() as stack:

        def listening(transport: Any) -> ServerProcess:
            if transport not in servers:
                server = serving(transport, before=options, env=clean_environment(**catalogue.ENVIRONMENT))
                servers[transport] = stack.enter_context(server)
            return servers[transport]

        yield listening
    for server in servers.values():
        assert server.log == ""  # nobody has done anything to complain of


@pytest.fixture(scope="session")
def server_over(listening: Listening) -> Callable[[str], dict[str, Any]]:
    """How to reach such a server over a transport, in the form that the Node.js scripts take."""

    def server_over(transport: str) -> dict[str, Any]:
        if transport != "stdio":
            return {"transport": transport, "url": listening(transport).url}
        return {
            "transport": transport,
            "command": COMMAND,
            "args": [*PLAIN, "stdio"],
            "env": catalogue.ENVIRONMENT,
        }

    return server_over


@pytest.fixture(scope="session")
def typescript() -> NodeProject:
    """The TypeScript clients, installed."""
    return install_project(Path(__file__).with_name("typescript"))


@pytest.fixture(scope="session")
def inspector() -> Inspector:
    """MCP Inspector, installed."""
    return install_inspector()
