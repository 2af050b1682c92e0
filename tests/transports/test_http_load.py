"""Many legacy sessions at once, and many one after the other, over a real server: none crossed, nothing left behind.

How many is a constant, which the environment variable `EVERYTHING_SERVER_LOAD` raises.
"""

import asyncio
import os
import re
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import anyio
import pytest
from harness.raw_http import (
    INITIALIZED,
    SESSION,
    EventParser,
    Headers,
    HttpRequest,
    call,
    delete,
    initialize,
    post,
)
from harness.serving import ServerProcess, serving
from harness.wire import Message

LOAD: Final = int(os.environ.get("EVERYTHING_SERVER_LOAD", "1"))
"""4 makes 200 sessions with 200 calls each of the 50 with 50."""

SESSIONS: Final = 50 * LOAD
"""Sessions that call at the same time."""
CALLS: Final = 50 * LOAD
"""Calls that each of them makes, under the same ids as all the others."""
CONNECTIONS: Final = 2
"""Connections that each of them has, so that some of its own calls are under way together, too."""

DROPPED: Final = 1_000
"""Sessions that are opened and dropped before memory is looked at, and again before it is looked at once more."""
ABANDONED: Final = 100
"""Sessions that wait for the idle limit at a time. It bounds what may be in memory together, however slow a machine."""
WORKERS: Final = 8
"""Sessions that are opened at a time."""
IDLE: Final = 0.5
"""Seconds after which the server ends a session that was abandoned."""
ENDED: Final = re.compile(r"^INFO \S+: ending a session that was idle", re.MULTILINE)

GROWTH: Final = 4 << 20
"""Bytes that memory may grow by: a little more than ABANDONED sessions take, and much less than DROPPED / 2."""


class Connection:
    """A connection that is kept open for one request after the other."""

    def __init__(self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._host = host
        self._reader = reader
        self._writer = writer

    async def send(self, request: HttpRequest) -> tuple[int, Headers, list[Message]]:
        """The status of the answer, its headers, and the messages in it, which is an event stream or empty."""
        self._writer.writelines(request.pieces(self._host))
        status_line, *lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
        named = (line.partition(":") for line in lines)
        headers = Headers([(name, value.strip()) for name, _, value in named])
        events = EventParser().feed(await self._body(headers))
        return int(status_line.split(" ")[1]), headers, [event.message for event in events if not event.is_priming]

    async def _body(self, headers: Headers) -> bytes:
        if "content-length" in headers:
            return await self._reader.readexactly(int(headers["content-length"]))
        body = b""
        while size := int(await self._reader.readuntil(b"\r\n"), 16):
            body += (await self._reader.readexactly(size + 2))[:-2]
        await self._reader.readexactly(2)
        return body


@asynccontextmanager
async def connected(url: str) -> AsyncGenerator[Connection]:
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        yield Connection(address.netloc, reader, writer)
    finally:
        writer.close()
        await writer.wait_closed()


async def open_session(connection: Connection) -> str:
    status, headers, (answer,) = await connection.send(post(initialize()))
    assert (status, answer["id"], "result" in answer) == (200, 0, True)
    return headers[SESSION]


# ---------------------------------------------------------------- many at once


async def make_calls(url: str, number: int, done: list[tuple[int, int]]) -> None:
    """Open a session and call with its own number; every answer must be to the call that it came for."""

    async def work(connection: Connection, ids: Iterator[int]) -> None:
        for request_id in ids:
            message = f"session {number}, call {request_id}"
            request = post(call("echo", {"message": message}, request_id), session)
            status, headers, (answer,) = await connection.send(request)
            assert (status, headers[SESSION], answer["id"]) == (200, session, request_id)
            assert answer["result"]["content"] == [{"type": "text", "text": f"Echo: {message}"}]
            done.append((number, request_id))

    ids = iter(range(1, CALLS + 1))
    async with connected(url) as first, connected(url) as second, anyio.create_task_group() as tasks:
        session = await open_session(first)
        assert (await first.send(post(INITIALIZED, session)))[0] == 202
        for connection in (first, second):
            tasks.start_soon(work, connection, ids)


async def test_sessions_that_call_at_once_under_the_same_ids_get_their_own_answers() -> None:
    done: list[tuple[int, int]] = []
    with serving("streamable-http") as server:
        async with anyio.create_task_group() as tasks:
            for number in range(SESSIONS):
                tasks.start_soon(make_calls, server.url, number, done)
        assert server.log == ""
    assert sorted(done) == [(number, request_id) for number in range(SESSIONS) for request_id in range(1, CALLS + 1)]


# ---------------------------------------------------------------- many one after the other


def resident_memory(server: ServerProcess) -> int:
    """Bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    (kilobytes,) = re.findall(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
    return int(kilobytes) << 10


async def open_and_drop(url: str, count: int) -> int:
    """Open sessions; every other one is ended by its client, the rest are left to the server. Gives how many that are.

    On a busy machine the idle limit may come before the client's next request, which then finds no session; such a one
    is not counted, as the server has ended it already.
    """
    numbers = iter(range(count))
    left = 0

    async def work() -> None:
        nonlocal left
        async with connected(url) as connection:
            for number in numbers:
                session = await open_session(connection)
                status, _, _ = await connection.send(post(INITIALIZED, session))
                assert status in (202, 404)
                if number % 2:
                    assert (await connection.send(delete(session)))[0] in (200, 404)
                elif status == 202:
                    left += 1

    async with anyio.create_task_group() as tasks:
        for _ in range(WORKERS):
            tasks.start_soon(work)
    return left


def wait_until_ended(server: ServerProcess, count: int) -> None:
    """Wait until the server has told so often that it has ended a session."""
    while len(ENDED.findall(seen := server.stderr)) < count:
        server.wait_for_log(f"{seen}INFO ")  # whatever it says next


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
async def test_sessions_that_were_opened_and_dropped_make_room_for_others_and_leave_no_memory_behind() -> None:
    options = ("--session-idle", str(IDLE), "--max-sessions", str(2 * ABANDONED + WORKERS))
    resident: list[int] = []
    left = 0
    with serving("streamable-http", *options, before=["-v"]) as server:
        for _ in range(2):
            for _ in range(DROPPED // (2 * ABANDONED)):
                left += await open_and_drop(server.url, 2 * ABANDONED)
                wait_until_ended(server, left)
            resident.append(resident_memory(server))
    assert resident[1] - resident[0] < GROWTH, f"resident memory in bytes: {resident}"
