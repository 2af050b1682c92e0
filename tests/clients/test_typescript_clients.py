"""Official clients in TypeScript, of both generations: each lists and calls everything, as a process of its own."""

import json
import subprocess
from dataclasses import dataclass
from typing import Any

import pytest
from clients import catalogue
from everything_server import Era
from harness.node import NodeProject

GUARD = 120.0
"""Seconds after which a client is given up."""


@dataclass(frozen=True)
class Kind:
    """A client, and how it is told to choose the era."""

    script: str
    mode: Any
    era: Era
    version: str


KINDS = {
    "2.x-automatic": Kind("client-2.mjs", "auto", Era.MODERN, "2026-07-28"),
    "2.x-modern": Kind("client-2.mjs", {"pin": "2026-07-28"}, Era.MODERN, "2026-07-28"),
    "2.x-legacy": Kind("client-2.mjs", "legacy", Era.LEGACY, "2025-11-25"),
    "1.x": Kind("client-1.mjs", None, Era.LEGACY, "2025-11-25"),
}


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture(scope="module")
def report(kind: Kind, server: dict[str, Any], typescript: NodeProject) -> dict[str, Any]:
    """What the client has to say once it has walked the catalogue."""
    return run(typescript, kind, server)


def run(typescript: NodeProject, kind: Kind, server: dict[str, Any]) -> dict[str, Any]:
    task = {"server": server, "mode": kind.mode, **catalogue.export(kind.era)}
    command = [*typescript.script(kind.script), json.dumps(task)]
    client = subprocess.run(command, capture_output=True, text=True, timeout=GUARD, check=False)
    # A server that has nothing to complain of is quiet, and so is a client that understands it.
    assert (client.returncode, client.stderr) == (0, "")
    report: dict[str, Any] = json.loads(client.stdout)
    for answer in report["answers"].values():
        if "result" in answer:
            answer["result"] = catalogue.plain(answer["result"])
    return report


def test_the_client_gets_the_era_that_it_asks_for(report: dict[str, Any], kind: Kind) -> None:
    assert (report["era"], report["protocolVersion"]) == (kind.era, kind.version)
    assert report["serverInfo"]["name"] == "mcp-servers/everything"
    assert report["serverInfo"]["title"] == "Everything Reference Server"
    assert report["instructions"]
    assert report["capabilities"] == catalogue.CAPABILITIES


def test_the_client_lists_everything(report: dict[str, Any], kind: Kind) -> None:
    assert catalogue.names(report) == catalogue.listed(kind.era)


def test_the_client_calls_everything(report: dict[str, Any], kind: Kind) -> None:
    expected = catalogue.answers(kind.era)
    if kind.script == "client-2.mjs":
        # Its class for this error has the one code of the modern era, whatever came over the wire.
        error = {**expected[catalogue.UNKNOWN_RESOURCE]["error"], "code": catalogue.INVALID_PARAMS}
        expected[catalogue.UNKNOWN_RESOURCE] = {"error": error}
    assert report["answers"] == expected


def test_the_client_cancels_a_call_and_goes_on(report: dict[str, Any]) -> None:
    assert report["cancelled"]


def test_the_client_subscribes(report: dict[str, Any]) -> None:
    assert report["subscribed"]
