"""How the tests come by a browser."""

from pathlib import Path

import pytest
from clients.browser.chromium import NAMES, find_chromium
from harness.node import CI_VARIABLES


@pytest.fixture
def without_chromium(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in CI_VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("without_chromium")
def test_without_chromium_a_test_is_skipped_and_says_why() -> None:
    with pytest.raises(pytest.skip.Exception, match=f"Chromium is not installed: none of {', '.join(NAMES)}"):
        find_chromium()


@pytest.mark.usefixtures("without_chromium")
@pytest.mark.parametrize("variable", CI_VARIABLES)
def test_without_chromium_a_test_fails_in_ci(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "1")
    with pytest.raises(pytest.fail.Exception, match="in CI nothing is skipped"):
        find_chromium()
