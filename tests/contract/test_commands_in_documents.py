"""Every command that the documents show does what they say: it is run here, or listed here with the reason why not.

Servers are started as shown, on a free port; containers without an engine; requests by hand are sent to servers that
run already.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from contract.shown_commands import DOCUMENTS, PROGRAMS, ROOT, Shown, all_shown, server_within, shown_in
from harness import forking
from harness.container import container, image
from harness.raw_http import Event, Exchange, HttpRequest
from harness.serving import ServerProcess
from harness.wire import COMMAND, clean_environment

NOT_RUN = {
    r"make test": "it is what runs this test",
    r"python3 -m venv \S+": "the environment is there already, made in the same way by the Makefile",
    r"(\S+/bin/)?pip install ./core './plugins/\*' \.": "it fetches packages; the Makefile installs the same folders",
    r"pip install ./examples/dice|everything-server .*\bdice\.roll\b.*": "the example has an environment and tests of "
    "its own, in test_example_distribution.py",
    r"docker build .*": "there is no engine; test_container.py looks at what it would do",
    r"npx @modelcontextprotocol/inspector .*": "the clients' tests run the installed Inspector in the same way; the "
    "server that it starts is started here",
    r"claude mcp add .*": "it changes the settings of another program; the server that it starts is started here",
}
"""Regular expressions of whole commands that are not run, and why."""

LISTENING = {"streamable-http", "streamableHttp", "sse", "calculator-server"}
"""One of these words is in every command that starts a server which listens."""

COMMANDS = all_shown()


def is_not_run(shown: Shown) -> bool:
    return any(re.fullmatch(pattern, str(shown)) for pattern in NOT_RUN)


def kind_of(shown: Shown) -> str:
    """Which of the tests below a command is for."""
    program, *arguments = shown.command
    match program:
        case _ if is_not_run(shown):
            return "not run"
        case "make":
            return "target"
        case "curl":
            return "request"
        case "docker" if arguments[0] == "run":
            return "container"
        case "python3":
            return "script"
        case _ if program in PROGRAMS:
            return "server" if LISTENING & set(shown.command) and "--help" not in arguments else "command"
        case _:
            return "unknown"


def of_kind(kind: str) -> list[Shown]:
    return [shown for shown in COMMANDS if kind_of(shown) == kind]


def short_commands() -> list[Shown]:
    """Those that end by themselves, and those that a host would start over stdio."""
    hosts = [Shown(command) for shown in COMMANDS if (command := server_within(shown.words))]
    return list(dict.fromkeys([*of_kind("command"), *hosts]))


def test_every_command_is_run_or_has_a_reason_not_to_be() -> None:
    assert [str(shown) for shown in of_kind("unknown")] == []


@pytest.mark.parametrize("pattern", NOT_RUN)
def test_every_reason_is_needed(pattern: str) -> None:
    assert any(re.fullmatch(pattern, str(shown)) for shown in COMMANDS)


def test_the_commands_of_the_main_documents_are_found() -> None:
    programs = {
        name: {shown.command[0] for shown in shown_in(ROOT / name)} for name in ("README.md", "docs/transports.md")
    }
    assert {"make", "everything-server", "curl", "claude", "npx"} <= programs["README.md"]
    assert {"calculator-server", "curl"} <= programs["docs/transports.md"]
    assert not any(re.search(r"^\$ ", block, re.M) for path in DOCUMENTS for block in text_blocks(path))


def text_blocks(path: Path) -> list[str]:
    """Blocks that only show something; what is typed has to be in others, or it would not be found."""
    return re.findall(r"^```text\n(.*?)^```$", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder for what commands write."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("shown", short_commands(), ids=str)
def test_a_command_ends_well(shown: Shown) -> None:
    program, *arguments = shown.command
    command = [str(Path(COMMAND).with_name(program)), *arguments]
    done = forking.run(command, env=clean_environment(**shown.settings))
    assert (done.returncode, done.stderr) == (0, "")
    before = ["", *arguments]
    says_something = any(
        word in ("plugins", "new-plugin") and before[number] not in ("--plugins", "--disable")
        for number, word in enumerate(arguments)
    )
    assert bool(done.stdout) is says_something


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("shown", of_kind("server"), ids=str)
def test_a_server_listens_and_ends_when_it_is_told_to(shown: Shown) -> None:
    program, *arguments = shown.command
    command = [str(Path(COMMAND).with_name(program)), *arguments, "--port", "0"]
    server = ServerProcess(command, clean_environment(**shown.settings))
    try:
        server.wait_until_ready()
        assert server.url.startswith("http://127.0.0.1:")
        server.stop()
    finally:
        server.kill()


@pytest.mark.parametrize("shown", of_kind("container"), ids=str)
def test_a_container_starts_and_ends(shown: Shown) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rm", "-i", "--read-only", action="store_true", dest="flags")
    for name in ("-p", "--cap-drop", "--security-opt"):
        parser.add_argument(name)
    parser.add_argument("-e", action="append", default=[], type=lambda value: value.split("=", 1))
    parser.add_argument("image")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    typed = parser.parse_args(shown.command[2:])
    assert typed.image == "everything-server"
    with container(*typed.arguments, variables={**dict(typed.e), "PORT": "0"}) as process:
        if "stdio" in typed.arguments:
            assert typed.p is None
            process.stdin.close()
        else:
            assert typed.p.endswith(f"3001:{image().last('EXPOSE')}")
            assert any(b"listening on http://0.0.0.0:" in line for line in iter(process.stderr.readline, b""))
            process.stop()
        assert process.status() == 0


@pytest.mark.parametrize("shown", of_kind("target"), ids=str)
def test_a_target_of_the_makefile_runs_what_it_is_said_to(shown: Shown, tmp_path: Path) -> None:
    # An environment that is newer than everything, so that what it takes to make one is not part of the recipe.
    (tmp_path / ".installed").touch()
    settings = [f"VENV={tmp_path}", *shown.command[1:]]
    done = subprocess.run(["make", "-n", *settings], cwd=ROOT, capture_output=True, text=True, check=False, env=plain())
    assert (done.returncode, done.stderr) == (0, "")
    (arguments,) = [word.removeprefix("ARGS=") for word in settings if word.startswith("ARGS=")] or [""]
    assert done.stdout.split() == [f"{tmp_path}/bin/everything-server", *arguments.split(), "streamable-http"]


def plain() -> dict[str, str]:
    """An environment without what the `make` that runs the tests has put there for those that it starts."""
    return {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "ARGS")
    }


@pytest.mark.parametrize("shown", of_kind("script"), ids=str)
def test_a_script_prints_something(shown: Shown, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, *shown.command[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert matches(done.stdout, shown.output)


# ---------------------------------------------------------------- requests by hand

SERVERS = {3001: ("everything-server", "streamable-http"), 1923: ("calculator-server",)}
"""What listens at the ports that the documents send requests to."""


@pytest.fixture(scope="module")
def listening() -> Iterator[Callable[[int], int]]:
    """The port at which the server that a document has at some port listens here."""
    with ExitStack() as stack:
        servers: dict[int, ServerProcess] = {}

        def port_of(documented: int) -> int:
            if documented not in servers:
                program, *arguments = SERVERS[documented]
                command = [str(Path(COMMAND).with_name(program)), *arguments, "--port", "0"]
                servers[documented] = server = ServerProcess(command)
                stack.callback(server.kill)
                server.wait_until_ready()
            return urlsplit(servers[documented].url).port or 0

        yield port_of


class Curl:
    """As much of `curl` as the documents use. Streams that it opens stay open, as in a terminal of their own."""

    def __init__(self, port_of: Callable[[int], int], stack: ExitStack) -> None:
        self._port_of = port_of
        self._stack = stack
        self.stream: Exchange | None = None
        self._session = ""
        self._parser = argparse.ArgumentParser()
        self._parser.add_argument("-N", action="store_true")
        self._parser.add_argument("-X")
        self._parser.add_argument("-H", action="append", default=[])
        self._parser.add_argument("-d")
        self._parser.add_argument("url")

    def run(self, arguments: tuple[str, ...]) -> str:
        """What it prints; of a stream the first event."""
        typed = self._parser.parse_args(arguments)
        address = urlsplit(re.sub(r"(?<=sessionId=)\w+", self._session, typed.url))
        url = urlunsplit(address._replace(netloc=f"127.0.0.1:{self._port_of(address.port or 80)}"))
        headers = [tuple(header.split(": ", 1)) for header in typed.H]
        path = f"{address.path}?{address.query}" if address.query else address.path
        sent = HttpRequest(
            method=typed.X or ("GET" if typed.d is None else "POST"),
            path=path,
            headers=(("Host", address.netloc), *headers),
            body=(typed.d or "").encode(),
        )
        exchange = self._stack.enter_context(Exchange(url, sent))
        if not typed.N:
            return exchange.body().decode()
        self.stream = exchange
        event = exchange.event()
        assert event is not None
        self._session = event.data.partition("sessionId=")[2]
        return as_sent(event)

    def next_event(self) -> str:
        """What appears next on the stream."""
        assert self.stream is not None
        event = self.stream.event()
        assert event is not None
        return as_sent(event)


def as_sent(event: Event) -> str:
    return f"event: {event.name}\ndata: {event.data}"


def matches(output: str, shown: str) -> bool:
    """Whether an output is what is shown, where `…` and the ids of sessions stand for anything."""
    shown = re.sub(r"(?<=sessionId=)\w+", "…", shown)
    return re.fullmatch(".*".join(map(re.escape, shown.split("…"))), output.strip(), re.DOTALL) is not None


@pytest.mark.parametrize(
    "path",
    [path for path in DOCUMENTS if any(shown.command[0] == "curl" for shown in shown_in(path))],
    ids=lambda path: path.name,
)
def test_requests_by_hand_get_the_answers_that_are_shown(path: Path, listening: Callable[[int], int]) -> None:
    with ExitStack() as stack:
        curl = Curl(listening, stack)
        for shown in shown_in(path):
            if shown.command[0] == "curl":
                output = curl.run(shown.command[1:])
                assert matches(output, shown.output), output
        if curl.stream is not None:  # whose further output is shown by itself
            shown = next(block for block in text_blocks(path) if block.startswith("event: message"))
            assert matches(curl.next_event(), shown.strip())
