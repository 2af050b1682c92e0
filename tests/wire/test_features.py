"""The rows of `calls.json` that are not played: they wait for features that are missing, and for nothing else."""

from collections import Counter
from fnmatch import fnmatchcase

import pytest
from everything_server import Era, PluginManager, Registries
from wire.features import EVERYTHING, PENDING, Pending, installed_groups, is_pending, provided_features
from wire.rows import Row, load_rows

ROWS = load_rows()
ENTRIES = pytest.mark.parametrize("entry", PENDING, ids=lambda entry: entry.feature)


@ENTRIES
def test_a_pending_feature_is_still_missing(entry: Pending) -> None:
    message = f"{entry.feature} is there: its rows are played, so its entry in PENDING can go"
    assert entry.feature not in provided_features(), message


@ENTRIES
def test_every_glob_of_a_pending_feature_fits_a_row(entry: Pending) -> None:
    useless = [glob for glob in entry.rows if not any(fnmatchcase(row.id, glob) for row in ROWS)]
    assert useless == []


@ENTRIES
def test_the_rows_of_a_feature_are_played_as_soon_as_it_is_there(entry: Pending) -> None:
    everything = frozenset(other.feature for other in PENDING)
    waiting = [row for row in ROWS if is_pending(row, everything - {entry.feature})]
    assert waiting
    assert all(any(fnmatchcase(row.id, glob) for glob in entry.rows) for row in waiting)


def test_no_row_waits_when_every_feature_is_there() -> None:
    assert not any(is_pending(row, frozenset(entry.feature for entry in PENDING)) for row in ROWS)


def test_ids_of_rows_are_unique() -> None:
    assert [row_id for row_id, number in Counter(row.id for row in ROWS).items() if number > 1] == []


@pytest.mark.parametrize("era", Era, ids=str)
def test_every_tool_prompt_and_template_that_is_there_has_a_row(era: Era) -> None:
    manager = PluginManager(installed_groups())
    manager.load()
    registry = Registries(manager).build(era)
    rows = [row for row in ROWS if era in row.eras and not is_pending(row)]
    assert set(registry.tools) - _named(rows, "tools/call") == set()
    assert set(registry.prompts) - _named(rows, "prompts/get") == set()
    read = {row.params["uri"] for row in rows if row.method == "resources/read" and "result" in row.expect}
    if any(uri.startswith("${") for uri in read):
        read.add("demo://resource/minted/an-id/a-name")  # a URI that rows have from an earlier answer
    assert set(registry.resources) - read == set()
    assert [uri for uri, template in registry.templates.items() if not any(map(template.match, read))] == []


def test_the_whole_surface_is_compared_when_nothing_is_pending() -> None:
    (entry,) = (entry for entry in PENDING if entry.feature == EVERYTHING)
    listed = [row for row in ROWS if any(fnmatchcase(row.id, glob) for glob in entry.rows)]
    assert {era for row in listed for era in row.eras} == set(Era)


def _named(rows: list[Row], method: str) -> set[str]:
    """What the calls of a method that must succeed name."""
    wanted = ("result", "at")
    return {row.params["name"] for row in rows if row.method == method and any(key in row.expect for key in wanted)}
