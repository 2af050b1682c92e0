"""Reading rows: what nobody would check is an error."""

import json
from pathlib import Path
from typing import Any

import pytest
from everything_server import Era
from wire.rows import load_rows

ROW: dict[str, Any] = {"id": "a.b", "eras": ["legacy"], "method": "ping", "expect": {"result": {}}}


def table(tmp_path: Path, **members: Any) -> Path:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{**ROW, **members}]))
    return path


def test_a_row_is_read(tmp_path: Path) -> None:
    (row,) = load_rows(table(tmp_path, setup=[{"settle": True}], client={"capabilities": "all"}))
    assert (row.area, row.eras, row.setup) == ("a", (Era.LEGACY,), ({"settle": True},))
    assert set(row.capabilities(Era.LEGACY)) == {"roots", "sampling", "elicitation"}


@pytest.mark.parametrize(
    "members",
    [
        {"expects": {}},
        {"expect": {"notification": []}},
        {"expect": {"any_of": [{"errors": {}}]}},
        {"client": {"caps": "all"}},
        {"setup": [{"wait": 1}]},
        {"setup": [{"settle": True, "mark": True}]},
        {"cleanup": [{"method": "ping", "parms": {}}]},
    ],
    ids=str,
)
def test_a_row_with_a_member_that_means_nothing_is_refused(tmp_path: Path, members: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"row a\.b"):
        load_rows(table(tmp_path, **members))


@pytest.mark.parametrize(
    ("members", "transport", "era", "runs"),
    [
        ({}, "stdio", Era.LEGACY, True),
        ({}, "stdio", Era.MODERN, False),
        ({"transports": ["sse"]}, "stdio", Era.LEGACY, False),
        ({"transports": ["stdio", "sse"]}, "stdio", Era.LEGACY, True),
        ({"transports": ["legacy-http"]}, "http", Era.LEGACY, True),
        ({"transports": ["modern-http"], "eras": ["legacy", "modern"]}, "http", Era.LEGACY, False),
        ({"env": {"A": "1"}}, "http", Era.LEGACY, False),
        ({"env": {"A": "1"}}, "stdio", Era.LEGACY, True),
    ],
)
def test_a_row_runs_over_the_transports_it_is_for(
    tmp_path: Path, members: dict[str, Any], transport: str, era: Era, runs: bool
) -> None:
    (row,) = load_rows(table(tmp_path, **members))
    assert row.runs_over(transport, era) is runs
