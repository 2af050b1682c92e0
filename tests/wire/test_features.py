"""The rows of `calls.json` cover what the plugins provide."""

from collections import Counter

import pytest
from everything_server import Era, PluginManager, Registries
from wire.features import GROUPS
from wire.rows import Row, load_rows

ROWS = load_rows()


def test_ids_of_rows_are_unique() -> None:
    assert [row_id for row_id, number in Counter(row.id for row in ROWS).items() if number > 1] == []


@pytest.mark.parametrize("era", Era, ids=str)
def test_every_tool_prompt_template_and_method_of_an_extension_has_a_row(era: Era) -> None:
    manager = PluginManager(GROUPS)
    manager.load()
    registry = Registries(manager).build(era)
    rows = [row for row in ROWS if era in row.eras]
    assert set(registry.tools) - _named(rows, "tools/call") == set()
    assert set(registry.prompts) - _named(rows, "prompts/get") == set()
    read = {row.params["uri"] for row in rows if row.method == "resources/read" and "result" in row.expect}
    if any(uri.startswith("${") for uri in read):
        read.add("demo://resource/minted/an-id/a-name")  # a URI that rows have from an earlier answer
    assert set(registry.resources) - read == set()
    methods = {binding.method for extension in registry.extensions for binding in extension.methods}
    assert methods - {row.method for row in rows} == set()
    assert [uri for uri, template in registry.templates.items() if not any(map(template.match, read))] == []


def test_the_whole_surface_is_compared_in_both_eras() -> None:
    listed = [row for row in ROWS if row.id.startswith("surface.tools.caps-")]
    assert {era for row in listed for era in row.eras} == set(Era)


def _named(rows: list[Row], method: str) -> set[str]:
    """What the calls of a method that must succeed name."""
    wanted = ("result", "at")
    return {row.params["name"] for row in rows if row.method == method and any(key in row.expect for key in wanted)}
