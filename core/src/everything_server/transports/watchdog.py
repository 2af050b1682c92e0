"""Ends a process that was told to end and cannot: a tool blocks a thread, or refuses to be cancelled."""

import os
import sys
from threading import Thread, Timer
from typing import Final

SAYING: Final = 0.5
"""Seconds for the last words on stderr, which nobody may be reading."""


def end_at_the_latest_in(seconds: float) -> None:
    """End the process with status 0 after that many seconds, unless it has ended by then.

    In a thread, because what cannot be stopped may as well block the event loop.
    """
    timer = Timer(seconds, _end)
    timer.daemon = True
    timer.start()


def _end() -> None:
    words = Thread(target=_say_why, daemon=True)
    words.start()
    words.join(SAYING)
    os._exit(0)


def _say_why() -> None:
    if sys.stderr is not None:  # None when it was closed at the start
        sys.stderr.write("everything-server: ended, although something that was running could not be stopped\n")
        sys.stderr.flush()
