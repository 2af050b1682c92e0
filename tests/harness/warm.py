"""Console scripts, run in processes that have the slow imports behind them already.

Most of what a short command takes is the import of the SDK. A process that has imported it forks for each command, so
that a test can afford to run many. What is run is what was typed: the script's own function, with its arguments, its
environment, its standard streams and its exit status.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from tempfile import TemporaryFile
from typing import IO, Any, NoReturn, Self

GUARD = 60
"""Seconds after which a command is ended."""


class WarmCommands:
    """Runs commands one after the other, for as long as the block lasts. Their input is empty."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        return self

    def __exit__(self, *failure: object) -> None:
        self._process.communicate()

    def run(
        self, program: str, arguments: Sequence[str], environment: Mapping[str, str], folder: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run one to its end."""
        task = {"program": program, "arguments": arguments, "environment": environment, "folder": folder}
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        done = json.loads(self._process.stdout.readline())
        return subprocess.CompletedProcess([program, *arguments], done["status"], done["stdout"], done["stderr"])


def main() -> None:
    import everything_server.registry
    import everything_server.serving.factory
    import everything_server.transports.stdio  # noqa: F401

    for line in sys.stdin:
        with TemporaryFile("w+", encoding="utf-8") as stdout, TemporaryFile("w+", encoding="utf-8") as stderr:
            child = os.fork()
            if child == 0:
                _run(json.loads(line), stdout, stderr)
            _, status = os.waitpid(child, 0)
            for file in (stdout, stderr):
                file.seek(0)
            done = {"status": os.waitstatus_to_exitcode(status), "stdout": stdout.read(), "stderr": stderr.read()}
            sys.stdout.write(json.dumps(done) + "\n")
            sys.stdout.flush()


def _run(task: dict[str, Any], stdout: IO[str], stderr: IO[str]) -> NoReturn:
    signal.alarm(GUARD)
    for descriptor, file in enumerate((os.open(os.devnull, os.O_RDONLY), stdout.fileno(), stderr.fileno())):
        os.dup2(file, descriptor)
    os.environ.clear()
    os.environ.update(task["environment"])
    os.chdir(task["folder"])
    sys.argv = [task["program"], *task["arguments"]]
    (script,) = entry_points(group="console_scripts", name=task["program"])
    status: Any = 0
    try:
        script.load()()
    except SystemExit as end:
        status = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    if isinstance(status, str):
        sys.stderr.write(f"{status}\n")
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status or 0)


if __name__ == "__main__":
    main()
