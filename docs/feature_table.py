"""The tables of the README: what the plugins of this repository provide, in which eras and over which transports."""

from collections.abc import Iterator
from importlib.metadata import metadata
from itertools import groupby
from pathlib import Path
from typing import Final

from everything_server import (
    Era,
    ExtensionSpec,
    PluginManager,
    PromptSpec,
    ResourceSpec,
    ResourceTemplateSpec,
    ToolSpec,
)
from everything_server.manager import Plugin
from everything_server.specs import Declaration

TRANSPORTS: Final = {Era.LEGACY: ("stdio", "HTTP", "SSE"), Era.MODERN: ("stdio", "HTTP")}
"""Those that each era has. Whatever a plugin declares for an era is on all of them; routes are where HTTP is."""

COLUMNS: Final = [(era, transport) for era, transports in TRANSPORTS.items() for transport in transports]

HEAD: Final = (
    f"| Plugin | Provides | {' | '.join(f'{era}<br>{transport}' for era, transport in COLUMNS)} |\n"
    f"|---|---|{':-:|' * len(COLUMNS)}"
)

FIRST: Final = ("tools", "resources", "prompts", "tasks")
"""The groups that come before the others."""

MANY: Final = 4
"""The number of things of one kind from which on only the first and the last are named."""


def feature_tables(root: Path) -> str:
    """A table for each group; behind the others, and folded, those of the groups that are off by default."""
    ours = {"everything-server-" + path.parent.name for path in root.glob("plugins/*/pyproject.toml")}
    active = {plugin.name for plugin in _plugins()}
    plugins = [plugin for plugin in _plugins("*") if plugin.candidate.distribution in ours]
    groups = {name: list(members) for name, members in groupby(plugins, lambda plugin: plugin.name.split(".")[0])}
    opt_in = {name for name, members in groups.items() if not any(plugin.name in active for plugin in members)}
    order = sorted(groups, key=lambda name: (name in opt_in, [*FIRST, name].index(name), name))
    return "\n\n".join(_group(name, groups[name], folded=name in opt_in) for name in order)


def _plugins(*selected: str) -> list[Plugin]:
    manager = PluginManager(selected or None, strict=True)
    manager.load()
    manager.check()
    return list(manager.plugins)


def _group(name: str, plugins: list[Plugin], *, folded: bool) -> str:
    heading = f"### {name}\n\n{metadata(plugins[0].candidate.distribution)['Summary']}."
    table = "\n".join([HEAD, *map(_row, plugins)])
    if not folded:
        return f"{heading}\n\n{table}"
    summary = f"<details><summary>{len(plugins)} plugins, off unless asked for</summary>"
    return f"{heading}\n\n{summary}\n\n{table}\n\n</details>"


def _row(plugin: Plugin) -> str:
    provides = "<br>".join(_provisions(plugin)) or "what its settings ask for"
    marks = " | ".join("✓" if _is_on(plugin, era, transport) else "–" for era, transport in COLUMNS)
    return f"| `{plugin.name}` | {provides} | {marks} |"


def _is_on(plugin: Plugin, era: Era, transport: str) -> bool:
    return bool(plugin.declarations[era]) or (bool(plugin.routes) and transport != "stdio")


def _provisions(plugin: Plugin) -> Iterator[str]:
    """What a plugin provides, and if it has more in one era than in the other, in which."""
    eras: dict[tuple[str, str], list[Era]] = {}
    for era in Era:
        for declaration in plugin.declarations[era]:
            eras.setdefault(_named(declaration), []).append(era)
    differ = len({tuple(found) for found in eras.values()}) > 1
    for kind, members in groupby(eras, lambda key: key[0]):
        found = list(members)
        if len(found) >= MANY:
            yield f"{len(found)} {kind}s, `{found[0][1]}` to `{found[-1][1]}`"
            continue
        for key in found:
            yield f"{kind} `{key[1]}`" + (f" ({eras[key][0]})" if differ and len(eras[key]) == 1 else "")
    yield from (f"route `{route.path}`" for route in plugin.routes)


def _named(declaration: Declaration) -> tuple[str, str]:
    match declaration:
        case ToolSpec(name=name):
            return "tool", name
        case ResourceSpec(uri=uri):
            return "resource", uri
        case ResourceTemplateSpec(uri_template=uri_template):
            return "template", uri_template
        case PromptSpec(name=name):
            return "prompt", name
        case ExtensionSpec(identifier=identifier):
            return "extension", identifier
