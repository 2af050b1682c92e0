"""The browser."""

import pytest
from clients.browser.chromium import Chromium, find_chromium


@pytest.fixture(scope="session")
def chromium() -> Chromium:
    """A headless Chromium, which reaches nothing but this machine."""
    return find_chromium()
