"""`python -m everything_server`, and the console script: what has to come before anything else is imported."""

from everything_server.signals import exit_quietly_on_signals
from everything_server.standard_streams import fill_stderr


def main() -> None:
    """The console script `everything-server`."""
    exit_quietly_on_signals()
    fill_stderr()
    from everything_server.cli import main

    main()


if __name__ == "__main__":
    main()
