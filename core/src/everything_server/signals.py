"""The signals that ask a server to end."""

import os
import signal
from typing import NoReturn


def ending_signals() -> list[signal.Signals]:
    """SIGINT, SIGTERM, and SIGHUP where there is one and nobody wants it ignored, as under `nohup`."""
    signals = [signal.SIGINT, signal.SIGTERM]
    hangup: signal.Signals | None = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        signals.append(hangup)
    return signals


def exit_quietly_on_signals() -> None:
    """Until something is served there is nothing to clean up: end as after serving, with status 0, and say nothing.

    Imports take most of a second, in which a signal would otherwise end the process with a traceback.
    """
    for number in ending_signals():
        signal.signal(number, _leave)


def restore_signals() -> None:
    """For a command that serves nothing: who interrupts it is told so."""
    for number in ending_signals():
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def _leave(number: int, frame: object) -> NoReturn:
    os._exit(0)  # no exception: a plugin's import may be running, and whoever imports it would catch one
