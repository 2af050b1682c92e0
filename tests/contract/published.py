"""An environment with our distributions installed from their wheels, as somebody else has them.

What they depend on is linked from the environment of the tests, so that nothing has to be downloaded; of our own code
nothing is in it but what the wheels contain.
"""

import os
import site
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MEMBERS = ("core", "plugins/tools", "plugins/resources", "plugins/prompts", "plugins/tasks")
LIMIT = 300
"""Seconds for a step; only a guard."""


@dataclass(frozen=True)
class Published:
    """A virtual environment with some of our distributions."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "environment" / "bin" / "python"

    @property
    def mark(self) -> Path:
        """Exists once everything is in place."""
        return self.folder / "ready"

    def make(self) -> None:
        venv.create(self.folder / "environment", symlinks=True)
        self._link_dependencies()
        self.install(*(ROOT / member for member in MEMBERS))
        self.mark.touch()

    def install(self, *projects: Path) -> None:
        """Build and install projects, and nothing else."""
        wheels = self.folder / "wheels"
        for project in projects:
            self._build(project, wheels / project.name)
        found = [next((wheels / project.name).glob("*.whl")) for project in projects]
        pip = [sys.executable, "-m", "pip", "--python", self.python, "install", "--quiet"]
        self.run(*pip, "--disable-pip-version-check", "--no-deps", "--no-index", *found, cwd=self.folder)

    def _build(self, project: Path, wheels: Path) -> None:
        wheels.mkdir(parents=True, exist_ok=True)
        self.run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", wheels, cwd=project)

    def run(self, *command: Any, cwd: Path) -> str:
        """What a command prints; it must succeed. Programs of the environment are found by their names."""
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            cwd=cwd,
            env=self.environment,
            timeout=LIMIT,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    @property
    def environment(self) -> dict[str, str]:
        """The variables that a user of the environment has."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("EVERYTHING_SERVER_", "PYTHON", "PYTEST_", "COV_"))
        }
        return {**kept, "PATH": f"{self.python.parent}{os.pathsep}{os.environ.get('PATH', '')}"}

    def _link_dependencies(self) -> None:
        there = Path(next(path for path in site.getsitepackages() if path.endswith("site-packages")))
        (here,) = (self.folder / "environment").glob("lib/python*/site-packages")
        for entry in there.iterdir():
            ours = entry.name.startswith(("everything_server", "__editable__", "_everything_server"))
            if not ours and entry.suffix != ".pth" and not (here / entry.name).exists():
                (here / entry.name).symlink_to(entry)
