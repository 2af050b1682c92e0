"""Official clients in TypeScript, of both generations: each lists and calls everything, as a process of its own."""

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from clients import catalogue
from clients.servers import VERSIONS, Kind, Walk, walks
from everything_server import Era
from harness.node import NodeProject

GUARD = 120.0
"""Seconds after which a client is given up."""


KINDS = {
    "2.x-automatic": Kind("auto", Era.MODERN, adapts=True, script="client-2.mjs"),
    "2.x-modern": Kind({"pin": "2026-07-28"}, Era.MODERN, script="client-2.mjs"),
    "2.x-legacy": Kind("legacy", Era.LEGACY, script="client-2.mjs"),
    "1.x": Kind(None, Era.LEGACY, script="client-1.mjs"),
}


@pytest.fixture(scope="module", params=walks(KINDS))
def walk(request: pytest.FixtureRequest) -> Walk:
    return request.param


@pytest.fixture(scope="module")
def report(walk: Walk, server_over: Callable[[str], dict[str, Any]], typescript: NodeProject) -> dict[str, Any]:
    """What the client has to say once it has walked the catalogue."""
    return run(typescript, walk, server_over(walk.transport))


def run(typescript: NodeProject, walk: Walk, server: dict[str, Any]) -> dict[str, Any]:
    task = {"server": server, "mode": walk.kind.mode, **catalogue.export(walk.era)}
    command = [*typescript.script(walk.kind.script), json.dumps(task)]
    client = subprocess.run(command, capture_output=True, text=True, timeout=GUARD, check=False)
    # A server that has nothing to complain of is quiet, and so is a client that understands it.
    assert (client.returncode, client.stderr) == (0, "")
    report: dict[str, Any] = json.loads(client.stdout)
    for answer in report["answers"].values():
        if "result" in answer:
            answer["result"] = catalogue.plain(answer["result"])
    return report


def test_the_client_gets_the_era_that_it_asks_for(report: dict[str, Any], walk: Walk) -> None:
    assert (report["era"], report["protocolVersion"]) == (walk.era, VERSIONS[walk.era])
    assert report["serverInfo"]["name"] == "mcp-servers/everything"
    assert report["serverInfo"]["title"] == "Everything Reference Server"
    assert report["instructions"]
    assert report["capabilities"] == catalogue.PLAIN_CAPABILITIES


def test_the_client_lists_everything(report: dict[str, Any], walk: Walk) -> None:
    assert catalogue.names(report) == catalogue.listed(catalogue.plain_rows(walk.era))


def test_the_client_calls_everything(report: dict[str, Any], walk: Walk) -> None:
    expected = catalogue.answers(catalogue.plain_rows(walk.era), walk.era)
    if walk.kind.script == "client-2.mjs":
        # Its class for this error has the one code of the modern era, whatever came over the wire.
        error = {**expected[catalogue.UNKNOWN_RESOURCE]["error"], "code": catalogue.INVALID_PARAMS}
        expected[catalogue.UNKNOWN_RESOURCE] = {"error": error}
    assert report["answers"] == expected


def test_the_client_cancels_a_call_and_goes_on(report: dict[str, Any]) -> None:
    assert report["cancelled"]


def test_the_client_subscribes(report: dict[str, Any]) -> None:
    assert report["subscribed"]
