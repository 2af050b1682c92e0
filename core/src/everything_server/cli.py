"""The command line: parses, calls, prints."""

import json
import logging
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from everything_server.http_options import HttpOptions, absolute_path, http_options
from everything_server.options import Options, general_options
from everything_server.version import __version__

if TYPE_CHECKING:
    from everything_server.manager import Outcome
    from everything_server.registry import Registries
    from everything_server.transports.streamable_http import LegacyPosture


class _Group(click.Group):
    """Knows the TypeScript server's name of a transport as well."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, {"streamableHttp": "streamable-http"}.get(cmd_name, cmd_name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was typed; of one that there is not, say which ones there are."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            ctx.fail(f"No such command {name!r}; the commands are {', '.join(self.list_commands(ctx))}.")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@general_options
@click.version_option(__version__, prog_name="everything-server")
@click.pass_context
def cli(context: click.Context, options: Options) -> None:
    """An MCP server that exercises every feature of the protocol, to test clients against.

    Without a command it serves on stdin and stdout.
    """
    context.obj = options
    if context.invoked_subcommand is None:
        context.invoke(stdio)


@cli.command()
@click.pass_obj
def stdio(options: Options) -> None:
    """Serve one client on stdin and stdout (the default)."""
    from everything_server.standard_streams import claim_standard_streams

    with ExitStack() as stack:
        try:
            wire = stack.enter_context(claim_standard_streams())  # before any plugin is imported, which may print
        except OSError as error:
            raise click.ClickException(f"stdin and stdout must be open to serve on them: {error.strerror}") from None
        _log_to_stderr(options.verbose)
        factory = options.factory()

        from everything_server.transports.stdio import run_stdio

        run_stdio(factory, wire, options.eras, options.observe)


@cli.command("streamable-http")
@http_options
@click.option("--path", default="/mcp", show_default=True, callback=absolute_path, help="Path of the endpoint.")
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
    options: Options, http: HttpOptions, path: str, legacy: "LegacyPosture", session_idle: float
) -> None:
    """Serve both eras over Streamable HTTP at one endpoint."""
    _log_to_stderr(options.verbose)
    if options.era == "legacy" and legacy == "reject":
        raise click.UsageError("--era legacy and --legacy reject leave nothing to serve: leave out one of them")
    from everything_server.transports.site import INDEX_PATH, SiteContent
    from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp

    registries = options.registries(own_paths=(path, INDEX_PATH))
    settings = HttpSettings(
        path=path,
        eras=options.eras,
        legacy=legacy,
        session_idle=session_idle,
        max_sessions=http.max_sessions,
        max_body=http.max_body,
        keep_alive=http.keep_alive,
        front_door=http.front_door(),
        site=SiteContent(registries.routes, registries),
        randomness=options.settings.randomness,
        observe=options.observe,
    )
    http.serve(StreamableHttpApp(options.factory(registries), settings), path, repeatable=options.seed is not None)


@cli.command()
@http_options
@click.option("--path", default="/sse", show_default=True, callback=absolute_path, help="Path of the event stream.")
@click.option(
    "--message-path",
    default="/message",
    show_default=True,
    callback=absolute_path,
    help="Path that messages are posted to.",
)
@click.option(
    "--handshake",
    type=click.Choice(["optional", "required"]),
    default="optional",
    show_default=True,
    help="Whether calls are served that come before initialize, as a person with curl sends them.",
)
@click.pass_obj
def sse(
    options: Options, http: HttpOptions, path: str, message_path: str, handshake: "Literal['optional', 'required']"
) -> None:
    """Serve the legacy era over HTTP+SSE (deprecated: use streamable-http)."""
    _log_to_stderr(options.verbose)
    if options.era == "modern":
        raise click.UsageError("the sse transport exists in the legacy era only: leave out --era modern")
    if path == message_path:
        raise click.UsageError(f"--path and --message-path are both {path}: the stream and the messages need one each")
    from everything_server.transports.site import INDEX_PATH, SiteContent
    from everything_server.transports.sse import SseApp, SseSettings

    registries = options.registries(own_paths=(path, message_path, INDEX_PATH))
    click.echo("warning: HTTP+SSE is deprecated since revision 2025-03-26; prefer streamable-http", err=True)
    settings = SseSettings(
        path=path,
        message_path=message_path,
        handshake=handshake,
        max_body=http.max_body,
        max_sessions=http.max_sessions,
        keep_alive=http.keep_alive,
        front_door=http.front_door(),
        site=SiteContent(registries.routes, registries),
        randomness=options.settings.randomness,
        observe=options.observe,
    )
    http.serve(SseApp(options.factory(registries), settings), path, repeatable=options.seed is not None)


@cli.command("plugins")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array instead of a table.")
@click.pass_obj
def list_plugins(options: Options, as_json: bool) -> None:
    """List every installed plugin and what became of it; with --strict, exit with 1 if any failed."""
    from everything_server.eras import Era
    from everything_server.registry import Registries
    from everything_server.signals import restore_signals
    from everything_server.standard_streams import claim_standard_streams, fill_stdin

    restore_signals()
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


@cli.command("new-plugin")
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    show_default="the current folder",
    metavar="FOLDER",
    help="Where to make the folder of the distribution.",
)
def new_plugin(name: str, into: Path) -> None:
    """Write a distribution with a plugin, ready to be installed, and a test of it.

    NAME is in lower case, with hyphens between words. No file is ever overwritten.
    """
    from everything_server.new_plugin import NewPluginError, write_plugin

    try:
        written = write_plugin(name, into)
    except NewPluginError as error:
        raise click.ClickException(str(error)) from None
    folder = written[0].parent
    for path in written:
        click.echo(path)
    click.echo(f"\nTo install and test it:\n\n  cd {folder}\n  pip install -e '.[test]'\n  pytest")


def main() -> None:
    """Run the command that was typed."""
    cli(prog_name="everything-server")


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
