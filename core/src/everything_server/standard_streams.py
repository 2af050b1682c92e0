"""Keeps the protocol's standard streams to the protocol."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True)
class WireDescriptors:
    """Where the client's messages come from and go to."""

    stdin: int
    stdout: int


@contextmanager
def claim_standard_streams() -> Generator[WireDescriptors]:
    """Take descriptors 0 and 1 for the protocol, so that nothing else can read or write there.

    While claimed, descriptor 0 reads as empty and descriptor 1 is stderr: a plugin's print, at import or later, and
    the output of any child process cannot spoil the protocol. (The SDK does the same, but only once it serves.)

    Raises:
        OSError: A standard stream is closed.
    """
    _flush_stdout()
    stdin, stdout = _above_standard(0), _above_standard(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    try:
        os.dup2(2, 1)
    except OSError:  # stderr is closed
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)
    try:
        yield WireDescriptors(stdin, stdout)
    finally:
        _flush_stdout()  # what was printed meanwhile belongs to stderr
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        # The copies stay open: a thread may still be blocked in a read, and must not find another file there.


def _flush_stdout() -> None:
    stdout: TextIO | None = sys.stdout  # None when it was closed at the start
    if stdout is not None:
        with suppress(OSError, ValueError):
            stdout.flush()


def fill_stdin() -> None:
    """Let a command that needs no input do without; else the next file to be opened would become stdin."""
    try:
        os.fstat(0)
    except OSError:
        os.open(os.devnull, os.O_RDONLY)  # takes the lowest free number


def fill_stderr() -> None:
    """Let a process whose stderr is closed do without; else click writes its errors to stdout instead."""
    try:
        os.fstat(2)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        if null != 2:
            os.dup2(null, 2)
            os.close(null)
        sys.stderr = os.fdopen(2, "w", closefd=False)


def _above_standard(descriptor: int) -> int:
    """A private copy, which child processes do not inherit, with a number that is no standard stream's."""
    copies = [os.dup(descriptor)]
    while copies[-1] <= 2:
        copies.append(os.dup(descriptor))
    for low in copies[:-1]:
        os.close(low)
    return copies[-1]
