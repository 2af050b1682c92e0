"""An environment with nothing in it but what pip installs for the core and the example distribution.

So a dependency that one of them forgot to declare is missing there, whatever the environment of the tests holds.
"""

import fcntl
import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "dice"
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith(("EVERYTHING_SERVER_", "PYTHON", "COV_"))
}
LIMIT = 600
"""Seconds for a step that may have to fetch packages; only a guard."""


@dataclass(frozen=True)
class Installed:
    """A virtual environment with the core and the example, and nothing else of ours."""

    folder: Path

    @property
    def command(self) -> Path:
        return self.folder / "environment" / "bin" / "everything-server"

    @property
    def python(self) -> Path:
        return self.command.with_name("python")

    @property
    def wheel(self) -> Path:
        return next(self.folder.glob("*.whl"))

    @property
    def source(self) -> Path:
        return next(self.folder.glob("*.tar.gz"))

    @property
    def mark(self) -> Path:
        """Exists once everything is in place."""
        return self.folder / "ready"

    @property
    def core_alone(self) -> list[dict[str, Any]]:
        """What `plugins --json` printed before the example was installed."""
        return json.loads((self.folder / "core-alone.json").read_text())

    def install(self) -> None:
        run([sys.executable, "-m", "build", "--outdir", self.folder, EXAMPLE])
        venv.create(self.folder / "environment", with_pip=True, symlinks=True)
        pip = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*pip, "-c", ROOT / "constraints.txt", ROOT / "core"])
        (self.folder / "core-alone.json").write_text(run([self.command, "--strict", "plugins", "--json"]))
        run([*pip, "-c", ROOT / "constraints.txt", self.wheel])
        self.mark.touch()


def run(command: list[Any], environment: dict[str, str] = ENVIRONMENT, stdin: str = "", cwd: Path | None = None) -> str:
    """What a command prints on stdout; it must succeed."""
    done = subprocess.run(
        [str(part) for part in command],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        cwd=cwd,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
