"""Which rows of `calls.json` can be played now: those of features that the installed plugins provide."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Final

from everything_server import Era, PluginManager, Registries
from everything_server.discovery import discover
from wire.rows import Row

GROUPS: Final = ("tools", "resources", "prompts", "tasks")
"""The plugin groups that the rows are about; those that list everything name these groups' features and no others."""

EVERYTHING: Final = "everything"
"""Stands for all the other features that are pending: some rows list the whole surface."""


@dataclass(frozen=True)
class Pending:
    """Rows that have to wait for a feature."""

    feature: str
    rows: tuple[str, ...]
    """Globs of row ids."""


PENDING: Final = (
    Pending("tool simulate-research-query", ("research.*", "state.*", "schema.simulate-research-query")),
    Pending("extension io.modelcontextprotocol/tasks", ("tasks.*",)),
    Pending(EVERYTHING, ("surface.tools.caps-*", "discover")),
)
"""What later work brings. An entry whose feature is there has to go: a test sees to that."""


def is_pending(row: Row, provided: frozenset[str] | None = None) -> bool:
    """Whether a row has to wait for a feature that nothing provides yet."""
    return any(
        entry.feature not in (provided_features() if provided is None else provided)
        for entry in PENDING
        if any(fnmatchcase(row.id, glob) for glob in entry.rows)
    )


def installed_groups() -> list[str]:
    """Those of the groups that any installed plugin belongs to."""
    groups = {candidate.group for candidate in discover()}
    return [group for group in GROUPS if group in groups]


@cache
def provided_features() -> frozenset[str]:
    """What the installed plugins of the groups provide: `tool echo`, `capability completions`, …"""
    manager = PluginManager(installed_groups())
    manager.load()
    registries = Registries(manager)
    capabilities = {name for era in Era for name in registries.build(era).capabilities.model_dump(exclude_none=True)}
    features = {feature for plugin in manager.plugins for feature in registries.provisions(plugin)}
    features |= {f"capability {name}" for name in capabilities}
    if all(entry.feature in features for entry in PENDING if entry.feature != EVERYTHING):
        features.add(EVERYTHING)
    return frozenset(features)
