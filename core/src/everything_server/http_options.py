"""The options that both HTTP transports have, and what they make: a front door, a listening socket."""

import re
import socket
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

import click

from everything_server.options import collected

if TYPE_CHECKING:
    from everything_server.transports.front_door import FrontDoorRules
    from everything_server.transports.ready_file import ReadyFile
    from everything_server.transports.sse import SseApp
    from everything_server.transports.streamable_http import StreamableHttpApp


@dataclass(frozen=True)
class HttpOptions:
    """What was typed after the command."""

    host: str
    port: int
    allowed_hosts: tuple[str, ...]
    allowed_origins: tuple[str, ...]
    max_body: int
    max_sessions: int
    keep_alive: float
    ready_file: Path | None

    def front_door(self) -> "FrontDoorRules":
        """Who may come in; to listen on every address without saying who ends the command."""
        from everything_server.transports.front_door import LOOPBACK_HOSTS, FrontDoorRules

        host, hosts = self.host, self.allowed_hosts
        if _is_every_address(host) and not hosts:
            raise click.UsageError(
                f"--host {host or chr(34) * 2} listens on every address of this machine; "
                "name the Host headers to answer to with --allowed-host"
            )
        own = f"[{host}]" if ":" in host else host
        return FrontDoorRules((*hosts, own) if own not in LOOPBACK_HOSTS else hosts, self.allowed_origins)

    def serve(self, app: "StreamableHttpApp | SseApp", path: str, *, repeatable: bool = False) -> None:
        """Serve an application until a signal ends it; an address that cannot be had ends the command.

        Args:
            app: The application.
            path: The path of its endpoint, for the announcement.
            repeatable: Whether answers should be the same from run to run.
        """
        from everything_server.transports.listen import ListenError, address_of, bind, serve

        ready_file = None if self.ready_file is None else _ready_file(self.ready_file)
        try:
            listening = bind(self.host, self.port)
        except ListenError as error:
            raise click.ClickException(str(error)) from None
        url = f"http://{address_of(listening)}{path}"
        serve(
            app,
            listening,
            f"everything-server: listening on {url}",
            app.close,
            ready=None if ready_file is None else lambda: ready_file.write(url),
            date_header=not repeatable,
        )


def absolute_path(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """The callback of an option that is the path of an endpoint."""
    if not value.startswith("/"):
        raise click.BadParameter(f"{value!r} does not begin with a slash")
    return value


def _ready_file(path: Path) -> "ReadyFile":
    from everything_server.transports.ready_file import ReadyFile

    try:
        return ReadyFile(path)
    except OSError as error:
        raise click.BadParameter(f"cannot write to it: {error.strerror}", param_hint="--ready-file") from None


def _is_every_address(host: str) -> bool:
    """Whether listening on it means listening on every address, which has more than one spelling."""
    try:
        return ip_address(host or "0.0.0.0").is_unspecified
    except ValueError:
        try:
            return ip_address(socket.inet_aton(host)).is_unspecified  # as the system reads it: 0 is 0.0.0.0
        except OSError:
            return False


def _hosts(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    hosts = _items(values)
    for value in hosts:
        if not re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^\s/:\[\]]+)(:\d{1,5})?", value):
            raise click.BadParameter(f"{value!r} is not in the form of a Host header: name or name:port")
    return hosts


def _origins(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    origins = _items(values)
    for value in origins:
        if value != "*" and not re.fullmatch(r"[a-zA-Z][\w+.-]*://[^\s/?#@]+", value):
            raise click.BadParameter(f"{value!r} is not an origin: scheme://host or scheme://host:port, and no path")
    return tuple(value.lower() for value in origins)  # as browsers send them


def _items(values: tuple[str, ...]) -> tuple[str, ...]:
    """The items of a list that may be repeated, separated by commas, or both; there is no comma in a host or origin."""
    return tuple(stripped for value in values for item in value.split(",") if (stripped := item.strip()))


http_options = collected(
    "http",
    HttpOptions,
    click.option(
        "--host",
        default="127.0.0.1",
        show_default=True,
        envvar="EVERYTHING_SERVER_HOST",
        show_envvar=True,
        help="Address to listen on.",
    ),
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=3001,
        show_default=True,
        envvar="PORT",
        show_envvar=True,
        help="Port to listen on; 0 lets the system choose one.",
    ),
    click.option(
        "--allowed-host",
        "allowed_hosts",
        multiple=True,
        envvar="EVERYTHING_SERVER_ALLOWED_HOSTS",
        callback=_hosts,
        show_envvar=True,
        metavar="HOST",
        help="Host header to answer to, beside loopback names; repeatable.",
    ),
    click.option(
        "--allowed-origin",
        "allowed_origins",
        multiple=True,
        envvar=["EVERYTHING_SERVER_ALLOWED_ORIGINS", "CORS_ORIGIN"],
        callback=_origins,
        show_envvar=True,
        metavar="ORIGIN",
        help="Origin of web pages that may connect, beside loopback ones; * for any; repeatable.",
    ),
    click.option(
        "--max-body",
        type=click.IntRange(min=1),
        default=4 << 20,
        show_default=True,
        metavar="BYTES",
        help="Largest request body.",
    ),
    click.option(
        "--max-sessions", type=click.IntRange(min=1), default=10_000, show_default=True, help="Sessions at a time."
    ),
    click.option(
        "--keep-alive",
        type=click.FloatRange(min=0),
        default=15,
        show_default=True,
        metavar="SECONDS",
        help="Silence after which an open event stream gets a comment; 0 for never.",
    ),
    click.option(
        "--ready-file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write a file once connections are accepted: JSON with url and pid.",
    ),
)
"""Gives a command the options of both HTTP transports as `http`."""
