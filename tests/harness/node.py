"""Programs from npm that the tests drive: pinned to the digit, installed once into the ignored `.cache/node`.

Where Node.js is missing a test that needs it is skipped, except in CI, where a skipped client would go unnoticed.
"""

import fcntl
import json
import os
import re
import shutil
import subprocess
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

import pytest

REPOSITORY: Final = Path(__file__).resolve().parents[2]
CACHE: Final = REPOSITORY / ".cache" / "node"

CI_VARIABLES: Final = ("CI", "EVERYTHING_SERVER_CI")

INSTALL_TIMEOUT: Final = 600
"""Seconds that npm may take, downloads included; only a guard."""

_EXACT_VERSION = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?")


@dataclass(frozen=True)
class NodeProject:
    """A folder with installed packages, and with the scripts that use them."""

    folder: Path
    node: str

    def script(self, name: str) -> list[str]:
        """The command that runs one of the project's own scripts, without warnings about its packages' code."""
        return [self.node, "--no-warnings", str(self.folder / name)]

    def binary(self, name: str) -> list[str]:
        """The command that runs a program which one of the packages brings along."""
        return [self.node, str((self.folder / "node_modules" / ".bin" / name).resolve(strict=True))]


def install_packages(name: str, packages: Mapping[str, str], *, minimum: tuple[int, ...] = (20,)) -> NodeProject:
    """Install packages, given with their exact versions, into a folder of the cache.

    Args:
        name: The folder's name.
        packages: Exact versions by package.
        minimum: The oldest Node.js they run on.
    """
    manifest = {"name": name, "private": True, "type": "module", "dependencies": dict(packages)}
    return _install(name, manifest, (), minimum)


def install_project(source: Path, *, minimum: tuple[int, ...] = (20,)) -> NodeProject:
    """Install what a folder's `package.json` pins into the cache, with a copy of the folder's scripts beside it.

    The scripts are copied because Node.js looks for packages beside the script that imports them, and the folder
    itself must stay as it is in the repository.

    Args:
        source: The folder; its name becomes that of the folder in the cache.
        minimum: The oldest Node.js they run on.
    """
    manifest = json.loads((source / "package.json").read_text(encoding="utf-8"))
    return _install(source.name, manifest, source.glob("*.mjs"), minimum)


def require_node(minimum: tuple[int, ...] = (20,)) -> str:
    """The path of Node.js; where there is none, or an older one, the test is skipped or, in CI, fails."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        _do_without("Node.js with npm is not installed")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    if tuple(map(int, re.findall(r"\d+", version)[:3])) < minimum:
        _do_without(f"Node.js {'.'.join(map(str, minimum))} or newer is needed, found {version}")
    return node


def in_ci(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the tests run where nothing may be skipped."""
    return any(environment.get(name, "").lower() not in ("", "0", "false") for name in CI_VARIABLES)


def _do_without(reason: str) -> NoReturn:
    if in_ci():
        pytest.fail(f"{reason}, and in CI nothing is skipped", pytrace=False)
    pytest.skip(reason)


def _install(
    name: str, manifest: Mapping[str, object], scripts: Iterable[Path], minimum: tuple[int, ...]
) -> NodeProject:
    dependencies = manifest["dependencies"]
    assert isinstance(dependencies, dict)
    if loose := [package for package, version in dependencies.items() if not _EXACT_VERSION.fullmatch(version)]:
        raise ValueError(f"{name} pins no exact version of {', '.join(loose)}")
    node = require_node(minimum)
    folder = CACHE / name
    folder.mkdir(parents=True, exist_ok=True)
    installed = folder / "installed.json"
    wanted = json.dumps(dependencies, sort_keys=True)
    with _lock(CACHE / f"{name}.lock"):
        for script in scripts:
            _write(folder / script.name, script.read_text(encoding="utf-8"))
        if not installed.exists() or installed.read_text(encoding="utf-8") != wanted:
            installed.unlink(missing_ok=True)
            _write(folder / "package.json", json.dumps(manifest, indent=2))
            _npm_install(folder)
            _write(installed, wanted)  # last, so that an interrupted installation is not taken for a complete one
    return NodeProject(folder, node)


def _npm_install(folder: Path) -> None:
    npm = shutil.which("npm")
    assert npm is not None
    command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_TIMEOUT, check=False)
    if result.returncode:
        pytest.fail(f"npm install in {folder} failed:\n{result.stdout}{result.stderr}", pytrace=False)


def _write(path: Path, text: str) -> None:
    """Replace a file in one step: another worker's Node.js may be reading it at this moment."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


@contextmanager
def _lock(path: Path) -> Generator[None]:
    """Held by one process at a time, and let go by the system if that dies."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
