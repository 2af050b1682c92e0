"""Every call of `calls.json`, in each era and over each transport that it is for."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from everything_server import Era
from harness.together import together
from wire.rows import Row, load_rows
from wire.runner import Runner

ERAS = {"stdio": frozenset(Era), "http": frozenset(Era), "sse": frozenset({Era.LEGACY})}
"""Each transport, and the eras that it has."""

RunnerOf = Callable[[str, Era], Runner]

ALL = [
    (row, era, transport)
    for row in load_rows()
    for transport, eras in ERAS.items()
    for era in row.eras
    if era in eras and row.runs_over(transport, era)
]


def waits(row: Row, transport: str) -> bool:
    """Whether there is nothing to do but wait for most of its time, on a connection that costs less than that."""
    polls = any("poll" in step for step in row.setup)
    takes_long = polls or "min_seconds" in row.expect or row.id.startswith(("long-running.integ", "research."))
    return row.collect > 0 or (takes_long and transport != "stdio")


WAITING = [(row, era, transport) for row, era, transport in ALL if waits(row, transport)]

CASES = [
    pytest.param(row, era, transport, id=f"{row.id}-{era}-{transport}")
    for row, era, transport in ALL
    if not waits(row, transport)
]


@pytest.mark.parametrize(("row", "era", "transport"), CASES)
def test_the_call_gets_the_answer_of_its_row(row: Row, era: Era, transport: str, runner_of: RunnerOf) -> None:
    runner_of(transport, era).run(row)


def test_what_takes_time_is_as_in_its_rows(runner_of: RunnerOf) -> None:
    runners = [runner_of(transport, era) for _, era, transport in WAITING]
    together(
        {
            f"{row.id}-{era}-{transport}": partial(runner.run, replace(row, isolated=True))
            for runner, (row, era, transport) in zip(runners, WAITING, strict=True)
        }
    )
