"""Runs the official suite against a server and reads what came of it."""

import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from harness.node import NodeProject, install_packages
from harness.serving import serving
from harness.wire import clean_environment

PACKAGE: Final = "@modelcontextprotocol/conformance"
VERSION: Final = "0.2.0-alpha.12"
MINIMUM_NODE: Final = (22,)

PLUGINS: Final = "conformance,tasks"
"""What the server is started with."""

LEGS: Final[Mapping[str, Sequence[str]]] = {
    "required by 2025-11-25": ("--requirements", "2025-11-25"),
    "required by 2026-07-28": ("--requirements", "2026-07-28"),
    "all scenarios": ("--suite", "all"),
}
"""What is run, and how the suite is told. The first two run at the revision's own wire version what it requires, and
what the suite has for it without scoring it; the last runs each scenario there is once."""

GUARD: Final = 300
"""Seconds after which a leg is given up; it takes a tenth of that."""

_SUMMARY = "=== SUMMARY ==="
_SCENARIO = re.compile(r"^[✓✗] (\S+): \d+ passed, (\d+) failed$", re.MULTILINE)
_RESULT = re.compile(r"^server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[-\d]+Z$")


@dataclass(frozen=True)
class Check:
    """One check of a scenario."""

    scenario: str
    id: str
    status: str
    """SUCCESS, FAILURE, WARNING (something that a server only should do), SKIPPED or INFO."""
    message: str = ""

    def __str__(self) -> str:
        return f"{self.status} {self.scenario} · {self.id}: {self.message}"


@dataclass(frozen=True)
class Outcome:
    """What came of one leg."""

    leg: str
    scenarios: int
    checks: Sequence[Check]

    @property
    def failures(self) -> list[Check]:
        """The checks that failed."""
        return self.of("FAILURE")

    def of(self, status: str) -> list[Check]:
        """The checks with one status."""
        return [check for check in self.checks if check.status == status]

    @property
    def totals(self) -> str:
        """How many there were, in one line."""
        counts = Counter(check.status for check in self.checks)
        return (
            f"{self.leg}: {self.scenarios} scenarios, {counts['SUCCESS']} checks passed, "
            f"{counts['FAILURE']} failed, {counts['WARNING']} warnings, {counts['SKIPPED']} skipped"
        )


class SuiteError(Exception):
    """The suite did not come to its end."""


def install() -> NodeProject:
    """The suite, installed with a Node.js that is new enough for it."""
    return install_packages("conformance", {PACKAGE: VERSION}, minimum=MINIMUM_NODE)


def run_all(project: NodeProject) -> list[Outcome]:
    """Run every leg against one server, all at once: most of their time they wait.

    Raises:
        SuiteError: A leg was cut short.
    """
    with fixture() as url, ThreadPoolExecutor(len(LEGS)) as threads:
        return list(threads.map(lambda leg: run(project, url, leg), LEGS))


@contextmanager
def fixture() -> Generator[str]:
    """The server that the suite tests; gives its URL."""
    with serving("streamable-http", before=("--plugins", PLUGINS, "--strict")) as server:
        yield server.url


def run(project: NodeProject, url: str, leg: str) -> Outcome:
    """Run one leg against a server that listens."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*project.binary("conformance"), "server", "--url", url, *LEGS[leg], "--output-dir", folder]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=GUARD, env=clean_environment(), check=False
        )
        return read(leg, done.stdout, Path(folder), done.stderr)


def read(leg: str, output: str, folder: Path, problems: str = "") -> Outcome:
    """What came of a leg.

    Args:
        leg: Its name.
        output: What the suite has printed.
        folder: Where it has written the checks, a folder for each scenario.
        problems: What it has complained of.

    Raises:
        SuiteError: It has not printed its summary, or there is nothing in that.
    """
    _, complete, summary = output.partition(_SUMMARY)
    failed = {scenario: int(failures) for scenario, failures in _SCENARIO.findall(summary)}
    if not complete or not failed:
        raise SuiteError(f"{leg}: the suite was cut short:\n{output[-2000:]}\n{problems[-2000:]}")
    checks = [check for result in sorted(folder.iterdir()) for check in _checks_in(result)]
    counted = Counter(check.scenario for check in checks if check.status == "FAILURE")
    broken = [scenario for scenario in failed if failed[scenario] != counted[scenario]]  # it has written nothing
    checks += [Check(name, "scenario", "FAILURE", f"could not be run: {problems[-2000:]}") for name in broken]
    return Outcome(leg, len(failed), checks)


def _checks_in(result: Path) -> list[Check]:
    name, file = _RESULT.match(result.name), result / "checks.json"
    if name is None or not file.exists():
        return []
    found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return [Check(name["scenario"], item["id"], item["status"], item.get("errorMessage", "")) for item in found]
