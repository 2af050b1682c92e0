"""The official conformance suite finds nothing wrong; and if it did, we would know."""

import json
from pathlib import Path

import pytest

from conformance.suite import Check, SuiteError, install, read, run_all

SUMMARY = """
=== SUMMARY ===
✓ tools-list: 2 passed, 0 failed
✗ tools-call-error: 0 passed, 1 failed
✗ ping: 0 passed, 1 failed

Total: 2 passed, 2 failed
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """What the suite has written of two scenarios; the third one broke."""
    checks = {
        "tools-list": [{"id": "tools-list", "status": "SUCCESS"}, {"id": "tools-name-format", "status": "WARNING"}],
        "tools-call-error": [{"id": "tools-call-error", "status": "FAILURE", "errorMessage": "no isError"}],
        "ping": [],
    }
    for scenario, found in checks.items():
        folder = tmp_path / f"server-{scenario}-2026-07-28T12-00-00-000Z"
        folder.mkdir()
        if found:
            (folder / "checks.json").write_text(json.dumps(found), encoding="utf-8")
    return tmp_path


def test_every_check_of_every_scenario_is_passed() -> None:
    outcomes = run_all(install())
    print(*(outcome.totals for outcome in outcomes), sep="\n")
    failures = [f"{outcome.leg}: {failure}" for outcome in outcomes for failure in outcome.failures]
    assert not failures, "\n".join(failures)
    assert all(outcome.of("SUCCESS") for outcome in outcomes)


def test_a_check_that_fails_is_named_with_its_scenario_and_what_was_wrong(results: Path) -> None:
    failure, _ = read("leg", SUMMARY, results).failures
    assert str(failure) == "FAILURE tools-call-error · tools-call-error: no isError"


def test_a_scenario_that_broke_is_a_failure(results: Path) -> None:
    _, broken = read("leg", SUMMARY, results, "TypeError: fetch failed").failures
    assert broken == Check("ping", "scenario", "FAILURE", "could not be run: TypeError: fetch failed")


def test_everything_is_counted(results: Path) -> None:
    assert read("leg", SUMMARY, results).totals == (
        "leg: 3 scenarios, 1 checks passed, 2 failed, 1 warnings, 0 skipped"
    )


@pytest.mark.parametrize("output", ["", "Running all suite", "\n=== SUMMARY ===\n\nTotal: 0 passed, 0 failed\n"])
def test_a_run_that_was_cut_short_is_no_success(results: Path, output: str) -> None:
    with pytest.raises(SuiteError, match="cut short"):
        read("leg", output, results)
