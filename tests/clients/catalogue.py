"""What the official clients list, call and read: one table for all of them, whatever language they are written in.

The rows of a group of plugins are the `ROWS` of `table/GROUP.py`; a test sees to it that every feature has some. The
Python client walks the whole table. The others walk its *plain* part: requests and answers, without questions and
notifications.

A client *walks* the catalogue and *reports* what it was given as JSON, in the protocol's names. A report has what the
client learnt on connecting (`era`, `protocolVersion`, `serverInfo`, `capabilities`, `instructions`), what it listed
(`tools`, `resources`, `resourceTemplates`, `prompts`), and under `answers`, by the id of the row, either
`{"result": …}` or `{"error": {"code": …, "data": …}}`, with the `progress` that came before it, with what the client
was `asked` and with what it `heard`, if there was any.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from clients.row import INVALID_PARAMS, Row
from clients.table import prompts, resources, tools
from clients.table.resources import UNKNOWN_RESOURCE
from clients.table.tools import ENVIRONMENT, ROOTS, WATCHED
from everything_server import Era
from everything_server.discovery import discover

__all__ = ["ENVIRONMENT", "INVALID_PARAMS", "ROOTS", "UNKNOWN_RESOURCE", "WATCHED"]

PLAIN_GROUPS: Final = {"tools": tools, "resources": resources, "prompts": prompts}
"""The groups whose plain rows all clients walk."""

PLAIN_ROWS: Final = tuple(row for group in PLAIN_GROUPS.values() for row in group.ROWS if row.is_plain)

LEFT_OUT: Final = sorted(
    {row.params["name"] for row in tools.ROWS if row.method == "tools/call" and not row.is_plain and row.is_listed}
)
"""Tools that the server of a client does not have which walks plain rows only: some of theirs are not."""

PLAIN_CAPABILITIES: Final = {
    "tools": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "prompts": {"listChanged": True},
    "completions": {},
}
"""What that server advertises."""

_EVERYTHING: Final = {**PLAIN_CAPABILITIES, "logging": {}}

CAPABILITIES: Final = {
    Era.LEGACY: _EVERYTHING,
    Era.MODERN: {**_EVERYTHING, "extensions": {"io.modelcontextprotocol/tasks": {}}},
}
"""What a server with everything advertises."""

ENDLESS: Final = {"name": "trigger-long-running-operation", "arguments": {"duration": 300, "steps": 1000}}
"""A call that a client cancels after its first progress: by itself it would outlast every guard."""


def groups() -> list[str]:
    """The groups of this repository's plugins that a server has by default."""
    ours = (plugin for plugin in discover() if plugin.distribution.startswith("everything-server-"))
    return list(dict.fromkeys(plugin.group for plugin in ours if not plugin.opt_in))


def rows_of(group: str) -> tuple[Row, ...]:
    """The rows of a group; none, if nobody has written any."""
    module = f"clients.table.{group.replace('-', '_')}"
    return import_module(module).ROWS if find_spec(module) else ()


def all_rows() -> list[Row]:
    """The whole table."""
    return [row for group in groups() for row in rows_of(group)]


def rows(era: Era, transport: str) -> list[Row]:
    """The part of it that a client of an era walks over a transport."""
    return [row for row in all_rows() if row.applies(era, transport)]


def plain_rows(era: Era) -> list[Row]:
    """The plain part of it for an era."""
    return [row for row in PLAIN_ROWS if era in row.eras and row.params.get("name") not in LEFT_OUT]


def answers(walked: list[Row], era: Era) -> dict[str, Any]:
    """What the answers in a report must equal."""
    return {row.id: row.answer(era) for row in walked}


def listed(walked: list[Row]) -> dict[str, set[str]]:
    """What a client must find in the lists: all that the rows name, and nothing else."""
    there = [row for row in walked if row.is_listed and not row.id.endswith("of what is not there")]
    reads = [row for row in there if row.method == "resources/read" and row.error is None]
    return {
        "tools": {row.params["name"] for row in there if row.method == "tools/call"},
        "resources": {row.params["uri"] for row in reads if row.template is None},
        "resourceTemplates": {row.template for row in reads if row.template is not None},
        "prompts": {row.params["name"] for row in there if row.method == "prompts/get"},
    }


def names(report: dict[str, Any]) -> dict[str, set[str]]:
    """What a client found in the lists."""
    keys = {"tools": "name", "resources": "uri", "resourceTemplates": "uriTemplate", "prompts": "name"}
    return {kind: {entry[key] for entry in report[kind]} for kind, key in keys.items()}


def export(era: Era) -> dict[str, Any]:
    """The plain part of the table as JSON, for a client in another language."""
    return {
        "requests": [
            {"id": row.id, "method": row.method, "params": row.params, "wantsProgress": row.progress is not None}
            for row in plain_rows(era)
        ],
        "endless": ENDLESS,
        "watched": WATCHED,
    }


def plain(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what the eras, or the clients' own models, put around every one of them."""
    around = ("_meta", "resultType", "ttlMs", "cacheScope")
    return {
        key: value for key, value in result.items() if key not in around and not (key == "isError" and value is False)
    }
