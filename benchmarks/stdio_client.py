"""A client that costs next to nothing: a process, two pipes, lines of JSON."""

import ctypes
import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from typing import Any

Message = Mapping[str, Any]


class StdioServer:
    """A server process, started at once. Leaving the context ends it.

    Args:
        command: What to run.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._errors = TemporaryFile()  # noqa: SIM115 (closed with the process)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=0, env=_environment()
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout

    def __enter__(self) -> "StdioServer":
        return self

    def __exit__(self, *failure: object) -> None:
        self._stdin.close()
        try:
            self._process.wait(10)
        finally:
            self._process.kill()
            self._process.wait()
            self._stdout.close()
            self._errors.close()

    def exchange(self, line: bytes) -> bytes:
        """Send a line and return the answer, both with their ends; nothing else may arrive in between."""
        self.send(line)
        received = b""
        while not received.endswith(b"\n"):
            chunk = os.read(self._stdout.fileno(), 1 << 16)
            if not chunk:
                raise RuntimeError(f"the server has ended: {self._error_output()}")
            received += chunk
        return received

    def send(self, line: bytes) -> None:
        """Send a line; if the server is gone, the next read says why."""
        with suppress(BrokenPipeError):
            os.write(self._stdin.fileno(), line)

    def cpu_seconds(self) -> float | None:
        """User and system time that the process has taken so far; None where the system does not tell."""
        return _cpu_seconds(self._process.pid)

    def _error_output(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")


def line_of(message: Message) -> bytes:
    """A message as it is sent."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def check_answer(line: bytes, request_id: int) -> None:
    """Make sure that what was measured is the success it should be."""
    answer = json.loads(line)
    if answer.get("id") != request_id or "result" not in answer or answer["result"].get("isError"):
        raise RuntimeError(f"not the answer to request {request_id}: {line[:500]!r}")


def _environment() -> dict[str, str]:
    """Ours, but with compiled modules kept, as they are wherever a server is installed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _cpu_seconds(process: int) -> float | None:
    clock = ctypes.c_int()
    try:
        failed = ctypes.CDLL(None).clock_getcpuclockid(process, ctypes.byref(clock))
    except AttributeError:  # POSIX has it, not every system does
        return None
    return None if failed else time.clock_gettime(clock.value)
