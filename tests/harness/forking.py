"""Starts servers in processes of their own without the time that their imports take: forks one that has made them.

    process = start([COMMAND, "stdio"], env=clean_environment())

A fork is a process like any other, with descriptors, an environment, signals and an end of its own; what differs from
the console script is only that Python and the modules were loaded before. Tests of that ask for `fresh=True`, and where
forks are no way to start a process (other systems than Linux, other programs than `COMMAND`), every one is fresh.
"""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

COMMAND: Final = str(Path(sys.executable).with_name("everything-server"))
"""The console script of the environment that the tests run in."""

CAN_FORK: Final = sys.platform == "linux"

MOST: Final = 1 << 17
"""Bytes of the longest order."""

Process = subprocess.Popen[bytes]


def start(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    stdin: int = subprocess.PIPE,
    start_new_session: bool = False,
    fresh: bool = False,
) -> Any:
    """Start a process whose output is piped; gives what `subprocess.Popen` would.

    Args:
        command: The command line.
        env: Its environment.
        stdin: As for `subprocess.Popen`.
        start_new_session: Make it the leader of a session of its own.
        fresh: Load Python and all modules anew.
    """
    if fresh or not CAN_FORK or command[0] != COMMAND:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, stdin=stdin, stdout=pipe, stderr=pipe, env=dict(env), start_new_session=start_new_session
        )
    return _forker().fork(command, env, stdin, start_new_session)


def run(
    command: Sequence[str], *, env: Mapping[str, str], stdin: str = "", timeout: float = 60, fresh: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run a process to its end, like `subprocess.run` with text."""
    with start(command, env=env, fresh=fresh) as process:
        said, complained = process.communicate(stdin.encode(), timeout)
    return subprocess.CompletedProcess(list(command), process.returncode, said.decode(), complained.decode())


class Forked:
    """A process that was forked; what of `subprocess.Popen` the tests use."""

    def __init__(self, command: Sequence[str], pid: int, pipes: Sequence[int | None], status: int) -> None:
        self.args = list(command)
        self.pid = pid
        self.returncode: int | None = None
        stdin, stdout, stderr = pipes
        self.stdin: IO[bytes] | None = None if stdin is None else os.fdopen(stdin, "wb")
        self.stdout: IO[bytes] = os.fdopen(stdout or 0, "rb")
        self.stderr: IO[bytes] = os.fdopen(stderr or 0, "rb")
        self._status = os.fdopen(status, "rb", buffering=0)
        self._asking = threading.Lock()

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *failure: object) -> None:
        for stream in (self.stdout, self.stderr, self.stdin):
            if stream is not None:
                stream.close()
        self.wait()

    def poll(self) -> int | None:
        """The exit status, if it has ended."""
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end, and give the exit status."""
        status = self._look(timeout)
        if status is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.args, timeout)
        return status

    def communicate(self, stdin: bytes, timeout: float) -> tuple[bytes, bytes]:
        """Write all of its input, and read all of its output."""
        assert self.stdin is not None
        said: dict[IO[bytes], bytes] = {}
        readers = [
            threading.Thread(target=lambda stream=stream: said.update({stream: stream.read()}), daemon=True)
            for stream in (self.stdout, self.stderr)
        ]
        for reader in readers:
            reader.start()
        try:
            self.stdin.write(stdin)
            self.stdin.close()
        except BrokenPipeError:
            self.stdin = None  # it has ended without reading
        deadline = time.monotonic() + timeout
        for reader in readers:
            reader.join(max(0, deadline - time.monotonic()))
        self.wait(max(0, deadline - time.monotonic()))
        return said[self.stdout], said[self.stderr]

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def _look(self, timeout: float | None) -> int | None:
        with self._asking:
            if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
                self.returncode = int(self._status.read() or b"-9")
                self._status.close()
            return self.returncode


