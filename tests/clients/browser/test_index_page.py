"""The page that a server has at `/`, in a real browser."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from clients import catalogue
from clients.browser.chromium import Chromium
from clients.servers import Listening
from everything_server import Era

Report = dict[str, Any]


@pytest.fixture(scope="module")
def url(listening: Listening) -> str:
    """The endpoint of the server whose page is looked at."""
    return listening("streamable-http").url


@pytest.fixture(scope="module")
def report(chromium: Chromium, url: str, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """What there is to see, by the size of the screen; pictures of it are in the folder of this test."""
    folder: Path = tmp_path_factory.mktemp("index-page")
    return chromium.run("index-page.mjs", {"url": urljoin(url, "/"), "folder": str(folder)})


@pytest.mark.parametrize("screen", ["phone", "desk"])
def test_the_page_is_plain_and_fits_the_screen(report: Report, url: str, screen: str) -> None:
    seen = report[screen]
    assert seen["type"] == "text/html; charset=utf-8"
    assert (seen["scripts"], seen["errors"]) == (0, [])
    assert seen["asked"] == [urljoin(url, "/").rstrip("/")]  # it consists of one answer of this server
    assert seen["overflow"] <= 0
    assert seen["fontSize"] >= 16


def test_the_page_tells_what_is_served_in_each_era(report: Report) -> None:
    seen = report["phone"]
    assert seen["headings"][0].startswith("Everything Reference Server ")
    assert seen["headings"][1:] == ["Endpoints", "Connect a client", "Eras", "Features"]
    shown = {re.split("[✓–]", row)[0]: [mark == "✓" for mark in re.findall("[✓–]", row)] for row in seen["features"]}
    listed = {era: catalogue.listed(catalogue.plain_rows(era)) for era in Era}
    for kind in ("tools", "resourceTemplates", "prompts"):
        for name in listed[Era.LEGACY][kind] | listed[Era.MODERN][kind]:
            assert shown[name] == [name in listed[era][kind] for era in Era], name


def test_the_page_tells_how_to_connect_a_client(report: Report, url: str) -> None:
    servers, code, command = report["phone"]["connecting"]
    entry = {"everything": {"type": "http", "url": url}}
    assert (json.loads(servers), json.loads(code)) == ({"mcpServers": entry}, {"servers": entry})
    assert command == f"claude mcp add --transport http everything {url}"
