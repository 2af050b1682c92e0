"""A server for a test: in memory, as a command to start, or listening."""

import os
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from mcp.client import Client

from everything_server.eras import BOTH_ERAS, Era
from everything_server.testing.clock import FakeClock
from everything_server.testing.options import ServerOptions
from everything_server.testing.recording import PipeRecording, Recording


@dataclass(frozen=True, kw_only=True)
class RunningServer:
    """A server that a client can be connected to. Made by `running_server`."""

    options: ServerOptions
    """What it was asked to be."""
    received: Recording
    """What has arrived, of all its clients."""
    client_transport: Callable[[], Any]
    """Makes what an SDK `Client` is made with, for one connection: a transport, or a URL."""
    _url: str | None = None
    _command: list[str] | None = None
    _clock: FakeClock | None = None

    @property
    def transport(self) -> str:
        """`memory`, `stdio`, `sse` or `streamable-http`."""
        return self.options.transport

    @property
    def eras(self) -> frozenset[Era]:
        """The eras that it serves."""
        return eras_of(self.options)

    @property
    def url(self) -> str:
        """Where it listens, over SSE and Streamable HTTP.

        Raises:
            AttributeError: It does not listen.
        """
        if self._url is None:
            raise AttributeError(f"over {self.transport} there is no url; transport='streamable-http' has one")
        return self._url

    @property
    def command(self) -> list[str]:
        """What starts it, over stdio: a program and its arguments.

        Raises:
            AttributeError: It is not its client that starts it.
        """
        if self._command is None:
            raise AttributeError(f"over {self.transport} there is no command; transport='stdio' has one")
        return list(self._command)

    @property
    def environment(self) -> dict[str, str]:
        """For whoever starts the command: this process's environment without what would configure the server."""
        return clean_environment()

    @property
    def clock(self) -> FakeClock:
        """The clock that it was given.

        Raises:
            AttributeError: It was given none, and goes by real time.
        """
        if self._clock is None:
            raise AttributeError("this server goes by real time; give it a clock with clock='fake'")
        return self._clock

    def client(self, **options: Any) -> Client:
        """The SDK's client for this server, in its era, not yet connected: `async with server.client() as client: …`.

        Args:
            options: Of `mcp.client.Client`: callbacks, client info and the like.
        """
        both = "auto" if Era.MODERN in self.eras else "legacy"
        options.setdefault("mode", both if Era.LEGACY in self.eras else "2026-07-28")
        return Client(self.client_transport(), **options)


@contextmanager
def running_server(**options: Any) -> Generator[RunningServer]:
    """A server until the block is left, whatever happens in it; for any test framework, `async` or not.

    Over stdio it is the client under test that starts the server, and ends it.

    Args:
        options: See `ServerOptions`.

    Raises:
        ValueError: An option is not known, or cannot be had together with another one.
        PluginError: A plugin is asked for by name that there is not, or that cannot be used.
    """
    wanted = ServerOptions.of(options)
    with ExitStack() as stack:
        yield _started_by_client(wanted, stack) if wanted.transport == "stdio" else _started_here(wanted, stack)


def eras_of(options: ServerOptions) -> frozenset[Era]:
    """The eras that are served with these options."""
    served = BOTH_ERAS if options.era == "dual" else frozenset({Era(options.era)})
    return frozenset({Era.LEGACY}) if options.transport == "sse" else served


def clean_environment() -> dict[str, str]:
    """This process's environment without what would configure a server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("EVERYTHING_SERVER_")}


def _started_by_client(options: ServerOptions, stack: ExitStack) -> RunningServer:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="everything-server-")))
    received = PipeRecording(folder / "received")
    stack.callback(received.close)
    command = _command(options, received.path)

    def client_transport() -> Any:
        from mcp.client.stdio import StdioServerParameters, stdio_client

        return stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=clean_environment()))

    return RunningServer(options=options, received=received, client_transport=client_transport, _command=command)


def _command(options: ServerOptions, record: Path) -> list[str]:
    command = [sys.executable, "-P", "-m", "everything_server", "--era", options.era, "--record", str(record)]
    for name in ("plugins", "disable", "page_size", "seed"):
        value = getattr(options, name)
        if value not in (None, ""):
            command += [f"--{name.replace('_', '-')}", str(value)]
    return [*command, "stdio"]


def _started_here(options: ServerOptions, stack: ExitStack) -> RunningServer:
    from everything_server.testing.making import Making

    received = Recording()
    making = Making(options, eras_of(options), received)
    url: str | None = None
    if options.transport == "memory":
        client_transport = making.memory_transport
    else:
        url = stack.enter_context(making.listening())
        client_transport = _sse_transport(url) if options.transport == "sse" else lambda: url
    return RunningServer(
        options=options, received=received, client_transport=client_transport, _url=url, _clock=making.clock
    )


def _sse_transport(url: str) -> Callable[[], Any]:
    def client_transport() -> Any:
        from mcp.client.sse import sse_client

        return cast("Any", sse_client(url))

    return client_transport
