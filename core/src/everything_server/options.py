"""The options before the command, and what they make: the servers' factory."""

import gc
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from mcp.server.request_state import RequestStateSecurity

    from everything_server.eras import Era
    from everything_server.manager import PluginManager
    from everything_server.registry import Registries
    from everything_server.serving.factory import ServerFactory
    from everything_server.serving.received import Observe
    from everything_server.settings import Settings

Command = Callable[..., None]
Decorator = Callable[[Command], Command]


def collected(name: str, kind: type[Any], *options: Decorator) -> Decorator:
    """A decorator that gives a command these options, and hands them to it as one object.

    Args:
        name: The parameter of the command that gets the object.
        kind: Its dataclass; each field has the name of an option.
        options: The options, in the order in which the help lists them.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_object(*args: Any, **values: Any) -> None:
            own = {field.name: values.pop(field.name) for field in fields(kind)}
            command(*args, **{name: kind(**own)}, **values)

        decorated: Command = with_object
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


@dataclass(frozen=True)
class Options:
    """What was typed before the command."""

    plugins: tuple[str, ...]
    disable: tuple[str, ...]
    strict: bool
    era: str
    page_size: int | None
    state_keys: tuple[str, ...]
    seed: int | None
    record: Path | None
    verbose: int

    def manager(self) -> "PluginManager":
        """A manager with the plugins loaded that these options ask for."""
        from everything_server.manager import PluginManager

        manager = PluginManager(self.plugins or None, self.disable, strict=self.strict)
        manager.load()
        return manager

    def registries(self, own_paths: Collection[str] = ()) -> "Registries":
        """The registries of those plugins; a plugin asked for by name that cannot be used ends the command.

        Args:
            own_paths: The paths of an HTTP transport's own.
        """
        with _collector_off():
            from everything_server.eras import Era
            from everything_server.errors import PluginError
            from everything_server.registry import Registries

            try:
                registries = Registries(self.manager(), own_paths)
                registries.manager.check()
                if registries.manager.anything_by_name:
                    for era in Era:  # else each is compiled when a client opens it
                        registries(era)
            except PluginError as error:
                raise _wrong(str(error)) from None
            return registries

    def factory(self, registries: "Registries | None" = None) -> "ServerFactory":
        """What makes the servers of this process.

        Args:
            registries: What `registries` gave; by default it is called here.
        """
        with _collector_off():
            from everything_server.serving.factory import ServerFactory

            registries = registries or self.registries()  # first, so that what is wrong with a plugin is told first
            return ServerFactory(registries, self.settings)

    @cached_property
    def settings(self) -> "Settings":
        """What the process decides for all of its servers."""
        from everything_server.settings import Settings

        if self.seed is not None:
            if self.state_keys:
                raise _wrong("--seed decides the key that seals requestState: leave out --state-key")
            return Settings.repeatable(self.seed, page_size=self.page_size, eras=self.eras)
        settings = Settings(page_size=self.page_size, eras=self.eras)
        return replace(settings, request_state=self._request_state()) if self.state_keys else settings

    @cached_property
    def observe(self) -> "Observe | None":
        """What is told of each message that arrives, if anything is."""
        if self.seed is None and self.record is None:
            return None
        from everything_server.clock import SteppingClock
        from everything_server.transports.recording import FileRecorder, both, stepping_with

        clock = self.settings.clock
        stepping = stepping_with(clock) if isinstance(clock, SteppingClock) else None
        if self.record is None:
            return stepping
        try:
            recorder = FileRecorder(self.record)
        except OSError as error:
            raise click.BadParameter(f"cannot write to it: {error.strerror}", param_hint="--record") from None
        return recorder if stepping is None else both(stepping, recorder)

    def _request_state(self) -> "RequestStateSecurity":
        from mcp.server.request_state import RequestStateSecurity

        try:
            return RequestStateSecurity(keys=self.state_keys)
        except ValueError:  # whose message would tell which key it was
            raise _wrong(
                "--state-key: a key must have at least 32 bytes; "
                'python -c "import secrets; print(secrets.token_hex(32))" makes one'
            ) from None

    @property
    def eras(self) -> "frozenset[Era]":
        """The eras to serve."""
        from everything_server.eras import BOTH_ERAS, Era

        return BOTH_ERAS if self.era == "dual" else frozenset({Era(self.era)})


def _wrong(message: str) -> click.UsageError:
    """What is wrong with an option before the command, whose help is not that of the command."""
    return click.UsageError(message, click.get_current_context().find_root())


@contextmanager
def _collector_off() -> Generator[None]:
    """Imports make a hundred thousand objects that stay; looking through them for garbage takes a tenth of start-up."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # nor are they garbage later
        gc.enable()


general_options = collected(
    "options",
    Options,
    click.option(
        "--plugins",
        multiple=True,
        envvar="EVERYTHING_SERVER_PLUGINS",
        show_envvar=True,
        metavar="LIST",
        help="Plugins to use: groups, names, globs or feature names, separated by commas; repeatable.  "
        "[default: all but the opt-in ones]",
    ),
    click.option(
        "--disable",
        multiple=True,
        envvar="EVERYTHING_SERVER_DISABLE",
        show_envvar=True,
        metavar="LIST",
        help="Plugins to leave out; wins over --plugins.",
    ),
    click.option(
        "--strict",
        is_flag=True,
        envvar="EVERYTHING_SERVER_STRICT",
        show_envvar=True,
        help="Refuse to start unless every selected plugin is active.",
    ),
    click.option(
        "--era",
        type=click.Choice(["dual", "legacy", "modern"]),
        default="dual",
        show_default=True,
        envvar="EVERYTHING_SERVER_ERA",
        show_envvar=True,
        help="Protocol revisions to serve: both eras, those with a handshake only, or 2026-07-28 only.",
    ),
    click.option(
        "--page-size",
        type=click.IntRange(min=1),
        envvar="EVERYTHING_SERVER_PAGE_SIZE",
        show_envvar=True,
        metavar="N",
        help="Entries on a page of a list.  [default: no limit]",
    ),
    click.option(
        "--state-key",
        "state_keys",
        multiple=True,
        envvar="EVERYTHING_SERVER_STATE_KEY",
        show_envvar=True,
        metavar="KEY",
        help="Secret that seals requestState, so that several processes can continue each other's calls; better given "
        "in the environment, where no list of processes shows it. Repeatable: the first seals, all open.  "
        "[default: one made at start-up]",
    ),
    click.option(
        "--seed",
        type=int,
        envvar="EVERYTHING_SERVER_SEED",
        show_envvar=True,
        metavar="N",
        help="Make the same conversation the same from run to run: ids, random choices, and the time, which only the "
        "conversation moves. For tests only, as ids can be guessed then.",
    ),
    click.option(
        "--record",
        type=click.Path(dir_okay=False, path_type=Path),
        envvar="EVERYTHING_SERVER_RECORD",
        show_envvar=True,
        metavar="FILE",
        help="Append each message that arrives to a file, as a line of JSON.",
    ),
    click.option("-v", "--verbose", count=True, help="Log more on stderr: -v information, -vv everything."),
)
"""Gives a command the options before the command as `options`."""
