"""MCP Inspector's page of the first generation, whose browser connects by itself, with no other program in between."""

from typing import Any

import pytest
from clients import catalogue
from clients.browser.chromium import Chromium
from clients.browser.pages import pages
from clients.servers import Listening
from everything_server import Era

TRANSPORTS = ("streamable-http", "sse")


@pytest.fixture(scope="module")
def report(chromium: Chromium, listening: Listening) -> dict[str, Any]:
    """What the page has shown, by transport, and which origins it has asked for anything."""
    servers = [{"transport": transport, "url": listening(transport).url} for transport in TRANSPORTS]
    with pages(chromium.scripts.package("@modelcontextprotocol/inspector-client") / "dist") as port:
        page = f"http://localhost:{port}"
        shown = chromium.run("inspector-1.mjs", {"page": page, "servers": servers, "message": "from a page"})
    return {"page": page, **shown}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_page_asks_the_server_and_nobody_else(transport: str, report: dict[str, Any], listening: Listening) -> None:
    server = listening(transport).url.rpartition("/")[0]
    assert set(report[transport]["asked"]) == {report["page"], server}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_page_lists_the_tools(transport: str, report: dict[str, Any]) -> None:
    assert report[transport]["listed"] == len(catalogue.listed(catalogue.plain_rows(Era.LEGACY))["tools"])


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_page_shows_the_answer_of_a_tool(transport: str, report: dict[str, Any]) -> None:
    assert "Echo: from a page" in report[transport]["text"]
