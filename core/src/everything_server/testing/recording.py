"""What the server has received from the client under test."""

import asyncio
import json
import os
import select
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, overload

import anyio.to_thread

from everything_server.serving.received import Received

PATIENCE: Final = 10.0
"""Seconds that a message may take by default."""

_CHUNK: Final = 1 << 16

Wanted = str | Callable[[Received], bool]


class Recording(Sequence[Received]):
    """The messages that have arrived, in their order. A message is here before the server begins to serve it."""

    def __init__(self) -> None:
        self._received: list[Received] = []
        self._news = threading.Condition(threading.RLock())

    def __call__(self, received: Received) -> None:
        """Take one more."""
        with self._news:
            self._received.append(received)
            self._news.notify_all()

    @overload
    def __getitem__(self, index: int) -> Received: ...
    @overload
    def __getitem__(self, index: slice) -> list[Received]: ...
    def __getitem__(self, index: int | slice) -> Received | list[Received]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[Received]:
        return iter(self._all())

    def __repr__(self) -> str:
        return f"<received {', '.join(str(one.method or one.http_method or one.problem) for one in self._all())}>"

    @property
    def methods(self) -> list[str]:
        """The methods of all requests and notifications."""
        return [received.method for received in self._all() if received.method is not None]

    def of(self, wanted: Wanted) -> list[Received]:
        """The messages of a method, or those for which a function says yes."""
        return [received for received in self._all() if _is(received, wanted)]

    def clear(self) -> None:
        """Forget what has arrived so far."""
        with self._news:
            self._all()
            self._received.clear()

    def wait_for(self, wanted: Wanted, *, count: int = 1, timeout: float = PATIENCE) -> Received:
        """Block until so many messages of a method have arrived; gives the last of them.

        Args:
            wanted: The method, or a function that says whether it is such a message.
            count: How many.
            timeout: Seconds to wait.

        Raises:
            TimeoutError: They have not.
            RuntimeError: This is called in an event loop, which it would block; `wait_for_async` is for that.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return self._wait_for(wanted, count, timeout)
        raise RuntimeError("wait_for would block the event loop: use await wait_for_async")

    async def wait_for_async(self, wanted: Wanted, *, count: int = 1, timeout: float = PATIENCE) -> Received:
        """As `wait_for`, and others have their turn meanwhile."""
        wait = partial(self._wait_for, wanted, count, timeout)
        return await anyio.to_thread.run_sync(wait, abandon_on_cancel=True)

    def close(self) -> None:
        """Take nothing more; what has arrived stays."""

    def _wait_for(self, wanted: Wanted, count: int, timeout: float) -> Received:
        deadline = time.monotonic() + timeout
        with self._news:
            while len(found := self.of(wanted)) < count:
                if not self._news.wait(deadline - time.monotonic()):
                    what = wanted if isinstance(wanted, str) else "such a message"
                    raise TimeoutError(f"{count} x {what}: not within {timeout} seconds; {self!r}")
        return found[count - 1]

    def _all(self) -> list[Received]:
        with self._news:
            return list(self._received)


class PipeRecording(Recording):
    """The messages that processes record into a named pipe.

    What a process has written is here when the client has its answer, as the pipe is looked at by whoever asks.

    Args:
        path: Where the pipe is made.

    Raises:
        RuntimeError: This platform has no named pipes.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        if not hasattr(os, "mkfifo"):
            raise RuntimeError("what a process receives is recorded through a named pipe, which this platform has not")
        self.path = path
        os.mkfifo(path, 0o600)
        # For writing as well, so that it does not end when a process does.
        self._pipe: int | None = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self._rest = b""
        self._thread = threading.Thread(target=self._watch, args=(self._pipe,), name="recording", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take nothing more; what has arrived stays."""
        with self._news:
            pipe, self._pipe = self._pipe, None
            if pipe is None:
                return
            self._read(pipe)
            os.write(pipe, b"\n")  # wakes the thread
        self._thread.join()
        os.close(pipe)

    def _watch(self, pipe: int) -> None:
        while True:
            select.select([pipe], [], [])
            with self._news:
                if self._pipe is None:
                    return
                self._read(pipe)

    def _all(self) -> list[Received]:
        with self._news:
            if self._pipe is not None:
                self._read(self._pipe)
            return super()._all()

    def _read(self, pipe: int) -> None:
        while True:
            try:
                self._rest += os.read(pipe, _CHUNK)
            except BlockingIOError:
                break
        *lines, self._rest = self._rest.split(b"\n")
        for line in filter(None, lines):
            try:
                received = Received.from_json(json.loads(line))
            except ValueError:  # its process was killed while it wrote
                received = Received(transport="stdio", problem="The record of this message is torn")
            self(received)


def _is(received: Received, wanted: Wanted) -> bool:
    return received.method == wanted if isinstance(wanted, str) else wanted(received)
