"""Real servers that listen: `everything-server streamable-http` or `sse` as a process, on a free port.

    with serving("sse", before=("--plugins", "tools")) as server:
        ...  # connect to server.url

Leaving the block stops the server as its owner would, with SIGTERM, and the end must be clean: status 0, no traceback,
nothing on stdout.
"""

import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Final, Literal

from harness.forking import start
from harness.wire import COMMAND, END_GUARD, GUARD, WireTimeout, clean_environment

ListeningTransport = Literal["streamable-http", "sse"]

READY: Final = re.compile(r"^everything-server: listening on (http://\S+)\n", re.MULTILINE)
"""The line on stderr that says where the server listens, once it does."""

TRACEBACK: Final = "Traceback (most recent call last)"


class ServerProcess:
    """A server that listens, and what it has said so far.

    Args:
        command: Its command line.
        env: Its environment; by default this process's, without what would configure the server.
        fresh: Load Python and all modules anew; see `harness.forking`.
    """

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None, *, fresh: bool = False) -> None:
        environment = clean_environment() if env is None else env
        self.process = start(command, stdin=subprocess.DEVNULL, env=environment, fresh=fresh)
        self._news = threading.Condition()
        self._written = {"stdout": bytearray(), "stderr": bytearray()}
        self._readers = [
            threading.Thread(target=self._read, args=(name, stream), daemon=True)
            for name, stream in (("stdout", self.process.stdout), ("stderr", self.process.stderr))
        ]
        for reader in self._readers:
            reader.start()

    @property
    def stdout(self) -> str:
        """What it has written to stdout so far; a server that listens has nothing to say there."""
        return self._text("stdout")

    @property
    def stderr(self) -> str:
        """What it has written to stderr so far."""
        return self._text("stderr")

    @property
    def log(self) -> str:
        """What it has written to stderr since it listens; nothing, if it has nothing to complain of."""
        return self.stderr[self._ready().end() :]

    @property
    def url(self) -> str:
        """Where it listens."""
        return self._ready()[1]

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self.process.poll() is None

    def wait_until_ready(self, timeout: float = GUARD) -> None:
        """Wait until it says where it listens."""
        self._wait(lambda: READY.search(self.stderr) is not None, "a server that listens", timeout)

    def wait_for_log(self, text: str, timeout: float = GUARD) -> None:
        """Wait until its stderr contains a text."""
        self._wait(lambda: text in self.stderr, f"{text!r} on stderr", timeout)

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal, if it is still running."""
        self.process.send_signal(number)

    def exit_status(self, timeout: float = END_GUARD) -> int:
        """Wait for its end, read all that it has written, and give its exit status."""
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise WireTimeout(f"the server is still running after {timeout} s; stderr: {self.stderr}") from None
        for reader in self._readers:
            reader.join(timeout)
            assert not reader.is_alive(), "the server has ended, but something still holds its output open"
        return status

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Stop it, unless it has ended already, and check that the end was a clean one."""
        self.send_signal(number)
        status = self.exit_status()
        assert status == 0, f"the server ended with status {status}; stderr: {self.stderr}"
        assert TRACEBACK not in self.stderr, self.stderr
        assert self.stdout == "", f"on stdout: {self.stdout[:1000]!r}"

    def kill(self) -> None:
        """End it at once; does nothing to one that has ended."""
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join(1)  # longer only if a child of the server holds the other end

    def _ready(self) -> re.Match[str]:
        ready = READY.search(self.stderr)
        assert ready is not None, f"the server does not listen; stderr: {self.stderr}"
        return ready

    def _wait(self, condition: Callable[[], bool], what: str, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        with self._news:
            while True:
                ended = not any(reader.is_alive() for reader in self._readers)  # before looking, so nothing slips in
                if condition():
                    return
                left = deadline - time.monotonic()
                if ended or left <= 0:
                    why = f"it ended with status {self.process.poll()}" if ended else f"not within {timeout} s"
                    raise WireTimeout(f"waited for {what}: {why}; stderr: {self.stderr}")
                self._news.wait(min(left, 0.2))

    def _text(self, name: str) -> str:
        with self._news:
            return self._written[name].decode("utf-8", "backslashreplace")

    def _read(self, name: str, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                with self._news:
                    self._written[name] += line
                    self._news.notify_all()


@contextmanager
def serving(
    transport: ListeningTransport,
    *options: str,
    before: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> Generator[ServerProcess]:
    """A server that listens, until the block is left.

    Args:
        transport: How it listens.
        options: What follows the transport on the command line; `--port 0` unless a port is among them.
        before: What stands in front of it, `--plugins` for example.
        env: Its environment; by default this process's, without what would configure the server.
    """
    port = () if "--port" in options else ("--port", "0")
    server = ServerProcess([COMMAND, *before, transport, *port, *options], env)
    try:
        server.wait_until_ready()
        yield server
        server.stop()
    finally:
        server.kill()
