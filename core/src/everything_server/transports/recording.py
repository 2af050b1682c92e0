"""Writes what a server receives into a file, so that tests in other processes and languages can look at it."""

import json
import logging
from pathlib import Path
from typing import IO, Self

from everything_server.clock import SteppingClock
from everything_server.serving.received import Observe, Received

logger = logging.getLogger(__name__)


class FileRecorder:
    """Appends a line of JSON for each message, written out before the message is served.

    Args:
        path: The file, or a pipe that somebody reads.

    Raises:
        OSError: It cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = path.open("ab", buffering=0)

    def __call__(self, received: Received) -> None:
        """Write one record. A file that can be written to no more is given up, the serving goes on."""
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(received.as_json(), separators=(",", ":")).encode() + b"\n")
        except OSError as error:
            logger.error("recording to %s has ended: %s", self._path, error.strerror)
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Write nothing more."""
        if self._file is not None:
            self._file.close()
            self._file = None


def stepping_with(clock: SteppingClock) -> Observe:
    """Moves the clock of a conversation with each request in it."""

    def observe(received: Received) -> None:
        if received.is_request:
            clock.step()

    return observe


def both(first: Observe, second: Observe) -> Observe:
    """Tells two observers, one after the other."""

    def observe(received: Received) -> None:
        first(received)
        second(received)

    return observe
