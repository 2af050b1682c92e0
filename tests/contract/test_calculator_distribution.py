"""The calculator: built, installed beside the core alone, and used; nothing of ours but these two is there."""

import json
import os
import sys
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest
from contract.installed import ENVIRONMENT, ROOT, Installed, locked, run
from packaging.requirements import Requirement

CALL = """
{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, \
"clientInfo": {"name": "test", "version": "1"}}}
{"jsonrpc": "2.0", "method": "notifications/initialized"}
{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "calculate", \
"arguments": {"op": "multiply", "a": 7, "b": 6}}}
""".strip()


@pytest.fixture(scope="session")
def calculator(installed: Installed) -> Path:
    """The folder that it is installed into, which the environment's Python has to be told of."""
    folder = installed.folder / "calculator"
    with locked(installed.folder / "calculator.lock"):
        if not (folder / "ready").exists():
            run([sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT / "plugins" / "calculator"])
            (wheel,) = folder.glob("*.whl")
            # Without dependencies: the only one is there, and a second copy of it would be found first.
            pip = [installed.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            run([*pip, "--target", folder / "installed", wheel])
            (folder / "ready").touch()
    return folder / "installed"


def typed(installed: Installed, calculator: Path, *words: str, stdin: str = "") -> str:
    """What a command prints in that environment."""
    path = os.pathsep.join([str(calculator / "bin"), str(installed.python.parent), ENVIRONMENT["PATH"]])
    return run(["env", *words], {**ENVIRONMENT, "PATH": path, "PYTHONPATH": str(calculator)}, stdin=stdin)


def test_it_depends_on_the_core_and_on_nothing_else(calculator: Path) -> None:
    (wheel,) = calculator.parent.glob("*.whl")
    archive = zipfile.ZipFile(wheel)
    (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    required = Parser().parsestr(archive.read(metadata).decode()).get_all("Requires-Dist")
    assert [Requirement(line).name for line in required or ()] == ["everything-server-core"]
    assert {name.partition("/")[0] for name in archive.namelist()} == {
        "everything_server_calculator",
        metadata.partition("/")[0],
    }


def test_it_is_found_and_off_until_it_is_asked_for(installed: Installed, calculator: Path) -> None:
    def statuses(*options: str) -> set[str]:
        rows: list[Any] = json.loads(typed(installed, calculator, "everything-server", *options, "plugins", "--json"))
        ours = [row for row in rows if row["distribution"] == "everything-server-calculator"]
        assert len(ours) == 15
        return {row["status"] for row in ours}

    assert statuses() == {"disabled"}
    assert statuses("--plugins", "calculator") == {"active"}


@pytest.mark.parametrize(
    "command",
    [["everything-server", "--plugins", "calculator", "stdio"], ["calculator-server", "stdio"]],
    ids=lambda command: command[0],
)
def test_its_tools_are_served(installed: Installed, calculator: Path, command: list[str]) -> None:
    lines = typed(installed, calculator, *command, stdin=f"{CALL}\n").splitlines()
    (answer,) = [message for message in map(json.loads, lines) if message.get("id") == 1]
    assert answer["result"]["content"][0]["text"] == "7 × 6 = 42"
