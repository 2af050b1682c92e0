"""The command line: parses, calls, prints."""

import gc
import json
import logging
import os
import re
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

import click

from everything_server.version import __version__

if TYPE_CHECKING:
    from mcp.server.request_state import RequestStateSecurity

    from everything_server.eras import Era
    from everything_server.manager import Outcome, PluginManager
    from everything_server.registry import Registries
    from everything_server.serving.factory import ServerFactory
    from everything_server.transports.front_door import FrontDoorRules
    from everything_server.transports.sse import SseApp
    from everything_server.transports.streamable_http import LegacyPosture, StreamableHttpApp


@dataclass(frozen=True)
class Options:
    """What was typed before the command."""

    plugins: tuple[str, ...]
    disable: tuple[str, ...]
    strict: bool
    era: str
    page_size: int | None
    state_keys: tuple[str, ...]
    verbose: int

    def manager(self) -> "PluginManager":
        """A manager with the plugins loaded that these options ask for."""
        from everything_server.manager import PluginManager

        manager = PluginManager(self.plugins or None, self.disable, strict=self.strict)
        manager.load()
        return manager

    def registries(self) -> "Registries":
        """The registries of those plugins; a plugin asked for by name that cannot be used ends the command."""
        from everything_server.eras import Era
        from everything_server.errors import PluginError
        from everything_server.registry import Registries

        try:
            registries = Registries(self.manager())
            registries.manager.check()
            if registries.manager.anything_by_name:
                for era in Era:  # else each is compiled when a client opens it
                    registries(era)
        except PluginError as error:
            raise click.UsageError(str(error)) from None
        return registries

    def factory(self) -> "ServerFactory":
        """What makes the servers of this process."""
        with _collector_off():
            from everything_server.server import Settings
            from everything_server.serving.factory import ServerFactory

            settings = Settings(page_size=self.page_size, eras=self.eras)
            if self.state_keys:
                settings = replace(settings, request_state=self._request_state())
            return ServerFactory(self.registries(), settings)

    def _request_state(self) -> "RequestStateSecurity":
        from mcp.server.request_state import RequestStateSecurity

        try:
            return RequestStateSecurity(keys=self.state_keys)
        except ValueError:  # whose message would tell which key it was
            raise click.UsageError(
                "--state-key: a key must have at least 32 bytes; "
                'python -c "import secrets; print(secrets.token_hex(32))" makes one'
            ) from None

    @property
    def eras(self) -> "frozenset[Era]":
        """The eras to serve."""
        from everything_server.eras import BOTH_ERAS, Era

        return BOTH_ERAS if self.era == "dual" else frozenset({Era(self.era)})


@contextmanager
def _collector_off() -> Generator[None]:
    """Imports make a hundred thousand objects that stay; looking through them for garbage takes a tenth of start-up."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # nor are they garbage later
        gc.enable()


class _Group(click.Group):
    """Knows the TypeScript server's name of a transport as well."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, {"streamableHttp": "streamable-http"}.get(cmd_name, cmd_name))


@click.group(
    cls=_Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--plugins",
    multiple=True,
    envvar="EVERYTHING_SERVER_PLUGINS",
    show_envvar=True,
    metavar="LIST",
    help="Plugins to use: groups, names, globs or feature names, separated by commas; repeatable.  "
    "[default: all but the opt-in ones]",
)
@click.option(
    "--disable",
    multiple=True,
    envvar="EVERYTHING_SERVER_DISABLE",
    show_envvar=True,
    metavar="LIST",
    help="Plugins to leave out; wins over --plugins.",
)
@click.option(
    "--strict",
    is_flag=True,
    envvar="EVERYTHING_SERVER_STRICT",
    show_envvar=True,
    help="Refuse to start unless every selected plugin is active.",
)
@click.option(
    "--era",
    type=click.Choice(["dual", "legacy", "modern"]),
    default="dual",
    show_default=True,
    envvar="EVERYTHING_SERVER_ERA",
    show_envvar=True,
    help="Protocol revisions to serve: both eras, those with a handshake only, or 2026-07-28 only.",
)
@click.option(
    "--page-size",
    type=click.IntRange(min=1),
    envvar="EVERYTHING_SERVER_PAGE_SIZE",
    show_envvar=True,
    metavar="N",
    help="Entries on a page of a list.  [default: no limit]",
)
@click.option(
    "--state-key",
    "state_keys",
    multiple=True,
    envvar="EVERYTHING_SERVER_STATE_KEY",
    show_envvar=True,
    metavar="KEY",
    help="Secret that seals requestState, so that several processes can continue each other's calls; better given in "
    "the environment, where no list of processes shows it. Repeatable: the first seals, all open.  "
    "[default: one made at start-up]",
)
@click.option("-v", "--verbose", count=True, help="Log more on stderr: -v information, -vv everything.")
@click.version_option(__version__, prog_name="everything-server")
@click.pass_context
def cli(
    context: click.Context,
    plugins: tuple[str, ...],
    disable: tuple[str, ...],
    strict: bool,
    era: str,
    page_size: int | None,
    state_keys: tuple[str, ...],
    verbose: int,
) -> None:
    """An MCP server that exercises every feature of the protocol, to test clients against.

    Without a command it serves on stdin and stdout.
    """
    context.obj = Options(plugins, disable, strict, era, page_size, state_keys, verbose)
    if context.invoked_subcommand is None:
        context.invoke(stdio)


