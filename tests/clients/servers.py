"""Which clients meet which servers: every kind of client, over every transport that its era has."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pytest
from clients import catalogue
from everything_server import Era
from harness.serving import ServerProcess
from harness.wire import LEGACY_VERSION, MODERN_VERSION

VERSIONS: Final = {Era.LEGACY: LEGACY_VERSION, Era.MODERN: MODERN_VERSION}
"""The revision that a client and the server agree on, by era."""

TRANSPORTS: Final = {"stdio": frozenset(Era), "streamable-http": frozenset(Era), "sse": frozenset({Era.LEGACY})}
"""The eras that each transport has."""

PLAIN = ("--plugins", ",".join(catalogue.PLAIN_GROUPS), "--disable", ",".join(catalogue.LEFT_OUT), "--strict")
"""What goes before the transport on the command line of a server with what the plain rows are about."""

EVERYTHING = ("--plugins", ",".join(catalogue.groups()), "--strict")
"""The same for one with everything."""

Listening = Callable[[Any], ServerProcess]
"""Gives the server of a transport that listens."""


@dataclass(frozen=True)
class Kind:
    """A client, and how it is told to choose the era."""

    mode: Any
    """What the client takes for that."""
    era: Era
    """The era that it chooses where it has the choice."""
    adapts: bool = False
    """Whether it takes the other era where there is no choice."""
    script: str = ""
    """The script that has the client, if it is a program of its own."""


@dataclass(frozen=True)
class Walk:
    """A client on its way through the catalogue."""

    kind: Kind
    transport: str
    era: Era
    """The era that it must end up in."""


def walks(kinds: Mapping[str, Kind]) -> list[Any]:
    """Parameters for every walk that there is."""
    return [pytest.param(walk, id=f"{name}-{walk.transport}") for name, walk in _walks(kinds)]


def _walks(kinds: Mapping[str, Kind]) -> Iterator[tuple[str, Walk]]:
    for transport, eras in TRANSPORTS.items():
        for name, kind in kinds.items():
            if kind.era in eras:
                yield name, Walk(kind, transport, kind.era)
            elif kind.adapts:
                (era,) = eras
                yield name, Walk(kind, transport, era)
