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
    Pending("tool gzip-file-as-resource", ("gzip.*", "schema.gzip-file-as-resource")),
    Pending("tool simulate-research-query", ("research.*", "state.*", "schema.simulate-research-query")),
    Pending("extension io.modelcontextprotocol/tasks", ("tasks.*",)),
    Pending("tool get-roots-list", ("roots.*", "capability.*get-roots-list*", "schema.get-roots-list")),
    Pending(
        "tool trigger-sampling-request",
        ("sampling.*", "capability.*trigger-sampling-request*", "schema.trigger-sampling-request"),
    ),
    Pending(
        "tool trigger-elicitation-request",
        (
            "elicit.*",
            "capability.*trigger-elicitation-request*",
            "capability.elicitation-empty-means-form*",
            "schema.trigger-elicitation-request",
        ),
    ),
    Pending(
        "tool trigger-url-elicitation",
        (
            "url-elicit.*",
            "capability.*trigger-url-elicitation*",
            "capability.url-only.*",
            "schema.trigger-url-elicitation*",
        ),
    ),
    Pending(
        "tool trigger-multi-step-elicitation",
        (
            "multi-step.*",
            "capability.*trigger-multi-step-elicitation*",
            "schema.trigger-multi-step-elicitation",
        ),
    ),
    Pending("tool trigger-list-changed", ("list-changed.*", "schema.trigger-list-changed")),
    Pending("tool trigger-log-messages", ("log-messages.*", "schema.trigger-log-messages")),
    Pending("tool trigger-resource-updates", ("resource-updates.*", "schema.trigger-resource-updates")),
    Pending("tool toggle-simulated-logging", ("toggle-logging.*", "schema.toggle-simulated-logging")),
    Pending("tool toggle-subscriber-updates", ("toggle-updates.*", "schema.toggle-subscriber-updates")),
    Pending("capability logging", ("logging.*", "subscribe.ok-and-logged", "unsubscribe.ok-and-logged")),
    Pending(
        EVERYTHING,
        (
            "surface.tools.caps-*",
            "surface.tools.list-changed-when-gated-tools-appear",
            "handshake.capabilities",
            "discover",
        ),
    ),
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
