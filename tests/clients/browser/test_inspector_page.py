"""MCP Inspector's page of the second generation, which has the Inspector's own server connect, in both eras."""

from pathlib import Path
from typing import Any

import pytest
from clients import catalogue
from clients.browser.chromium import Chromium
from clients.inspector import Inspector
from clients.servers import Listening
from everything_server import Era
from harness.wire import LEGACY_VERSION, MODERN_VERSION

KINDS = {
    "modern": ("streamable-http", "auto", MODERN_VERSION),
    "legacy": ("streamable-http", "legacy", LEGACY_VERSION),
    "deprecated": ("sse", "legacy", LEGACY_VERSION),
}
"""The servers on its list: the transport, the era that it is told to speak, what it must agree on."""


@pytest.fixture(scope="module")
def report(
    chromium: Chromium,
    inspector: Inspector,
    listening: Listening,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """What the page has shown, by server."""
    home: Path = tmp_path_factory.mktemp("inspector")
    servers = {
        name: {"type": transport, "url": listening(transport).url, "protocolEra": era}
        for name, (transport, era, _) in KINDS.items()
    }
    with inspector.page(home, servers) as page:
        return chromium.run("inspector-2.mjs", {"page": page, "servers": list(servers), "message": "from a page"})


@pytest.mark.parametrize("name", KINDS)
def test_the_page_shows_the_revision_that_was_agreed_on(name: str, report: dict[str, Any]) -> None:
    *_, version = KINDS[name]
    assert report[name]["version"] == f"MCP {version}"


@pytest.mark.parametrize("name", KINDS)
def test_the_page_lists_the_tools(name: str, report: dict[str, Any]) -> None:
    assert report[name]["heading"] == f"Tools ({len(catalogue.listed(catalogue.plain_rows(Era.LEGACY))['tools'])})"


@pytest.mark.parametrize("name", KINDS)
def test_the_page_shows_the_answer_of_a_tool(name: str, report: dict[str, Any]) -> None:
    assert report[name]["answer"] == "Echo: from a page"
