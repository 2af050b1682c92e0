"""Runs scripts that drive a headless Chromium."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from harness.node import NodeProject, do_without, install_project

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
"""What its program is called, by distribution."""

GUARD: Final = 240.0
"""Seconds after which a script is given up."""


@dataclass(frozen=True)
class Chromium:
    """A browser, and the scripts that drive it."""

    program: str
    scripts: NodeProject

    def run(self, script: str, task: dict[str, Any]) -> dict[str, Any]:
        """The report of a script on its task."""
        command = [*self.scripts.script(script), json.dumps({**task, "chromium": self.program})]
        result = subprocess.run(command, capture_output=True, text=True, timeout=GUARD, check=False, encoding="utf-8")
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)


def find_chromium() -> Chromium:
    """The browser of this machine; where it has none, the test is skipped or, in CI, fails."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        do_without(f"Chromium is not installed: none of {', '.join(NAMES)} is on the PATH")
    return Chromium(program, install_project(Path(__file__).parent))
