"""A web page of another origin talks to the server, as far as its origin may: CORS, in a real browser."""

from pathlib import Path
from typing import Any

import pytest
from clients import catalogue
from clients.browser.chromium import Chromium
from clients.browser.pages import pages
from clients.servers import Listening
from harness.serving import serving

Report = dict[str, Any]

ECHO = {"content": [{"type": "text", "text": "Echo: from a page"}]}
REFUSED = {"asked": "TypeError", "sent": "TypeError", "deleted": "TypeError", "read": "TypeError", "stream": "error"}
"""A page is not even told why."""


@pytest.fixture(scope="module")
def report(chromium: Chromium, listening: Listening) -> Report:
    """What pages of several origins have found, by visit."""
    http, sse = listening("streamable-http").url, listening("sse").url
    with pages(Path(__file__).with_name("page")) as port:
        neighbour, foreign = f"http://localhost:{port}/index.html", f"http://pages.test:{port}/index.html"
        opaque = f"http://localhost:{port}/framed.html"
        with serving("streamable-http", "--allowed-origin", f"http://pages.test:{port}") as generous:
            visits = [
                ("session", neighbour, "session", http),
                ("requests", neighbour, "requests", http),
                ("events", neighbour, "events", sse),
                ("foreign", foreign, "attempts", http),
                ("foreign to sse", foreign, "attempts", sse),
                ("opaque", opaque, "attempts", http),
                ("foreign but allowed", foreign, "session", generous.url),
            ]
            task = {
                "visits": [dict(zip(("name", "page", "probe", "server"), visit, strict=True)) for visit in visits],
                "rebound": http.replace("127.0.0.1", "server.test"),
            }
            return chromium.run("fetch.mjs", task)


def only_result(found: dict[str, Any]) -> dict[str, Any]:
    """The result that an answer consists of."""
    (answer,) = found["messages"]
    return catalogue.plain(answer["result"])


def test_a_page_of_another_loopback_origin_opens_a_session(report: Report) -> None:
    found = report["session"]
    assert found["hasSessionId"]
    (answer,) = found["opened"]["messages"]
    assert answer["result"]["protocolVersion"] == "2025-11-25"
    assert answer["result"]["capabilities"] == catalogue.PLAIN_CAPABILITIES
    assert found["initialized"] == {"status": 202, "type": None, "messages": []}


def test_a_page_calls_a_tool_in_its_session(report: Report) -> None:
    assert only_result(report["session"]["echo"]) == ECHO


def test_a_page_opens_the_stream_of_its_session(report: Report) -> None:
    assert report["session"]["stream"] == 200


def test_a_page_ends_its_session(report: Report) -> None:
    assert report["session"]["ended"] == 200
    assert report["session"]["afterwards"]["status"] == 404


@pytest.mark.parametrize(
    ("mistake", "status"), [("withoutSession", 400), ("unknownSession", 404), ("plainText", 415), ("afterwards", 404)]
)
def test_a_page_can_read_why_it_was_refused(report: Report, mistake: str, status: int) -> None:
    refusal = report["session"][mistake]
    assert (refusal["status"], refusal["type"]) == (status, "application/json")
    (answer,) = refusal["messages"]
    assert answer["error"]["code"] == -32600
    assert answer["error"]["message"]


def test_a_page_makes_modern_requests(report: Report) -> None:
    found = report["requests"]["echo"]
    assert (found["status"], found["type"]) == (200, "application/json")
    assert only_result(found) == ECHO


def test_a_page_gets_progress_before_the_result_of_a_modern_request(report: Report) -> None:
    found = report["requests"]["progress"]
    assert (found["status"], found["type"]) == (200, "text/event-stream")
    *steps, answer = found["messages"]
    assert [step["params"]["progress"] for step in steps] == [1, 2]
    assert "result" in answer


def test_a_page_listens_to_changes(report: Report) -> None:
    found = report["requests"]["listening"]
    assert found["status"] == 200
    (acknowledgement,) = found["messages"]
    assert acknowledgement["method"] == "notifications/subscriptions/acknowledged"
    assert acknowledgement["params"]["notifications"] == {"toolsListChanged": True}


@pytest.mark.parametrize(
    ("mistake", "status", "code"),
    [("unknownMethod", 404, -32601), ("wrongName", 400, -32020), ("oldVersion", 400, -32022)],
)
def test_a_page_can_read_why_its_modern_request_was_refused(
    report: Report, mistake: str, status: int, code: int
) -> None:
    refusal = report["requests"][mistake]
    assert (refusal["status"], refusal["type"]) == (status, "application/json")
    (answer,) = refusal["messages"]
    assert answer["error"]["code"] == code


def test_a_page_uses_the_deprecated_transport_too(report: Report) -> None:
    found = report["events"]
    assert found["opened"]["status"] == 202
    assert found["opened"]["message"]["result"]["protocolVersion"] == "2025-11-25"
    assert found["called"]["status"] == 202
    assert catalogue.plain(found["called"]["message"]["result"]) == ECHO
    assert found["unknown"]["status"] == 404
    assert found["unknown"]["messages"][0]["error"]["message"]


@pytest.mark.parametrize("visit", ["foreign", "foreign to sse", "opaque"])
def test_a_page_whose_origin_is_not_allowed_gets_nothing(report: Report, visit: str) -> None:
    assert report[visit] == REFUSED


def test_a_page_whose_origin_was_allowed_on_the_command_line_is_served(report: Report) -> None:
    found = report["foreign but allowed"]
    assert found["hasSessionId"]
    assert only_result(found["echo"]) == ECHO
    assert found["unknownSession"]["status"] == 404


def test_a_name_that_was_made_to_point_to_this_machine_is_not_the_server(report: Report) -> None:
    assert report["rebound"] == {"visited": 421, "posted": 421}
