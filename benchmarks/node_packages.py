"""Programs from npm to measure beside ours: pinned to the digit, installed once into the ignored `.cache/node`."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Final

CACHE: Final = Path(__file__).resolve().parents[1] / ".cache" / "node"

INSTALL_TIMEOUT: Final = 600
"""Seconds that npm may take, downloads included; only a guard."""


class Unavailable(Exception):
    """A program cannot be had on this machine; the message says why."""


def program_of(package: str, version: str, script: str) -> list[str]:
    """The command that runs a script of a package, which is installed first if it is not there.

    Args:
        package: Its name.
        version: Its exact version.
        script: The script's place in the package.

    Raises:
        Unavailable: Node.js or npm is missing, or npm cannot install the package.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Unavailable("Node.js with npm is not installed")
    folder = CACHE / f"benchmark-{package.rpartition('/')[2]}"
    installed = folder / "node_modules" / package
    if _version_at(installed) != version:
        _install(npm, folder, package, version)
    return [node, "--no-warnings", str(installed / script)]


def _version_at(folder: Path) -> str | None:
    manifest = folder / "package.json"
    return json.loads(manifest.read_text(encoding="utf-8"))["version"] if manifest.exists() else None


def _install(npm: str, folder: Path, package: str, version: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {"name": folder.name, "private": True, "dependencies": {package: version}}
    (folder / "package.json").write_text(json.dumps(manifest, indent=2), encoding="utf-8")
    # Nothing that comes with a package is run now.
    command = [npm, "install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"]
    try:
        subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_TIMEOUT, check=True)
    except subprocess.CalledProcessError:
        shutil.rmtree(folder, ignore_errors=True)
        raise Unavailable(f"npm cannot install {package} {version}") from None
