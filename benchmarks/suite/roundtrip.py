"""A `tools/call` of `echo` and its answer over stdio, one after the other, in a process that is warm."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median

from benchmarks import messages
from benchmarks.measurement import Comparison, Effort, Requirement, Sample, in_turn
from benchmarks.stdio_client import StdioServer, check_answer
from benchmarks.stdio_servers import BARE, COMMANDS, OURS


def run(effort: Effort) -> Iterator[Comparison]:
    """The turn that does not count warms the servers."""
    for era in ("legacy", "modern"):
        with ExitStack() as stack:
            subjects = {
                name: _Conversation(stack.enter_context(StdioServer(command)), era, effort.calls or 500)
                for name, command in COMMANDS.items()
            }
            samples = in_turn(subjects, effort.rounds or 20, warms=effort.warms)
        yield Comparison(f"tools/call echo, {era}", "us", samples, BARE, [Requirement(OURS, 1.15, BARE)])


class _Conversation:
    """Makes some calls at each turn; its wall time is their median, so that what interrupts a few does not show."""

    def __init__(self, server: StdioServer, era: str, calls: int) -> None:
        self._server = server
        self._call = messages.legacy_call if era == "legacy" else messages.modern_call
        self._calls = calls
        self._last_id = 0
        if era == "legacy":
            check_answer(server.exchange(messages.initialize(0)), 0)
            server.send(messages.initialized())

    def __call__(self) -> Sample:
        cpu_before = self._server.cpu_seconds()
        wall = median([self._one_call() for _ in range(self._calls)])
        cpu_after = self._server.cpu_seconds()
        if cpu_before is None or cpu_after is None:
            return Sample(wall, None)
        return Sample(wall, (cpu_after - cpu_before) / self._calls)

    def _one_call(self) -> float:
        self._last_id += 1
        line = self._call(self._last_id)
        started = time.perf_counter()
        answer = self._server.exchange(line)
        elapsed = time.perf_counter() - started
        check_answer(answer, self._last_id)
        return elapsed
