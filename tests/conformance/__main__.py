"""`make conformance`: installs the suite, runs it, prints what came of it; the status says whether nothing failed."""

import sys

import pytest

from conformance.suite import SuiteError, install, run_all


def main() -> None:
    """Run all legs."""
    try:
        outcomes = run_all(install())
    except (SuiteError, pytest.skip.Exception, pytest.fail.Exception) as problem:
        sys.exit(f"conformance: {problem}")
    for outcome in outcomes:
        for check in [*outcome.failures, *outcome.of("WARNING")]:
            print(f"{outcome.leg}: {check}")
    print(*(outcome.totals for outcome in outcomes), sep="\n")
    sys.exit(any(outcome.failures for outcome in outcomes))


main()
