"""The servers that are compared over HTTP, as processes that listen on a port of this machine."""

import os
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from benchmarks.node_packages import program_of

OURS: Final = "everything-server"
BARE: Final = "bare MCPServer"
RELEASED: Final = "@modelcontextprotocol/server-everything"

RELEASED_VERSION: Final = "2026.8.31"

START_TIMEOUT: Final = 60.0
"""Seconds that a server may take until it accepts connections."""

_CPU_OF_PROCESS: Final = 2
"""Makes the clock of a process on Linux, below the complement of its number; other systems know no such clock."""

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Listening:
    """How a server is started on a port."""

    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


Start = Callable[[int], Listening]


def ours(port: int) -> Listening:
    """Ours, with every plugin that is active by default."""
    script = Path(sysconfig.get_path("scripts"), "everything-server")
    return Listening([str(script), "streamable-http", "--port", str(port)])


def bare(port: int) -> Listening:
    """The SDK alone, with one tool."""
    return Listening([sys.executable, str(_HERE / "bare_http_server.py"), str(port)])


def released() -> Start:
    """The TypeScript server from npm, installed now if it is not there.

    Raises:
        Unavailable: There is no Node.js, or npm cannot install it.
    """
    command = program_of(RELEASED, RELEASED_VERSION, "dist/index.js")
    return lambda port: Listening([*command, "streamableHttp"], {"PORT": str(port)})


class HttpServer:
    """A server process, which accepts connections once it is made. Leaving the context ends it.

    Args:
        start: How it is started.
    """

    def __init__(self, start: Start) -> None:
        self.port = _free_port()
        listening = start(self.port)
        self._errors = TemporaryFile()  # noqa: SIM115 (closed with the process)
        self._process = subprocess.Popen(
            listening.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env={**_environment(), **listening.environment},
        )
        try:
            self._wait_until_it_listens()
        except BaseException:
            self._end()
            raise

    def __enter__(self) -> "HttpServer":
        return self

    def __exit__(self, *failure: object) -> None:
        self._end()

    def cpu_seconds(self) -> float | None:
        """User and system time that the process has taken so far; None where the system does not tell."""
        try:
            return time.clock_gettime((~self._process.pid << 3) | _CPU_OF_PROCESS)
        except (AttributeError, OSError):
            return None

    def _wait_until_it_listens(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"the server has ended: {self._error_output()}")
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.05)
        raise RuntimeError(f"the server does not listen after {START_TIMEOUT:g} s: {self._error_output()}")

    def _error_output(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _environment() -> dict[str, str]:
    """Ours, but with compiled modules kept, as they are wherever a server is installed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
