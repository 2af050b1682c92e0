"""Writes the beginning of a distribution with a plugin: what its author would otherwise copy from an example."""

import re
from importlib import metadata, resources
from pathlib import Path
from string import Template
from typing import Final

from everything_server.version import __version__

MOST_CHARACTERS: Final = 40
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class NewPluginError(Exception):
    """The distribution cannot be written; the message is for the person who wants it."""


def write_plugin(name: str, parent: Path) -> list[Path]:
    """Write a distribution `everything-server-NAME` with one tool and its test into a folder of that name.

    Args:
        name: What it is called: lower-case words with hyphens between them. It becomes the group of the plugin.
        parent: Where the folder is made.

    Returns:
        The files that were written.

    Raises:
        NewPluginError: The name is none, is taken by an installed distribution, or something is there already.
    """
    distribution = f"everything-server-{name}"
    _check(name, distribution)
    module = distribution.replace("-", "_")
    values = {
        "distribution": distribution,
        "module": module,
        "plugin": f"{name}.greet",
        "tool": f"{name}-greet",
        "range": _range(),
    }
    folder = parent / distribution
    files = {
        folder / "pyproject.toml": "pyproject.toml.txt",
        folder / f"{module}.py": "module.txt",
        folder / f"test_{name.replace('-', '_')}.py": "test.txt",
    }
    templates = resources.files("everything_server") / "templates" / "plugin"
    contents = {
        path: Template((templates / template).read_text(encoding="utf-8")).substitute(values)
        for path, template in files.items()
    }
    if there := [path for path in files if path.exists() or path.is_symlink()]:
        raise NewPluginError(f"{there[0]} is there already; nothing was written")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in contents.items():
            with path.open("x", encoding="utf-8") as file:  # never what somebody else has written meanwhile
                file.write(content)
    except OSError as error:
        raise NewPluginError(f"cannot write {error.filename}: {error.strerror}") from None
    return list(contents)


def _check(name: str, distribution: str) -> None:
    if not _NAME.fullmatch(name) or len(name) > MOST_CHARACTERS:
        raise NewPluginError(
            f"{name!r} is not a name for a plugin: lower-case letters and digits, in words with single hyphens between "
            f"them, beginning with a letter, at most {MOST_CHARACTERS} characters; for example weather-station"
        )
    try:
        metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        return
    raise NewPluginError(f"{distribution} is the name of an installed distribution; choose another one")


def _range() -> str:
    """The versions of the core that a plugin written for this one can run on: up to the next minor version."""
    major, minor, *_ = __version__.split(".")
    return f">={major}.{minor},<{major}.{int(minor) + 1}"
