"""The container, without an engine: what its file says, and that its process 1 starts, serves and ends as it should."""

import json
import re
import signal
from fnmatch import fnmatch
from pathlib import Path

import pytest
from harness.container import ProcessOne, container, image
from harness.raw_http import Exchange, initialize, modern_call, post

ROOT = Path(__file__).parents[2]
SIGNALS = (signal.SIGTERM, signal.SIGINT)
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'


def address(process: ProcessOne) -> str:
    """Where it listens, once it does, as seen from this side of a published port."""
    for line in iter(process.stderr.readline, b""):
        if found := re.search(rb"listening on http://0\.0\.0\.0(:\d+/\w+)$", line.strip()):
            return f"http://127.0.0.1{found[1].decode()}"
    raise AssertionError("it has ended without listening")


def status_of(url: str, **headers: str) -> int:
    with Exchange(url, modern_call("echo", {"message": "hi"}).having(headers)) as exchanged:
        return exchanged.status


def test_process_one_is_the_python_process_itself() -> None:
    with container("stdio") as process:
        process.stdin.write(PING)
        assert json.loads(process.stdout.readline())["id"] == 1
        assert process.inner_pid == 1
        assert Path(process.program).name.startswith("python")


def test_by_default_it_serves_http_with_the_checks_of_host_and_origin_on() -> None:
    with container(variables={"PORT": "0"}) as process:
        url = address(process)
        with Exchange(url, post(initialize())) as opened:
            assert opened.status == 200
        assert status_of(url) == status_of(url, Host="localhost:3001") == 200
        assert status_of(url, Host="evil.example") == 421
        assert status_of(url, Origin="https://evil.example") == 403


def test_it_answers_to_the_names_that_it_is_given() -> None:
    given = {
        "EVERYTHING_SERVER_ALLOWED_HOSTS": "gateway.example",
        "EVERYTHING_SERVER_ALLOWED_ORIGINS": "https://ui.example",
        "PORT": "0",
    }
    with container(variables=given) as process:
        url = address(process)
        assert status_of(url, Host="gateway.example") == status_of(url, Origin="https://ui.example") == 200
        assert status_of(url, Host="evil.example") == 421


@pytest.mark.parametrize("transport", ["streamable-http", "sse", "stdio"])
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_ends_it(transport: str, number: signal.Signals) -> None:
    with container("--plugins", "echo", transport, variables={"PORT": "0"}) as process:
        if transport == "stdio":
            process.stdin.write(PING)
            process.stdout.readline()
        else:
            address(process)
        process.stop(number)
        assert process.status() == 0


def test_the_end_of_its_input_ends_it_over_stdio() -> None:
    with container("stdio") as process:
        process.stdin.write(PING)
        process.stdin.close()
        assert json.loads(process.stdout.readline())["id"] == 1
        assert process.status() == 0


def test_it_does_not_run_as_root() -> None:
    user, _, group = image().last("USER").partition(":")
    assert int(user) > 0 < int(group)


def test_the_port_that_it_exposes_is_the_one_that_it_listens_on() -> None:
    from everything_server.cli import cli

    (port,) = [option.default for option in cli.commands["streamable-http"].params if option.name == "port"]
    assert image().last("EXPOSE") == str(port)


def test_it_is_built_from_everything_that_the_distributions_need_and_from_nothing_else() -> None:
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert lines[0] == "*"
    admitted = {line[1:] for line in lines if line[0] == "!"}
    needed = {"core", "plugins", "constraints.txt", "LICENSE", "pyproject.toml", "README.md"}
    assert admitted == needed
    assert all((ROOT / name).exists() for name in needed)
    left_out = [line.removeprefix("**/") for line in lines[1:] if line[0] != "!"]
    assert any(fnmatch("__pycache__", pattern) for pattern in left_out)
    (install,) = [arguments for name, arguments in image().instructions if name == "RUN"]
    assert install.endswith("-c constraints.txt ./core ./plugins/* .")
