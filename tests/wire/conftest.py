"""Fixtures of the tables of calls."""

from collections.abc import Callable, Generator

import pytest
from everything_server import Era
from wire.runner import Runner
from wire.servers import open_for_row


@pytest.fixture(scope="session")
def runner_of() -> Generator[Callable[[str, Era], Runner]]:
    """Gives the runner for a transport and an era; its connections last as long as the session."""
    runners: dict[tuple[str, Era], Runner] = {}
    openers = {"stdio": open_for_row}

    def get(transport: str, era: Era) -> Runner:
        return runners.setdefault((transport, era), Runner(era, openers[transport]))

    yield get
    for runner in runners.values():
        runner.close()
