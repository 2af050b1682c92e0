"""The command line of a real process: what it refuses, and where it says so."""

import subprocess

import pytest
from harness import forking
from harness.wire import COMMAND, clean_environment
from wire.servers import installed

USAGE_ERROR = 2


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command with nothing to read, until it ends."""
    return forking.run([COMMAND, *arguments], env=clean_environment(**variables))


def as_typed(value: str | tuple[str, ...]) -> str:
    """The id of a case: its arguments."""
    return " ".join(value) if isinstance(value, tuple) else ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("telepathy",), "telepathy"),
        (("stdio", "--telepathy"), "--telepathy"),
        (("--telepathy", "stdio"), "--telepathy"),
        (("stdio", "stdio"), "stdio"),
        (("--era", "future"), "future"),
        (("--page-size", "0"), "0"),
        (("--page-size", "-1"), "-1"),
        (("--page-size", "many"), "many"),
    ],
    ids=as_typed,
)
def test_a_wrong_argument_is_told_on_stderr_with_the_usage(arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert done.returncode == USAGE_ERROR
    assert done.stdout == ""
    assert "Usage: everything-server" in done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("variable", "value"), [("EVERYTHING_SERVER_ERA", "future"), ("EVERYTHING_SERVER_PAGE_SIZE", "many")]
)
def test_a_wrong_variable_is_as_wrong_as_an_argument(variable: str, value: str) -> None:
    done = run("stdio", **{variable: value})
    assert (done.returncode, done.stdout) == (USAGE_ERROR, "")
    assert value in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--plugins", "tools.ecoh", "stdio"), "tools.echo"),
        (("--disable", "ecoh", "stdio"), "echo"),
        (("--strict", "--plugins", "*.nothing", "stdio"), "*.nothing"),
    ],
    ids=as_typed,
)
def test_a_plugin_that_was_asked_for_and_is_not_there_stops_the_start(arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (USAGE_ERROR, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_broken_plugin_is_told_in_one_warning_and_the_others_are_served() -> None:
    ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    done = forking.run([COMMAND, "stdio"], stdin=ping, env=installed("importerror", "exits"))
    assert done.returncode == 0
    assert done.stdout == '{"jsonrpc":"2.0","id":1,"result":{}}\n'
    assert done.stderr.count("is broken") == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [("--help",), ("stdio", "--help"), ("--version",)], ids=" ".join)
def test_help_and_version_go_to_stdout(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "everything-server" in done.stdout


def test_the_transport_without_a_name_is_stdio() -> None:
    without, named = run(), run("stdio")
    assert (without.returncode, without.stdout) == (named.returncode, named.stdout) == (0, "")
