"""Makes the servers that run in the process of the test."""

from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from everything_server.clock import SteppingClock, SystemClock
from everything_server.eras import Era
from everything_server.manager import PluginManager
from everything_server.registry import Registries
from everything_server.serving.factory import ServerFactory
from everything_server.serving.received import Observe
from everything_server.settings import Settings
from everything_server.testing.clock import FakeClock, InstantClock
from everything_server.testing.options import ServerOptions
from everything_server.transports.recording import both, stepping_with

SSE_PATH: Final = "/sse"
MCP_PATH: Final = "/mcp"
OWN_PATHS: Final = {"sse": (SSE_PATH, "/message", "/"), "streamable-http": (MCP_PATH, "/")}
"""What a transport serves itself, so that no plugin can have it."""


class Making:
    """One server to be, and what it is made of.

    Args:
        options: What is asked for.
        eras: What is served.
        received: Told of what arrives.

    Raises:
        PluginError: A plugin is asked for by name that there is not, or that cannot be used.
    """

    def __init__(self, options: ServerOptions, eras: frozenset[Era], received: Observe) -> None:
        self.clock = _clock(options)
        self._options = options
        self._eras = eras
        self._registries = _registries(options.plugins, options.disable, OWN_PATHS.get(options.transport, ()))
        self._settings = self._decide()
        self._observe = received
        stepping = self._settings.clock
        if isinstance(stepping, SteppingClock):
            self._observe = both(stepping_with(stepping), received)
        self._factory = ServerFactory(self._registries, self._settings)

    def memory_transport(self) -> Any:
        """A transport of the SDK's client, to this server."""
        from everything_server.testing.memory import memory_transport

        return memory_transport(self._factory, self._eras, self._observe)

    @contextmanager
    def listening(self) -> Generator[str]:
        """Serve until the block is left, and give the URL."""
        from everything_server.testing.threads import listening

        path = SSE_PATH if self._options.transport == "sse" else MCP_PATH
        app = self._sse() if self._options.transport == "sse" else self._streamable_http()
        with listening(app, date_header=self._options.seed is None) as address:
            yield address + path

    def _sse(self) -> Any:
        from everything_server.transports.site import SiteContent
        from everything_server.transports.sse import SseApp, SseSettings

        settings = SseSettings(
            path=SSE_PATH,
            site=SiteContent(self._registries.routes, self._registries),
            randomness=self._settings.randomness,
            observe=self._observe,
        )
        return SseApp(self._factory, settings)

    def _streamable_http(self) -> Any:
        from everything_server.transports.site import SiteContent
        from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp

        settings = HttpSettings(
            path=MCP_PATH,
            eras=self._eras,
            session_idle=self._options.session_idle,
            clock=SystemClock() if self.clock is None else self.clock.background,
            site=SiteContent(self._registries.routes, self._registries),
            randomness=self._settings.randomness,
            observe=self._observe,
        )
        return StreamableHttpApp(self._factory, settings)

    def _decide(self) -> Settings:
        others: dict[str, Any] = {"page_size": self._options.page_size, "eras": self._eras}
        if self._options.seed is not None:
            return Settings.repeatable(self._options.seed, self.clock, **others)
        return Settings(**others) if self.clock is None else Settings(clock=self.clock, **others)


@cache
def _registries(plugins: str | None, disable: str, own_paths: tuple[str, ...]) -> Registries:
    """Compiled once for all servers of the process; nothing that belongs to one of them is in there."""
    manager = PluginManager(None if plugins is None else [plugins], [disable])
    manager.load()
    manager.check()
    registries = Registries(manager, own_paths)
    for era in Era:
        registries(era)  # now, as servers in several threads may ask for them later
    return registries


def _clock(options: ServerOptions) -> FakeClock | None:
    match options.clock:
        case "fake":
            return FakeClock()
        case "instant":
            return InstantClock()
        case clock:
            return clock
