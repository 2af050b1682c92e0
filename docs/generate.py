"""Writes those parts of the documents that are output: the command line's help, the tables of features, the example.

    python docs/generate.py          writes them anew
    python docs/generate.py --check  only says which are out of date, as the tests do

Such a part stands between `<!-- begin NAME -->` and `<!-- end NAME -->`.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from everything_server.cli import cli
from feature_table import feature_tables

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "dice"


def output(*arguments: str) -> str:
    """What the command line prints, on a terminal of 80 columns."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EVERYTHING_SERVER_")}
    command = [sys.executable, "-m", "everything_server", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env={**environment, "COLUMNS": "80"}
    ).stdout


def fenced(text: str, language: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.strip()}\n```"


def help_text() -> str:
    """The help of the command line."""
    return fenced(output("--help"), "text")


def command_help() -> str:
    """A heading for each command, with its help."""
    return "\n\n".join(f"### `{name}`\n\n{fenced(output(name, '--help'), 'text')}" for name in sorted(cli.commands))


def example(name: str, language: str) -> str:
    """A file of the example distribution."""
    return fenced((EXAMPLE / name).read_text(encoding="utf-8"), language)


PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "README.md": {"features": partial(feature_tables, ROOT)},
    "docs/command-line.md": {"help": help_text, "commands": command_help},
    "docs/writing-plugins.md": {
        "example metadata": partial(example, "pyproject.toml", "toml"),
        "example module": partial(example, "everything_server_dice.py", "python"),
    },
}


def renewed(text: str, name: str, content: str) -> str:
    """The text with one of its parts written anew."""
    pattern = re.compile(rf"(<!-- begin {re.escape(name)} -->\n).*?(<!-- end {re.escape(name)} -->)", re.DOTALL)
    text, count = pattern.subn(lambda match: f"{match[1]}{content}\n{match[2]}", text)
    if count != 1:
        raise SystemExit(f"expected one part called {name!r}, found {count}")
    return text


def main() -> None:
    """Write or check every part."""
    check = sys.argv[1:] == ["--check"]
    stale: list[str] = []
    for file, parts in PARTS.items():
        path = ROOT / file
        old = new = path.read_text(encoding="utf-8")
        for name, make in parts.items():
            new = renewed(new, name, make())
        if new != old:
            stale.append(file)
            if not check:
                path.write_text(new, encoding="utf-8")
    if check and stale:
        raise SystemExit(f"out of date: {', '.join(stale)}; run: python docs/generate.py")


if __name__ == "__main__":
    main()
