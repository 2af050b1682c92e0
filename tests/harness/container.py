"""The container without an engine: what its file says, and its command run as process 1 of a PID namespace.

with container("stdio") as process:
    ...  # process.pid is that of the container's process 1, as seen from here
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Final

from harness.wire import END_GUARD, clean_environment

FILE: Final = Path(__file__).parents[2] / "Containerfile"


@dataclass(frozen=True)
class Image:
    """What an engine would start, in the stage that is left in the end."""

    instructions: tuple[tuple[str, str], ...]
    """All instructions and their arguments, of all stages."""

    def last(self, name: str) -> str:
        """The arguments of the last instruction of a name."""
        return [arguments for instruction, arguments in self.instructions if instruction == name][-1]

    @property
    def entrypoint(self) -> list[str]:
        """The command of every container: in exec form, or the JSON cannot be read."""
        return json.loads(self.last("ENTRYPOINT"))

    @property
    def default_arguments(self) -> list[str]:
        """What follows it unless something else is typed."""
        return json.loads(self.last("CMD"))

    @property
    def variables(self) -> dict[str, str]:
        """The environment that the image sets, but for the path to its programs."""
        return {name: value for name, value in re.findall(r'(\w+)="([^"]*)"', self.last("ENV")) if name != "PATH"}


@cache
def image() -> Image:
    """The image of this repository."""
    text = re.sub(r"^\s*#.*\n", "", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return Image(tuple((line.partition(" ")[0], line.partition(" ")[2]) for line in lines))


class ProcessOne:
    """A container's process 1.

    Where the machine lets nobody make PID namespaces, it is an ordinary process, started in the same way.
    """

    def __init__(self, outer: "subprocess.Popen[bytes]", isolated: bool) -> None:
        self.outer = outer
        self._isolated = isolated

    @property
    def pid(self) -> int:
        """Its id outside of the container."""
        if not self._isolated:
            return self.outer.pid
        # `unshare` has forked once, for the first process of the new namespace.
        (child,) = Path(f"/proc/{self.outer.pid}/task/{self.outer.pid}/children").read_text().split()
        return int(child)

    @property
    def inner_pid(self) -> int:
        """Its id in the innermost namespace: 1, where there is one."""
        (ids,) = re.findall(r"^NSpid:(.*)$", Path(f"/proc/{self.pid}/status").read_text(), re.MULTILINE)
        return int(ids.split()[-1]) if self._isolated else 1

    @property
    def program(self) -> str:
        """The file that it executes."""
        return str(Path(f"/proc/{self.pid}/exe").readlink())

    @property
    def stdin(self) -> IO[bytes]:
        """Its input."""
        assert self.outer.stdin is not None
        return self.outer.stdin

    @property
    def stdout(self) -> IO[bytes]:
        """Its output."""
        assert self.outer.stdout is not None
        return self.outer.stdout

    @property
    def stderr(self) -> IO[bytes]:
        """Its log."""
        assert self.outer.stderr is not None
        return self.outer.stderr

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Do what an engine does to stop a container."""
        os.kill(self.pid, number)

    def status(self) -> int:
        """Wait for its end; an engine waits ten seconds and then kills."""
        return self.outer.wait(END_GUARD)


@contextmanager
def container(*arguments: str, variables: Mapping[str, str] | None = None) -> Generator[ProcessOne]:
    """Run a container until the block is left.

    Args:
        arguments: What is typed behind the image; nothing for its default.
        variables: What is set with `--env`.
    """
    here = clean_environment(**{**image().variables, **(variables or {})})
    here["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), here.get("PATH", "")])
    command = [*image().entrypoint, *(arguments or image().default_arguments)]
    outer = subprocess.Popen(
        [*namespace(), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=here,
        bufsize=0,
    )
    with outer:
        try:
            yield ProcessOne(outer, isolated=bool(namespace()))
        finally:
            outer.kill()


@cache
def namespace() -> Sequence[str]:
    """What comes before a command that is to be process 1: nothing, where that cannot be had."""
    for flags in (("-fp",), ("-Urfp",)):
        command = ("unshare", *flags, "--mount-proc", "--kill-child")
        if (
            shutil.which("unshare")
            and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
        ):
            return command
    return ()
