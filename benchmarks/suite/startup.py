"""From the start of a process to its first answer over stdio, for each way in which a client may open."""

import time
from collections.abc import Iterator, Sequence
from functools import partial

from benchmarks import messages
from benchmarks.measurement import Comparison, Effort, Requirement, Sample, in_turn
from benchmarks.stdio_client import StdioServer, check_answer
from benchmarks.stdio_servers import BARE, COMMANDS, OURS

OPENINGS = {
    "initialize, legacy": messages.initialize(1),
    "server/discover, modern": messages.discover(1),
    "tools/call echo as the first message, modern": messages.modern_call(1),
}


def run(effort: Effort) -> Iterator[Comparison]:
    """The turn that does not count warms the file cache and writes the compiled modules."""
    for title, opening in OPENINGS.items():
        subjects = {name: partial(_start, command, opening) for name, command in COMMANDS.items()}
        samples = in_turn(subjects, effort.rounds or 15, warms=effort.warms)
        yield Comparison(title, "ms", samples, BARE, [Requirement(OURS, 1.10, BARE)])


def _start(command: Sequence[str], opening: bytes) -> Sample:
    started = time.perf_counter()
    with StdioServer(command) as server:
        answer = server.exchange(opening)
        sample = Sample(time.perf_counter() - started, server.cpu_seconds())
        check_answer(answer, 1)
    return sample
