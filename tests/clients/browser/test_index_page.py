"""The page that a server has at `/`, in a real browser."""

import json
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


def test_the_page_tells_what_is_served_in_each_era(report: Report, url: str) -> None:
    seen = report["phone"]
    assert seen["headings"][0].startswith("Everything Reference Server ")
    assert seen["headings"][-2:] == ["Features in the legacy era", "Features in the modern era"]
    for kind in ("tools", "prompts"):
        names = catalogue.listed(Era.LEGACY)[kind] | catalogue.listed(Era.MODERN)[kind]
        assert names <= set(seen["features"])
    assert json.loads(seen["configuration"]) == {"mcpServers": {"everything": {"type": "http", "url": url}}}
