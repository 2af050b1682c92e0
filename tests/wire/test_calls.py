"""Every call of `calls.json`, in each era and over each transport that it is for."""

from collections.abc import Callable

import pytest
from everything_server import Era
from wire.rows import Row, load_rows
from wire.runner import Runner

TRANSPORTS = ("stdio",)

CASES = [
    pytest.param(row, era, transport, id=f"{row.id}-{era}-{transport}")
    for row in load_rows()
    for transport in TRANSPORTS
    for era in row.eras
    if row.runs_over(transport, era)
]


@pytest.mark.parametrize(("row", "era", "transport"), CASES)
def test_the_call_gets_the_answer_of_its_row(
    row: Row, era: Era, transport: str, runner_of: Callable[[str, Era], Runner]
) -> None:
    runner_of(transport, era).run(row)
