"""Puts this server into the tests of a client: `docs/testing-your-client.md` shows how.

Names are loaded when first used, so that whoever has this installed and does not use it pays nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from everything_server.serving.received import Received as Received
    from everything_server.testing.clock import FakeClock as FakeClock
    from everything_server.testing.clock import InstantClock as InstantClock
    from everything_server.testing.options import ServerOptions as ServerOptions
    from everything_server.testing.recording import Recording as Recording
    from everything_server.testing.running import RunningServer as RunningServer
    from everything_server.testing.running import running_server as running_server

_MODULE_OF = {
    "FakeClock": "testing.clock",
    "InstantClock": "testing.clock",
    "Received": "serving.received",
    "Recording": "testing.recording",
    "RunningServer": "testing.running",
    "ServerOptions": "testing.options",
    "running_server": "testing.running",
}

__all__ = sorted(_MODULE_OF)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"everything_server.{module}"), name)
    globals()[name] = value
    return value
