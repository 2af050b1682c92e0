"""Starts the servers that the tests talk to: the product, in a process of its own."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from everything_server import Era
from harness.plugins import FAKES
from harness.wire import COMMAND, Client, Stdio, clean_environment
from wire.answers import Answerer
from wire.features import GROUPS
from wire.http_clients import Http, Sse
from wire.rows import Row
from wire.runner import Open

OWN_FAKES: Final = Path(__file__).with_name("fake-plugins")
"""Import paths with a fake plugin on each, beside those of `harness.plugins`."""


def start_server(*arguments: str, era: Era = Era.LEGACY, env: Mapping[str, str] | None = None, **options: Any) -> Stdio:
    """Start `everything-server` with arguments; the conversation is not open yet."""
    return Stdio([COMMAND, *arguments], era, env=env, **options)


def open_server(*arguments: str, era: Era = Era.LEGACY, **options: Any) -> Stdio:
    """Start `everything-server` with arguments, and open the conversation."""
    return start_server(*arguments, era=era, **options).start()


def installed(*fakes: str, **variables: str) -> dict[str, str]:
    """The environment of a server for which fake plugins are installed."""
    folders = [OWN_FAKES / fake if (OWN_FAKES / fake).is_dir() else FAKES / fake for fake in fakes]
    assert all(folder.is_dir() for folder in folders), fakes
    return clean_environment(PYTHONPATH=os.pathsep.join(map(str, folders)), **variables)


def open_for_row(row: Row, era: Era, answers: Mapping[str, Answerer]) -> Stdio:
    """Start a server with the groups that the rows of `calls.json` are about, for a client like a row's."""
    return open_server(
        "--plugins",
        ",".join(GROUPS),
        "stdio",
        era=era,
        env=clean_environment(**row.env),
        version=row.version(era),
        capabilities=row.capabilities(era),
        answers=answers,
    )


def opener_at(url: str, kind: type[Http | Sse]) -> Open:
    """Opens connections to a server that listens."""

    def open_connection(row: Row, era: Era, answers: Mapping[str, Answerer]) -> Client:
        options = {"version": row.version(era), "capabilities": row.capabilities(era), "answers": answers}
        return kind(url, era, **options).start()

    return open_connection
