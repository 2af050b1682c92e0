"""The options that both HTTP transports have, and what they make: a front door, a listening socket."""

import re
import socket
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

import click

from everything_server.options import collected

if TYPE_CHECKING:
    from everything_server.transports.front_door import FrontDoorRules
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

    def serve(self, app: "StreamableHttpApp | SseApp", path: str) -> None:
        """Serve an application until a signal ends it; an address that cannot be had ends the command.

        Args:
            app: The application.
            path: The path of its endpoint, for the announcement.
        """
        from everything_server.transports.listen import ListenError, address_of, bind, serve

        try:
            listening = bind(self.host, self.port)
        except ListenError as error:
            raise click.ClickException(str(error)) from None
        serve(app, listening, f"everything-server: listening on http://{address_of(listening)}{path}", app.close)


def absolute_path(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """The callback of an option that is the path of an endpoint."""
    if not value.startswith("/"):
        raise click.BadParameter(f"{value!r} does not begin with a slash")
    return value


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
)
"""Gives a command the options of both HTTP transports as `http`."""
