"""Fixtures of the tables of calls."""

from collections.abc import Callable, Generator
from contextlib import ExitStack

import pytest
from everything_server import Era
from harness.serving import serving
from harness.wire import clean_environment
from wire.features import GROUPS
from wire.http_clients import Http, Sse
from wire.runner import Open, Runner
from wire.servers import open_for_row, opener_at


@pytest.fixture(scope="session")
def runner_of() -> Generator[Callable[[str, Era], Runner]]:
    """Gives the runner for a transport and an era; its connections, and the servers, last as long as the session."""
    runners: dict[tuple[str, Era], Runner] = {}
    urls: dict[str, str] = {}
    with ExitStack() as stack:

        def listen(transport: str) -> str:
            kind = "sse" if transport == "sse" else "streamable-http"
            plugins = ("--plugins", ",".join(GROUPS))
            return stack.enter_context(serving(kind, before=plugins, env=clean_environment())).url

        def opener_over(transport: str) -> Open:
            if transport == "stdio":
                return open_for_row
            if transport not in urls:
                urls[transport] = listen(transport)
            return opener_at(urls[transport], Sse if transport == "sse" else Http)

        def get(transport: str, era: Era) -> Runner:
            if (transport, era) not in runners:
                has_statuses = transport == "http"
                runners[transport, era] = Runner(era, opener_over(transport), has_statuses=has_statuses)
            return runners[transport, era]

        yield get
        for runner in runners.values():
            runner.close()