class Forker:
    """The process that has made the imports, and forks."""

    def __init__(self) -> None:
        self._control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("EVERYTHING_", "PYTHON"))}
        with other:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(other.fileno())],
                pass_fds=[other.fileno()],
                env=kept,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self._ordering = threading.Lock()
        atexit.register(self.close)

    def fork(self, command: Sequence[str], env: Mapping[str, str], stdin: int, start_new_session: bool) -> Forked:
        """Have it fork a process that runs a command line of the console script."""
        ours: list[int | None] = []
        theirs: list[int] = []
        opened: list[int] = []
        for number in range(4):
            if number == 0 and stdin != subprocess.PIPE:
                given = os.open(os.devnull, os.O_RDONLY) if stdin == subprocess.DEVNULL else os.dup(stdin)
                ours.append(None)
                theirs.append(given)
            else:
                read, write = os.pipe()
                ours.append(write if number == 0 else read)
                theirs.append(read if number == 0 else write)
        opened += theirs
        order = {"argv": list(command), "env": dict(env), "cwd": str(Path.cwd()), "leads": start_new_session}
        try:
            with self._ordering:
                socket.send_fds(self._control, [json.dumps(order).encode()], theirs)
                pid = int(self._control.recv(64))
        finally:
            for descriptor in opened:
                os.close(descriptor)
        assert ours[3] is not None
        return Forked(command, pid, ours[:3], ours[3])

    def close(self) -> None:
        """End it; what it has forked goes on."""
        self._control.close()
        self._process.wait(10)


_THE_FORKER: list[Forker] = []
_MAKING: Final = threading.Lock()


def _forker() -> Forker:
    """One for this process, made when it is first needed."""
    with _MAKING:
        if not _THE_FORKER:
            _THE_FORKER.append(Forker())
        return _THE_FORKER[0]


# ---------------------------------------------------------------- in the process that forks


def _serve(control: socket.socket) -> dict[str, Any]:
    """Take orders and tell exit statuses until nobody orders any more; returns in each fork, with its order."""
    statuses: dict[int, int] = {}
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        ready, _, _ = select.select([control, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            _tell(statuses)
        if control in ready:
            data, descriptors, *_ = socket.recv_fds(control, MOST, 4)
            if not data:
                os._exit(0)
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                for descriptor in (woken, wake, control.detach(), descriptors.pop(), *statuses.values()):
                    os.close(descriptor)
                return {**json.loads(data), "descriptors": descriptors}
            statuses[pid] = descriptors.pop()
            for descriptor in descriptors:
                os.close(descriptor)
            control.send(str(pid).encode())


def _tell(statuses: dict[int, int]) -> None:
    """Write the exit status of each process that has ended where it is waited for."""
    while statuses:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        descriptor = statuses.pop(pid)
        os.write(descriptor, str(os.waitstatus_to_exitcode(status)).encode())
        os.close(descriptor)


def _become(order: dict[str, Any]) -> None:
    """Be the process that was ordered."""
    for target, descriptor in enumerate(order["descriptors"]):
        os.dup2(descriptor, target)
        os.close(descriptor)
    if order["leads"]:
        os.setsid()
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    paths = order["env"].get("PYTHONPATH", "")
    sys.path[0:1] = [str(Path(COMMAND).parent), *filter(None, paths.split(os.pathsep))]
    sys.argv = order["argv"]


def _load() -> Any:
    """Import what servers import; gives what the console script calls."""
    import everything_server.transports.sse
    import everything_server.transports.stdio
    import everything_server.transports.streamable_http  # noqa: F401
    from everything_server.cli import main
    from everything_server.discovery import discover

    for candidate in discover():
        if candidate.distribution.startswith("everything-server-"):
            candidate.entry_point.load()
    return main


if __name__ == "__main__":
    script = sys.path.pop(0)  # the folder of this file, whose modules nobody should find
    sys.path.insert(0, "")
    main = _load()
    _become(_serve(socket.socket(fileno=int(sys.argv[1]))))
    sys.exit(main())
