"""Lines to and from file descriptors, whatever they are: pipes, sockets, files, terminals.

Reading and writing block, so each has a thread. They are daemons: a thread that is stuck in a read from a terminal, or
in a write to a client that does not read, must not keep the process from ending.
"""

import asyncio
import os
import select
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Final, Protocol

import anyio

BACKLOG: Final = 1 << 20
"""Bytes that may wait, read and not yet served, or to be written, before their source is made to wait."""

MAX_LINE: Final = 256 << 20
"""The longest line, in bytes, that is kept to be read as a message."""

HANG_UP_CHECK: Final = 0.5
"""Seconds between two looks whether the other side has closed its end, while its lines are made to wait."""

_CHUNK: Final = 1 << 16


class TooLong:
    """A line over the limit, whose content was let go."""


class LineSource(Protocol):
    """Where lines come from; `LineReader` is one."""

    @property
    def ended(self) -> bool:
        """Whether all that the other side has sent was read; the last of it may still wait to be received."""
        ...

    async def receive(self) -> bytes | TooLong | None:
        """The next line; None when there are no more."""
        ...


class LineSink(Protocol):
    """Where lines go; `LineWriter` is one."""

    @property
    def broken(self) -> anyio.Event:
        """Set when nobody reads there any more; what is sent then is lost."""
        ...

    @property
    def is_full(self) -> bool:
        """Whether so much is waiting to be written that whatever causes more should wait."""
        ...

    async def send(self, line: bytes) -> None:
        """Send one line, without its end; waits while too much is waiting already."""
        ...

    async def room(self) -> None:
        """Wait until it is full no more."""
        ...

    async def flush(self, limit: float) -> None:
        """Wait until all has been written, at most `limit` seconds."""
        ...


class LineReader:
    """The lines that arrive on a descriptor, without their ends."""

    def __init__(self, descriptor: int, max_line: int = MAX_LINE, on_end: Callable[[], None] = lambda: None) -> None:
        self._descriptor = descriptor
        self._on_end = on_end
        self._max_line = max_line
        self._loop = asyncio.get_running_loop()
        self._lines: deque[bytes | TooLong] = deque()
        self._waiting_bytes = 0
        self._partial = bytearray()
        self._skipping = False
        self.ended = False
        """Whether all that the other side has sent was read; the last of it may still wait to be received."""
        self._hung_up = False
        self._news = asyncio.Event()
        self._room = Event()
        self._room.set()
        Thread(target=self._read, name="stdin", daemon=True).start()

    async def receive(self) -> bytes | TooLong | None:
        """The next line; None when there are no more."""
        while not self._lines:
            if self.ended:
                return None
            self._news.clear()
            await self._news.wait()
        line = self._lines.popleft()
        if isinstance(line, bytes):
            self._waiting_bytes -= len(line)
        if not self.is_full:
            self._room.set()
        return line

    @property
    def is_full(self) -> bool:
        """Whether so much is waiting to be received that no more is read."""
        return self._waiting_bytes >= BACKLOG

    def _read(self) -> None:
        chunk = b"?"
        while chunk:
            self._wait_for_room()
            try:
                chunk = os.read(self._descriptor, _CHUNK)
            except BlockingIOError:
                select.select([self._descriptor], [], [])
                continue
            except OSError:
                chunk = b""
            self._room.clear()  # until it is known how much is waiting; the loop may be held up
            if not _call(self._loop, self._feed, chunk):
                return
        self._on_end()

    def _wait_for_room(self) -> None:
        """Wait while enough is waiting to be received; not for one who is gone, whose end must not go unnoticed."""
        while not self._hung_up and not self._room.wait(HANG_UP_CHECK):
            self._hung_up = _has_hung_up(self._descriptor)  # what is left then is no more than a pipe holds

    def _feed(self, chunk: bytes) -> None:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._partial += chunk[start:end]
            self._finish_line()
            start = end + 1
        self._partial += chunk[start:]
        if self._skipping or len(self._partial) > self._max_line:
            self._partial.clear()
            self._skipping = True
        if not chunk:
            self.ended = True
            self._finish_line()  # a last line may lack its end
        if not self.is_full:
            self._room.set()
        self._news.set()

    def _finish_line(self) -> None:
        line = bytes(self._partial).strip(b" \t\r")
        self._partial.clear()
        if self._skipping:
            self._skipping = False
            self._lines.append(TooLong())
        elif line:
            self._lines.append(line)
            self._waiting_bytes += len(line)


class LineWriter:
    """Writes lines to a descriptor, in the order in which they were sent."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[bytes] = SimpleQueue()
        self._lock = Lock()
        self._backlog = 0
        self._waiting = False
        self._progress = asyncio.Event()
        self.broken = anyio.Event()
        """Set when nobody reads there any more; what is sent then is lost."""
        Thread(target=self._write, name="stdout", daemon=True).start()

    async def send(self, line: bytes) -> None:
        """Send one line, without its end; waits while too much is waiting already."""
        if self.broken.is_set():
            return
        with self._lock:
            self._backlog += len(line) + 1
        self._queue.put(line + b"\n")
        if self.is_full:
            await self.room()

    @property
    def is_full(self) -> bool:
        """Whether so much is waiting to be written that whatever causes more should wait."""
        return self._backlog > BACKLOG and not self.broken.is_set()

    async def room(self) -> None:
        """Wait until it is full no more."""
        await self._until(BACKLOG)

    async def flush(self, limit: float) -> None:
        """Wait until all has been written, at most `limit` seconds."""
        with anyio.move_on_after(limit):
            await self._until(0)

    async def _until(self, backlog: int) -> None:
        while not self.broken.is_set():
            with self._lock:
                if self._backlog <= backlog:
                    return
                self._waiting = True
            self._progress.clear()
            await self._progress.wait()

    def _write(self) -> None:
        while True:
            rest = memoryview(self._queue.get())
            size = len(rest)
            while rest:
                try:
                    rest = rest[os.write(self._descriptor, rest) :]
                except BlockingIOError:
                    select.select([], [self._descriptor], [])
                except OSError:
                    _call(self._loop, self._break)
                    return
            with self._lock:
                self._backlog -= size
                waiting, self._waiting = self._waiting, False
            if waiting and not _call(self._loop, self._progress.set):
                return

    def _break(self) -> None:
        self.broken.set()
        self._progress.set()


def _has_hung_up(descriptor: int) -> bool:
    if not hasattr(select, "poll"):
        return False  # not on this platform
    poll = select.poll()
    poll.register(descriptor, getattr(select, "POLLRDHUP", 0))  # POLLHUP comes unasked
    return any(state & ~select.POLLNVAL for _, state in poll.poll(0))


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *args: object) -> bool:
    """Have the loop call a function; False when the loop is closed, so that there is nothing left to do."""
    try:
        loop.call_soon_threadsafe(function, *args)
    except RuntimeError:
        return False
    return True
