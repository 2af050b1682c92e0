"""Console scripts of other distributions: this command line, with choices of their own made beforehand."""

import sys
from collections.abc import Callable, Mapping

from everything_server.signals import exit_quietly_on_signals
from everything_server.standard_streams import fill_stderr


def preset_command(
    name: str, *, plugins: str, transport: str, options: Mapping[str, str | int | float | bool]
) -> Callable[[], None]:
    """A function for `[project.scripts]` that serves some plugins, over a transport unless another one is typed.

    What is typed is what `everything-server` takes. Without the name of a command all of it goes to the transport; the
    options given here are its defaults, which the command line and the environment override.

    Args:
        name: What the command is called, for its messages.
        plugins: The plugins to serve, as after `--plugins`.
        transport: `stdio`, `sse` or `streamable-http`.
        options: Defaults of the transport's options, by parameter: `{"port": 1923, "message_path": "/messages"}`.
    """

    def main() -> None:
        exit_quietly_on_signals()
        fill_stderr()
        from everything_server.cli import cli

        typed = sys.argv[1:]
        if not any(word in {*cli.commands, "streamableHttp", "--version"} for word in typed):
            typed = [transport, *typed]
        cli.main(["--plugins", plugins, *typed], prog_name=name, default_map={transport: dict(options)})

    return main
