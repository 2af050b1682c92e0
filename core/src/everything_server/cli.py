"""The command line: parses, calls, prints."""

import json
import logging
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import click

from everything_server.version import __version__

if TYPE_CHECKING:
    from everything_server.eras import Era
    from everything_server.manager import Outcome, PluginManager
    from everything_server.registry import Registries


@dataclass(frozen=True)
class Options:
    """What was typed before the command."""

    plugins: tuple[str, ...]
    disable: tuple[str, ...]
    strict: bool
    era: str
    page_size: int | None
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

    @property
    def eras(self) -> "frozenset[Era]":
        """The eras to serve."""
        from everything_server.eras import BOTH_ERAS, Era

        return BOTH_ERAS if self.era == "dual" else frozenset({Era(self.era)})


@click.group(
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
    verbose: int,
) -> None:
    """An MCP server that exercises every feature of the protocol, to test clients against.

    Without a command it serves on stdin and stdout.
    """
    context.obj = Options(plugins, disable, strict, era, page_size, verbose)
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
        registries = options.registries()

        from everything_server.server import Settings
        from everything_server.serving.factory import ServerFactory
        from everything_server.transports.stdio import run_stdio

        settings = Settings(page_size=options.page_size, eras=options.eras)
        run_stdio(ServerFactory(registries, settings), wire, options.eras)


@cli.command("plugins")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array instead of a table.")
@click.pass_obj
def list_plugins(options: Options, as_json: bool) -> None:
    """List every installed plugin and what became of it; with --strict, exit with 1 if any failed."""
    from everything_server.eras import Era
    from everything_server.registry import Registries
    from everything_server.standard_streams import claim_standard_streams

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
        raise SystemExit(0)

    handler: Callable[[int, object], NoReturn] = leave
    signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGTERM, handler)


if __name__ == "__main__":
    main()
