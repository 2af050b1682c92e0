"""A `tools/call` of `echo` and its answer over Streamable HTTP, on connections that are kept open.

How many requests a server answers in a second is what counts; the figures are the time that each takes of a turn, so
at least 0.9 times the peer's rate is at most 1 / 0.9 times its time.
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

from benchmarks import messages
from benchmarks.http_client import Answer, Connection, exchange_all, post
from benchmarks.http_servers import BARE, OURS, RELEASED, RELEASED_VERSION, HttpServer, Start, bare, ours, released
from benchmarks.measurement import Comparison, Effort, Requirement, Sample, in_turn
from benchmarks.node_packages import Unavailable
from benchmarks.stdio_client import check_answer

CONNECTIONS = 8

_MODERN = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "echo"}


def run(effort: Effort) -> Iterator[Comparison]:
    """The turn that does not count warms the servers."""
    title = f"tools/call echo, modern, {CONNECTIONS} connections"
    yield _compare(title, _Requests, {OURS: ours, BARE: bare}, BARE, 1 / 0.9, effort)
    try:
        theirs = released()
    except Unavailable as reason:
        print(f"\nhttp: not compared with {RELEASED}: {reason}", flush=True)
        return
    title = f"tools/call echo, legacy session, 1 connection, {RELEASED} {RELEASED_VERSION}"
    yield _compare(title, _Session, {OURS: ours, RELEASED: theirs}, RELEASED, 1 / 1.5, effort)


@dataclass(frozen=True)
class _Rates(Comparison):
    def __str__(self) -> str:
        medians = {name: median(turn.wall for turn in turns) for name, turns in self.samples.items()}
        rates = ", ".join(f"{name} {1 / wall:.0f}" for name, wall in medians.items())
        return f"{super().__str__()}\n  requests per second: {rates}"


class _Requests:
    """Makes some calls at each turn, of the modern era, shared out among the connections.

    The connections are made anew for each turn, as a server may close those that were idle while others had theirs.

    Args:
        server: Who is called.
        calls: How often in one turn.
    """

    connections = CONNECTIONS

    def __init__(self, server: HttpServer, calls: int) -> None:
        self.port = server.port
        self._server = server
        self._calls = calls
        self._last_id = 0

    def __call__(self) -> Sample:
        ids = range(self._last_id + 1, self._last_id + 1 + self._calls)
        self._last_id += self._calls
        requests = [self.request(request_id) for request_id in ids]
        with ExitStack() as stack:
            connections = [stack.enter_context(Connection(self.port)) for _ in range(self.connections)]
            cpu_before, started = self._server.cpu_seconds(), time.perf_counter()
            answers = exchange_all(connections, requests)
            wall, cpu_after = time.perf_counter() - started, self._server.cpu_seconds()
        _check(answers, ids)
        if cpu_before is None or cpu_after is None:
            return Sample(wall / self._calls, None)
        return Sample(wall / self._calls, (cpu_after - cpu_before) / self._calls)

    def request(self, request_id: int) -> bytes:
        """A call as it is sent."""
        return post(self.port, messages.modern_call(request_id), _MODERN)


class _Session(_Requests):
    """The same in a legacy session, on one connection."""

    connections = 1

    def __init__(self, server: HttpServer, calls: int) -> None:
        super().__init__(server, calls)
        with Connection(self.port) as connection:
            opened = connection.exchange(post(self.port, messages.initialize(0), {}))
            check_answer(opened.message, 0)
            self._headers = {"Mcp-Session-Id": opened.header("Mcp-Session-Id"), "MCP-Protocol-Version": "2025-11-25"}
            connection.exchange(post(self.port, messages.initialized(), self._headers))

    def request(self, request_id: int) -> bytes:
        return post(self.port, messages.legacy_call(request_id), self._headers)


def _compare(
    title: str, turns: type[_Requests], servers: Mapping[str, Start], peer: str, limit: float, effort: Effort
) -> Comparison:
    with ExitStack() as stack:
        running = {name: stack.enter_context(HttpServer(start)) for name, start in servers.items()}
        subjects = {name: turns(server, effort.calls or 200) for name, server in running.items()}
        samples = in_turn(subjects, effort.rounds or 41, warms=effort.warms)
    return _Rates(title, "us", samples, peer, [Requirement(OURS, limit, peer)])


def _check(answers: list[Answer], ids: range) -> None:
    """Make sure that every call was answered once, with the success it should have."""
    by_id = sorted(answers, key=_id_of)
    for answer, request_id in zip(by_id, ids, strict=True):
        check_answer(answer.message, request_id)


def _id_of(answer: Answer) -> int:
    return int(json.loads(answer.message)["id"])
