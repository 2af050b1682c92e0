"""The official Python client: it walks the whole table, with a server in a process of its own over each transport."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from clients import catalogue
from clients.python_client import walk
from clients.recording import Recording, over_sse, over_stdio, over_streamable_http, read_copies
from clients.row import Row
from clients.servers import EVERYTHING, VERSIONS, Kind, Walk, walks
from clients.table.tools import OPENING
from everything_server import Era
from harness.serving import ServerProcess
from harness.wire import COMMAND, clean_environment

GUARD = 120.0
"""Seconds after which the client is given up."""

KINDS = {
    "auto": Kind("auto", Era.MODERN, adapts=True),
    "legacy": Kind("legacy", Era.LEGACY),
}


@dataclass(frozen=True)
class Walked:
    """A walk that is over."""

    era: Era
    rows: list[Row]
    report: dict[str, Any]
    recording: Recording


@pytest.fixture(scope="module", params=walks(KINDS))
def walked(
    request: pytest.FixtureRequest,
    listening_with_everything: Callable[[Any], ServerProcess],
    tmp_path_factory: pytest.TempPathFactory,
) -> Walked:
    """What the client has to say once it has walked the table, and what was said meanwhile."""
    walk: Walk = request.param
    rows, recording = catalogue.rows(walk.era, walk.transport), Recording()
    if walk.transport == "stdio":
        folder = tmp_path_factory.mktemp("recording")
        environment = clean_environment(**catalogue.ENVIRONMENT)
        with (folder / "stderr").open("w") as complaints:
            transport = over_stdio([COMMAND, *EVERYTHING, "stdio"], environment, folder, complaints)
            report = anyio.run(_walk, transport, walk.kind.mode, rows)
        assert (folder / "stderr").read_text() == ""  # a server that has nothing to complain of is quiet
        recording = read_copies(folder)
    else:
        server = listening_with_everything(walk.transport)
        connect = over_sse if walk.transport == "sse" else over_streamable_http
        report = anyio.run(_walk, connect(server.url, recording), walk.kind.mode, rows)
    return Walked(walk.era, rows, report, recording)


async def _walk(transport: Any, mode: Any, rows: list[Row]) -> dict[str, Any]:
    with anyio.fail_after(GUARD):
        return await walk(transport, mode, rows, OPENING)


def test_the_client_gets_the_era_that_it_asks_for(walked: Walked) -> None:
    report = walked.report
    assert report["protocolVersion"] == VERSIONS[walked.era]
    assert report["serverInfo"]["name"] == "mcp-servers/everything"
    assert report["serverInfo"]["title"] == "Everything Reference Server"
    assert report["instructions"]
    assert report["capabilities"] == catalogue.CAPABILITIES[walked.era]


def test_the_client_is_asked_and_told_on_connecting_what_its_era_has(walked: Walked) -> None:
    assert walked.report["opening"] == OPENING[walked.era]


def test_the_client_lists_everything(walked: Walked) -> None:
    assert catalogue.names(walked.report) == catalogue.listed(walked.rows)


def test_the_client_calls_everything(walked: Walked) -> None:
    answers = walked.report["answers"]
    expected = catalogue.answers(walked.rows, walked.era)
    assert list(answers) == list(expected)
    assert {row: answer for row, answer in answers.items() if answer != expected[row]} == {}


def test_the_client_is_told_of_every_step(walked: Walked) -> None:
    steps = walked.report["answers"]["call trigger-long-running-operation"]["progress"]
    assert [step["progress"] for step in steps] == [1, 2, 3]


def test_the_client_cancels_a_call_and_goes_on(walked: Walked) -> None:
    assert walked.report["cancelled"]


def test_the_client_is_granted_every_subscription(walked: Walked) -> None:
    everything = {f"{kind}ListChanged": True for kind in ("tools", "prompts", "resources")}
    granted = {**everything, "resourceSubscriptions": [catalogue.WATCHED]} if walked.era is Era.MODERN else None
    assert walked.report.get("honored") == granted


def test_every_message_on_the_wire_is_valid_in_its_revision(walked: Walked) -> None:
    assert len(walked.recording.by("server")) > len(walked.rows)
    walked.recording.check(VERSIONS[walked.era], given_up=[catalogue.ENDLESS["name"]])