@cli.command()
@click.pass_obj
def stdio(options: Options) -> None:
    """Serve one client on stdin and stdout (the default)."""
    from everything_server.standard_streams import claim_standard_streams

    _exit_quietly_until_serving()
    with ExitStack() as stack:
        try:
            wire = stack.enter_context(claim_standard_streams())  # before any plugin is imported, which may print
        except OSError as error:
            raise click.ClickException(f"stdin and stdout must be open to serve on them: {error.strerror}") from None
        _log_to_stderr(options.verbose)
        factory = options.factory()

        from everything_server.transports.stdio import run_stdio

        run_stdio(factory, wire, options.eras)


def _hosts(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if not re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^\s/:\[\]]+)(:\d{1,5})?", value):
            raise click.BadParameter(f"{value!r} is not in the form of a Host header: name or name:port")
    return values


def _origins(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if value != "*" and not re.fullmatch(r"[a-zA-Z][\w+.-]*://[^\s/?#@]+", value):
            raise click.BadParameter(f"{value!r} is not an origin: scheme://host or scheme://host:port, and no path")
    return tuple(value.lower() for value in values)  # as browsers send them


def _http_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that both HTTP transports have."""
    options = [
        click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on."),
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
            envvar="EVERYTHING_SERVER_ALLOWED_ORIGINS",
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
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _absolute_path(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if not value.startswith("/"):
        raise click.BadParameter(f"{value!r} does not begin with a slash")
    return value


@cli.command("streamable-http")
@_http_options
@click.option("--path", default="/mcp", show_default=True, callback=_absolute_path, help="Path of the endpoint.")
@click.option(
    "--legacy",
    type=click.Choice(["sessions", "stateless", "reject"]),
    default="sessions",
    show_default=True,
    help="How clients of the legacy era are served: with sessions, without, or not at all.",
)
@click.option(
    "--session-idle",
    type=click.FloatRange(min=0, min_open=True),
    default=1800,
    show_default=True,
    metavar="SECONDS",
    help="Time after which an unused session ends.",
)
@click.pass_obj
def streamable_http(
    options: Options,
    host: str,
    port: int,
    allowed_hosts: tuple[str, ...],
    allowed_origins: tuple[str, ...],
    max_body: int,
    max_sessions: int,
    keep_alive: float,
    path: str,
    legacy: "LegacyPosture",
    session_idle: float,
) -> None:
    """Serve both eras over Streamable HTTP at one endpoint."""
    _exit_quietly_until_serving()
    _log_to_stderr(options.verbose)
    from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp

    settings = HttpSettings(
        path=path,
        eras=options.eras,
        legacy=legacy,
        session_idle=session_idle,
        max_sessions=max_sessions,
        max_body=max_body,
        keep_alive=keep_alive,
        front_door=_front_door(host, allowed_hosts, allowed_origins),
    )
    _listen(StreamableHttpApp(options.factory(), settings), host, port, path)


@cli.command()
@_http_options
@click.option("--path", default="/sse", show_default=True, callback=_absolute_path, help="Path of the event stream.")
@click.option(
    "--message-path",
    default="/message",
    show_default=True,
    callback=_absolute_path,
    help="Path that messages are posted to.",
)
@click.pass_obj
def sse(
    options: Options,
    host: str,
    port: int,
    allowed_hosts: tuple[str, ...],
    allowed_origins: tuple[str, ...],
    max_body: int,
    max_sessions: int,
    keep_alive: float,
    path: str,
    message_path: str,
) -> None:
    """Serve the legacy era over HTTP+SSE (deprecated: use streamable-http)."""
    _exit_quietly_until_serving()
    _log_to_stderr(options.verbose)
    if options.era == "modern":
        raise click.UsageError("the sse transport exists in the legacy era only: leave out --era modern")
    from everything_server.transports.sse import SseApp, SseSettings

    click.echo("warning: HTTP+SSE is deprecated since revision 2025-03-26; prefer streamable-http", err=True)
    settings = SseSettings(
        path=path,
        message_path=message_path,
        max_body=max_body,
        max_sessions=max_sessions,
        keep_alive=keep_alive,
        front_door=_front_door(host, allowed_hosts, allowed_origins),
    )
    _listen(SseApp(options.factory(), settings), host, port, path)


@cli.command("plugins")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array instead of a table.")
@click.pass_obj
def list_plugins(options: Options, as_json: bool) -> None:
    """List every installed plugin and what became of it; with --strict, exit with 1 if any failed."""
    from everything_server.eras import Era
    from everything_server.registry import Registries
    from everything_server.standard_streams import claim_standard_streams, fill_stdin

    fill_stdin()
    with claim_standard_streams():
        _log_to_stderr(options.verbose, quiet=True)
        registries = Registries(options.manager())
        for era in Era:
            registries.build(era)
        rows = [_row(outcome, registries) for outcome in registries.manager.outcomes]
    click.echo(json.dumps(rows, indent=2) if as_json else _table(rows))
    if options.strict and any(outcome.status.is_failure for outcome in registries.manager.outcomes):
        raise SystemExit(1)


def main() -> None:
    """The console script `everything-server`."""
    cli(prog_name="everything-server")


def _front_door(host: str, hosts: tuple[str, ...], origins: tuple[str, ...]) -> "FrontDoorRules":
    from everything_server.transports.front_door import LOOPBACK_HOSTS, FrontDoorRules

    if _is_every_address(host) and not hosts:
        raise click.UsageError(
            f"--host {host or chr(34) * 2} listens on every address of this machine; "
            "name the Host headers to answer to with --allowed-host"
        )
    own = f"[{host}]" if ":" in host else host
    return FrontDoorRules((*hosts, own) if own not in LOOPBACK_HOSTS else hosts, origins)


def _is_every_address(host: str) -> bool:
    """Whether listening on it means listening on every address, which has more than one spelling."""
    import socket
    from ipaddress import ip_address

    try:
        return ip_address(host or "0.0.0.0").is_unspecified
    except ValueError:
        try:
            return ip_address(socket.inet_aton(host)).is_unspecified  # as the system reads it: 0 is 0.0.0.0
        except OSError:
            return False


def _listen(app: "StreamableHttpApp | SseApp", host: str, port: int, path: str) -> None:
    from everything_server.transports.listen import ListenError, address_of, bind, serve

    try:
        listening = bind(host, port)
    except ListenError as error:
        raise click.ClickException(str(error)) from None
    serve(app, listening, f"everything-server: listening on http://{address_of(listening)}{path}", app.close)


def _row(outcome: "Outcome", registries: "Registries") -> dict[str, Any]:
    plugin = next((plugin for plugin in registries.manager.plugins if plugin.candidate is outcome.candidate), None)
    candidate = outcome.candidate
    return {
        "name": outcome.name,
        "status": str(outcome.status),
        "eras": [str(era) for era in plugin.eras] if plugin else [],
        "distribution": candidate.distribution if candidate else None,
        "version": candidate.version if candidate else None,
        "provides": registries.provisions(plugin) if plugin else [],
        "reason": outcome.reason or None,
    }


def _table(rows: list[dict[str, Any]]) -> str:
    cells = [("NAME", "STATUS", "ERAS", "DISTRIBUTION", "PROVIDES / REASON")]
    for row in rows:
        owner = f"{row['distribution']} {row['version']}" if row["distribution"] else "-"
        details = row["reason"] or ", ".join(row["provides"])
        cells.append((row["name"], row["status"], ",".join(row["eras"]) or "-", owner, details))
    widths = [max(len(cell[column]) for cell in cells) for column in range(4)]
    lines = (
        "  ".join((*(text.ljust(width) for text, width in zip(cell, widths, strict=False)), cell[4])) for cell in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def _log_to_stderr(verbosity: int, *, quiet: bool = False) -> None:
    level = logging.CRITICAL if quiet else (logging.WARNING, logging.INFO, logging.DEBUG)[min(verbosity, 2)]
    logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(name)s: %(message)s", force=True)


def _exit_quietly_until_serving() -> None:
    """Imports take most of a second; a signal in that time ends the process as it would later, without a traceback."""

    def leave(number: int, frame: object) -> NoReturn:
        os._exit(0)  # no exception: a plugin's import may be running, and whoever imports it would catch one

    handler: Callable[[int, object], NoReturn] = leave
    signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGTERM, handler)


if __name__ == "__main__":
    main()
