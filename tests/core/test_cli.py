"""The command line, as people and test suites use it: real processes."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from everything_server import __version__
from harness import forking
from harness.forking import COMMAND
from harness.plugins import environment

SCRIPT = Path(sys.executable).with_name("everything-server")

Completed = subprocess.CompletedProcess[str]
Message = dict[str, Any]

BROKEN = ("importerror", "badhook", "badargument", "raising", "wrongtype", "exits", "uncompilable")
"""The fakes that end up broken, as plugins named `fake.…`."""

EVERY_FAKE = ("good", *BROKEN, "incompatible", "taken-name", "tool-conflict", "opt-in", "noisy")


def run(
    *arguments: str,
    command: list[str] | None = None,
    fakes: tuple[str, ...] = (),
    stdin: str = "",
    **variables: str,
) -> Completed:
    """Run the command to its end."""
    return forking.run([*(command or [COMMAND]), *arguments], stdin=stdin, env=environment(*fakes, **variables))


def listed(completed: Completed) -> dict[str, Message]:
    """The rows of `plugins --json` by name; those that share a name by name and distribution."""
    rows: list[Message] = json.loads(completed.stdout)
    names = [row["name"] for row in rows]
    return {
        row["name"] if names.count(row["name"]) == 1 else f"{row['name']} of {row['distribution']}": row for row in rows
    }


def active(completed: Completed) -> list[str]:
    return [name for name, row in listed(completed).items() if row["status"] == "active"]


INITIALIZE: Message = {
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "probe", "version": "1"},
    },
}
INITIALIZED: Message = {"method": "notifications/initialized"}
MODERN: Message = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def modern(request_id: int, method: str, **params: Any) -> Message:
    return {"id": request_id, "method": method, "params": {**params, "_meta": MODERN}}


def lines(*messages: Message) -> str:
    return "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)


def answers(completed: Completed) -> dict[int, Message]:
    """What is on stdout by id; anything that is no message fails."""
    found: dict[int, Message] = {}
    for line in completed.stdout.splitlines():
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        if "id" in message:
            found[message["id"]] = message
    return found


def names(answer: Message, kind: str) -> list[str]:
    return [entry["name"] for entry in answer["result"][kind]]


def assert_usage_error(completed: Completed, *expected: str) -> None:
    assert completed.returncode == 2, completed
    assert completed.stdout == ""
    assert completed.stderr.startswith("Usage: everything-server")
    assert "Traceback" not in completed.stderr
    for text in expected:
        assert text in completed.stderr


# Help, version and mistakes: quick, and without the SDK


def test_help_names_the_commands_and_every_option_with_its_variable() -> None:
    completed = run("--help", command=[str(SCRIPT)])
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout.startswith("Usage: everything-server [OPTIONS]")
    for word in ("stdio", "sse", "streamable-http", "plugins", "--plugins", "--disable", "--strict", "--era"):
        assert word in completed.stdout
    for variable in ("PLUGINS", "DISABLE", "STRICT", "ERA", "PAGE_SIZE"):
        assert f"EVERYTHING_SERVER_{variable}" in completed.stdout
    assert run("-h").stdout == completed.stdout  # also when it is run as a module


@pytest.mark.parametrize("command", ["stdio", "sse", "streamable-http", "streamableHttp", "plugins"])
def test_each_command_has_help(command: str) -> None:
    completed = run(command, "--help")
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout.startswith("Usage: everything-server")


def test_version_is_that_of_the_core() -> None:
    completed = run("--version")
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout.strip() == f"everything-server, version {__version__}"


@pytest.mark.parametrize("arguments", ["--help", "--version", "stdio --help", "--era nonsense", "nonsense"])
def test_help_version_and_mistakes_do_not_import_the_sdk_nor_any_plugin(arguments: str) -> None:
    completed = run(
        *arguments.split(), command=[sys.executable, "-X", "importtime", "-m", "everything_server"], fakes=("noisy",)
    )
    imported = {line.rpartition("|")[2].strip() for line in completed.stderr.splitlines() if "import time:" in line}
    assert "click" in imported  # it was looked at rightly
    packages = {name.partition(".")[0] for name in imported}
    assert not packages & {"mcp", "mcp_types", "pydantic", "anyio", "everything_server_tools", "fake_noisy"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["--nonsense"], "No such option"),
        (["stdio", "--nonsense"], "No such option"),
        (["stdio", "nonsense"], "unexpected extra argument"),
        (["--era", "nonsense"], "'dual', 'legacy', 'modern'"),
        (["--page-size", "0"], "--page-size"),
        (["--page-size", "-3"], "--page-size"),
        (["--page-size", "many"], "--page-size"),
        (["--page-size=1", "--plugins", "tools", "nonsense"], "No such command 'nonsense'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_gets_the_usage_on_stderr_and_exit_status_two(arguments: list[str], expected: str) -> None:
    assert_usage_error(run(*arguments), expected)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--allowed-origin", "https://ui.example/"),
        ("--allowed-origin", "ui.example"),
        ("--allowed-origin", "null"),
        ("--allowed-host", "http://ui.example"),
        ("--allowed-host", "ui.example/mcp"),
    ],
)
@pytest.mark.parametrize("transport", ["streamable-http", "sse"])
def test_a_host_or_an_origin_that_no_request_can_have_is_a_mistake(transport: str, option: str, value: str) -> None:
    assert_usage_error(run(transport, "--port", "0", option, value), repr(value))


def test_an_option_without_its_value_is_a_mistake() -> None:
    completed = run("stdio", "--plugins")
    assert (completed.returncode, completed.stdout) == (2, "")
    assert "--plugins" in completed.stderr


@pytest.mark.parametrize(
    ("variable", "value"), [("ERA", "nonsense"), ("PAGE_SIZE", "many"), ("PAGE_SIZE", "0"), ("STRICT", "perhaps")]
)
def test_a_mistake_in_a_variable_is_one_as_well(variable: str, value: str) -> None:
    assert_usage_error(run("stdio", **{f"EVERYTHING_SERVER_{variable}": value}), value)


# Serving


def test_the_example_of_the_readme_serves_as_typed_in_the_legacy_era() -> None:
    path = os.pathsep.join([str(SCRIPT.parent), os.environ["PATH"]])
    completed = run(
        command=["sh", "-c", "everything-server --plugins tools,resources stdio"],
        stdin=lines(
            INITIALIZE,
            INITIALIZED,
            {"id": 1, "method": "tools/list"},
            {"id": 2, "method": "resources/templates/list"},
            {"id": 3, "method": "prompts/list"},
            {"id": 4, "method": "tools/call", "params": {"name": "echo", "arguments": {"message": "世界 é — ✓"}}},
        ),
        PATH=path,
    )
    assert (completed.returncode, completed.stderr) == (0, "")
    found = answers(completed)
    assert found[0]["result"]["protocolVersion"] == "2025-11-25"
    assert set(found[0]["result"]["capabilities"]) >= {"tools", "resources"}
    assert "prompts" not in found[0]["result"]["capabilities"]
    assert "echo" in names(found[1], "tools")
    assert found[2]["result"]["resourceTemplates"]
    assert found[3]["error"]["code"] == -32601
    assert found[4]["result"]["content"] == [{"type": "text", "text": "Echo: 世界 é — ✓"}]


def test_the_example_of_the_readme_serves_as_typed_in_the_modern_era() -> None:
    completed = run(
        *shlex.split("--plugins tools,resources stdio"),
        command=[str(SCRIPT)],
        stdin=lines(
            modern(0, "server/discover"),
            modern(1, "tools/list"),
            modern(2, "resources/templates/list"),
            modern(3, "prompts/list"),
            modern(4, "tools/call", name="echo", arguments={"message": "hi"}),
        ),
    )
    assert (completed.returncode, completed.stderr) == (0, "")
    found = answers(completed)
    assert {"2026-07-28", "2025-11-25"} < set(found[0]["result"]["supportedVersions"])
    assert "echo" in names(found[1], "tools")
    assert found[2]["result"]["resourceTemplates"]
    assert found[3]["error"]["code"] == -32601
    assert found[4]["result"]["content"] == [{"type": "text", "text": "Echo: hi"}]


def test_without_a_command_and_options_it_serves_everything_on_stdio() -> None:
    completed = run(stdin=lines(modern(1, "server/discover"), modern(2, "tools/list"), modern(3, "prompts/list")))
    assert (completed.returncode, completed.stderr) == (0, "")
    found = answers(completed)
    assert set(found[1]["result"]["capabilities"]) >= {"tools", "resources", "prompts", "completions"}
    assert "echo" in names(found[2], "tools")
    assert "simple-prompt" in names(found[3], "prompts")


def test_with_the_legacy_era_only_it_has_never_heard_of_the_other() -> None:
    completed = run(
        *["--era", "legacy", "--plugins", "tools.echo", "stdio"],
        stdin=lines(modern(1, "server/discover"), INITIALIZE, INITIALIZED, {"id": 2, "method": "tools/list"}),
    )
    found = answers(completed)
    assert found[1]["error"]["code"] == -32601
    assert found[0]["result"]["protocolVersion"] == "2025-11-25"
    assert names(found[2], "tools") == ["echo"]


def test_with_the_modern_era_only_it_refuses_a_handshake_and_names_what_it_speaks() -> None:
    completed = run(
        *["--era", "modern", "--plugins", "tools.echo", "stdio"],
        stdin=lines(INITIALIZE, modern(1, "server/discover"), modern(2, "tools/list")),
    )
    found = answers(completed)
    assert found[0]["error"]["code"] == -32022
    assert found[0]["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2025-11-25"}
    assert found[1]["result"]["supportedVersions"] == ["2026-07-28"]
    assert names(found[2], "tools") == ["echo"]


def test_variables_stand_for_options_and_options_win() -> None:
    variables = {
        "EVERYTHING_SERVER_PLUGINS": "tools.echo, prompts",
        "EVERYTHING_SERVER_DISABLE": "prompts.args",
        "EVERYTHING_SERVER_ERA": "modern",
        "EVERYTHING_SERVER_PAGE_SIZE": "2",
        "EVERYTHING_SERVER_STRICT": "true",
    }
    messages = lines(INITIALIZE, modern(1, "tools/list"), modern(2, "prompts/list"))
    by_variables = answers(run(stdin=messages, **variables))
    assert by_variables[0]["error"]["code"] == -32022
    assert names(by_variables[1], "tools") == ["echo"]
    assert names(by_variables[2], "prompts") == ["completable-prompt", "resource-prompt"]
    assert "nextCursor" in by_variables[2]["result"]
    options = ["--plugins", "prompts", "--disable", "prompts.simple", "--era", "dual", "--page-size", "5"]
    by_options = answers(run(*options, stdin=lines(modern(1, "tools/list"), modern(2, "prompts/list")), **variables))
    assert by_options[1]["error"]["code"] == -32601
    assert names(by_options[2], "prompts") == ["args-prompt", "completable-prompt", "resource-prompt"]
    assert "nextCursor" not in by_options[2]["result"]


@pytest.mark.parametrize("redirection", ["<&-", ">&-"])
def test_a_closed_standard_stream_is_told_in_one_line(redirection: str) -> None:
    completed = run(command=["sh", "-c", f'exec "$0" stdio {redirection}', str(SCRIPT)])
    assert completed.returncode == 1
    assert completed.stdout == ""
    (line,) = completed.stderr.splitlines()
    assert line.startswith("Error: stdin and stdout must be open")


def test_the_list_of_plugins_needs_no_stdin() -> None:
    """A job without a terminal may have none."""
    completed = run(command=["sh", "-c", 'exec "$0" --plugins tools.echo plugins --json <&-', str(SCRIPT)])
    assert (completed.returncode, completed.stderr) == (0, "")
    assert active(completed) == ["tools.echo"]


# Selection


def test_every_form_of_selection_is_understood_and_disable_wins() -> None:
    completed = run(
        *["--plugins", "tools.echo, resources", "--plugins", "get-sum", "--plugins=tools.get-structured-*"],
        *["--plugins", "shy,mixed.shy"],
        *["--disable", "resources.dynamic", "--disable", "tools.get-structured-content-*,"],
        *["plugins", "--json"],
        fakes=("opt-in",),
    )
    assert (completed.returncode, completed.stderr) == (0, "")
    assert active(completed) == [
        "mixed.shy",
        "resources.documents",
        "shy.one",
        "shy.two",
        "tools.echo",
        "tools.get-structured-content",
        "tools.get-sum",
    ]


def test_a_plugin_is_imported_only_when_it_is_selected(tmp_path: Path) -> None:
    trace = tmp_path / "imported"
    completed = run("--disable", "watched.first", "stdio", fakes=("observed",), FAKE_PLUGINS_IMPORTED=str(trace))
    assert completed.returncode == 0
    assert trace.read_text() == "second\n"


def test_items_that_fit_no_plugin_stop_the_server_with_a_hint_for_each() -> None:
    completed = run(
        *["--plugins", "tols,tools.ecko", "--plugins", "echo", "--disable", "zzzzzz", "stdio"], fakes=("tool-conflict",)
    )
    assert_usage_error(
        completed,
        "--plugins tols: is no installed plugin; did you mean tools",
        "--plugins tools.ecko: is no installed plugin; did you mean tools.echo",
        "--plugins echo: is ambiguous: tools.echo or zz.echo",
        "--disable zzzzzz: is no installed plugin; see: everything-server plugins",
    )


def test_a_glob_that_fits_nothing_is_a_warning() -> None:
    completed = run("--plugins", "tools.echo,nothing.*", "stdio", stdin=lines(modern(1, "tools/list")))
    assert completed.returncode == 0
    assert names(answers(completed)[1], "tools") == ["echo"]
    assert "--plugins nothing.*: fits no installed plugin" in completed.stderr


# What became of each plugin


@pytest.fixture(scope="module")
def all_outcomes() -> Completed:
    return run("plugins", "--json", fakes=EVERY_FAKE)


def test_the_json_list_is_valid_and_alone_on_stdout_whatever_plugins_print(all_outcomes: Completed) -> None:
    assert all_outcomes.returncode == 0
    rows = json.loads(all_outcomes.stdout)
    assert [row["name"] for row in rows] == sorted(row["name"] for row in rows)
    for row in rows:
        assert set(row) == {"name", "status", "eras", "distribution", "version", "provides", "reason"}
    for noise in ("printed at import", "written at import", "child at import"):
        assert noise not in all_outcomes.stdout
        assert noise in all_outcomes.stderr


def test_the_json_list_has_every_outcome(all_outcomes: Completed) -> None:
    rows = listed(all_outcomes)
    assert {name: row["status"] for name, row in rows.items() if row["status"] != "active"} == {
        **{f"fake.{scenario}": "broken" for scenario in BROKEN},
        "fake.incompatible": "incompatible",
        **{name: "disabled" for name in rows if name.startswith(("calculator.", "conformance."))},
        "mixed.shy": "disabled",
        "shy.one": "disabled",
        "shy.two": "disabled",
        "tools.echo of zz-impostor": "conflict",
        "zz.echo": "conflict",
    }
    assert rows["tools.echo of everything-server-tools"]["status"] == "active"


def test_the_json_list_says_whose_each_is_what_it_provides_and_why_not(all_outcomes: Completed) -> None:
    rows = listed(all_outcomes)
    assert rows["fake.good"] == {
        "name": "fake.good",
        "status": "active",
        "eras": ["legacy", "modern"],
        "distribution": "fake-good",
        "version": "1.2.3",
        "provides": ["tool fake-good"],
        "reason": None,
    }
    assert rows["fake.incompatible"] == {
        "name": "fake.incompatible",
        "status": "incompatible",
        "eras": [],
        "distribution": "fake-incompatible",
        "version": "2.0.0",
        "provides": [],
        "reason": f"needs everything-server-core >=99, found {__version__}",
    }
    reasons = {
        "fake.importerror": "No module named 'a_module_that_nobody_has'",
        "fake.badhook": "everything_server_tool",
        "fake.badargument": "server",
        "fake.raising": "no second tool",
        "fake.wrongtype": "PromptSpec",
        "fake.exits": "usage: fake-exits FILE",
        "fake.uncompilable": "indescribable",
        "tools.echo of zz-impostor": f"its name is taken by everything-server-tools {__version__}",
        "zz.echo": f"tool 'echo' is declared by 'tools.echo' (everything-server-tools {__version__}) already",
        "shy.one": "opt-in; to use it: --plugins shy.one",
    }
    for name, reason in reasons.items():
        assert reason in rows[name]["reason"]
    assert all(row["provides"] and row["reason"] is None for row in rows.values() if row["status"] == "active")


def test_a_strict_list_that_has_a_failure_is_printed_whole_and_ends_with_one() -> None:
    completed = run("--strict", "--plugins", "tools.echo,fake,tols", "plugins", "--json", fakes=("importerror", "good"))
    assert completed.returncode == 1
    rows = listed(completed)
    assert rows["fake.importerror"]["status"] == "broken"
    assert active(completed) == ["fake.good", "tools.echo"]
    unknown = rows["--plugins tols"]
    assert unknown["status"] == "unknown"
    assert (unknown["distribution"], unknown["version"], unknown["eras"], unknown["provides"]) == (None, None, [], [])
    assert "did you mean tools" in unknown["reason"]


def test_a_strict_list_of_active_and_disabled_plugins_ends_with_success() -> None:
    unset = {"EVERYTHING_SERVER_PLUGINS": "", "EVERYTHING_SERVER_DISABLE": ""}  # as a container file may leave them
    completed = run("--strict", "plugins", fakes=("opt-in",), **unset)
    assert (completed.returncode, completed.stderr) == (0, "")
    assert re.search("^tools.echo +active ", completed.stdout, re.MULTILINE)
    assert re.search("^shy.one +disabled ", completed.stdout, re.MULTILINE)


def test_the_table_has_a_line_for_every_outcome() -> None:
    completed = run("plugins", fakes=("good", "importerror", "incompatible", "tool-conflict", "opt-in", "noisy"))
    assert completed.returncode == 0
    header, *rows = completed.stdout.splitlines()
    assert re.split("  +", header)[:4] == ["NAME", "STATUS", "ERAS", "DISTRIBUTION"]
    table = {row.split()[0]: re.split("  +", row) for row in rows}
    assert table["fake.good"] == ["fake.good", "active", "legacy,modern", "fake-good 1.2.3", "tool fake-good"]
    assert table["fake.importerror"][1:4] == ["broken", "-", "fake-importerror 0.1.0"]
    assert "a_module_that_nobody_has" in table["fake.importerror"][4]
    assert table["fake.incompatible"][1:4] == ["incompatible", "-", "fake-incompatible 2.0.0"]
    assert table["zz.echo"][1] == "conflict"
    assert table["shy.one"][1] == "disabled"
    assert table["tools.echo"][1] == "active"
    assert "at import" not in completed.stdout
    starts = {column: header.index(column) for column in ("STATUS", "ERAS", "DISTRIBUTION")}
    assert all(row[start - 1] == " " and row[start] != " " for row in rows for start in starts.values())


# Serving beside plugins that cannot be used


def test_plugins_that_cannot_be_used_leave_the_others_working_and_stdout_clean() -> None:
    completed = run(
        "stdio",
        fakes=EVERY_FAKE,
        stdin=lines(
            INITIALIZE,
            INITIALIZED,
            {"id": 1, "method": "tools/list"},
            {"id": 2, "method": "tools/call", "params": {"name": "fake-noisy", "arguments": {}}},
            {"id": 3, "method": "tools/call", "params": {"name": "fake-good", "arguments": {"name": "Ada"}}},
            {"id": 4, "method": "tools/call", "params": {"name": "echo", "arguments": {"message": "hi"}}},
        ),
    )
    assert completed.returncode == 0
    found = answers(completed)
    served = names(found[1], "tools")
    assert {"fake-good", "fake-noisy", "mixed-open", "echo", "get-sum"} <= set(served)
    assert not {"describable", "indescribable", "zz-own", "fake-raising", "shy-one", "mixed-shy"} & set(served)
    texts = [found[number]["result"]["content"][0]["text"] for number in (2, 3, 4)]
    assert texts == ["quiet", "Good day, Ada.", "Echo: hi"]
    for noise in ("printed", "written", "child"):
        for moment in ("at import", "by a tool"):
            assert f"{noise} {moment}" in completed.stderr
    assert "Traceback" not in completed.stderr
    failed = dict.fromkeys((f"fake.{scenario}" for scenario in BROKEN), "is broken")
    failed |= {"fake.incompatible": "is incompatible", "tools.echo": "conflicts", "zz.echo": "conflicts"}
    for name, verb in failed.items():
        assert len(re.findall(rf"plugin '{name}' \(\S+ \S+\) {verb}: ", completed.stderr)) == 1
    for name in ("fake.raising", "fake.incompatible", "fake.uncompilable", "zz.echo"):
        assert f"to silence this: --disable {name}\n" in completed.stderr


def test_a_traceback_is_shown_to_who_asks_for_information() -> None:
    completed = run("-v", "--plugins", "fake", "stdio", fakes=("raising", "good"))
    assert completed.returncode == 0
    assert completed.stdout == ""
    assert "Traceback" in completed.stderr
    assert "LookupError: no second tool" in completed.stderr


def test_what_cannot_be_used_and_was_asked_for_by_name_stops_the_server_all_told_at_once() -> None:
    wanted = ["tools.echo", "zz.echo", "fake.importerror", "exits", "fake.incompatible", "nonsense"]
    completed = run("--plugins", ",".join(wanted), "stdio", fakes=EVERY_FAKE, stdin=lines(modern(1, "tools/list")))
    assert_usage_error(
        completed,
        "plugin 'fake.importerror' (fake-importerror 0.1.0) is broken: ModuleNotFoundError",
        "plugin 'fake.exits' (fake-exits 0.1.0) is broken: SystemExit",
        "plugin 'fake.incompatible' (fake-incompatible 2.0.0) is incompatible: needs everything-server-core >=99",
        "plugin 'tools.echo' (zz-impostor 6.6.6) conflicts: its name is taken",
        "plugin 'zz.echo' (fake-tool-conflict 0.3.0) conflicts: tool 'echo' is declared by 'tools.echo'",
        "--plugins nonsense: is no installed plugin",
    )


def test_what_cannot_be_compiled_and_was_asked_for_by_name_stops_the_server_before_it_serves() -> None:
    completed = run(
        "--plugins", "tools,fake.uncompilable", fakes=("uncompilable",), stdin=lines(modern(1, "tools/list"))
    )
    assert_usage_error(completed, "plugin 'fake.uncompilable' (fake-uncompilable 0.1.0) is broken: indescribable")


def test_a_strict_server_does_not_start_beside_what_cannot_be_used() -> None:
    fakes = ("raising", "incompatible", "tool-conflict", "noisy")
    completed = run("--strict", fakes=fakes, stdin=lines(modern(1, "tools/list")))
    assert (completed.returncode, completed.stdout) == (2, "")
    assert "Usage: everything-server" in completed.stderr  # after what a plugin has printed
    assert "Traceback" not in completed.stderr
    for name in ("fake.raising", "fake.incompatible", "zz.echo"):
        assert f"plugin '{name}'" in completed.stderr


def test_a_strict_server_does_not_start_beside_what_cannot_be_compiled() -> None:
    completed = run("--strict", fakes=("uncompilable",), stdin=lines(modern(1, "tools/list")))
    assert_usage_error(completed, "plugin 'fake.uncompilable'")


def test_a_strict_server_starts_when_all_is_well() -> None:
    completed = run("--strict", "stdio", fakes=("good", "opt-in"), stdin=lines(modern(1, "tools/list")))
    assert (completed.returncode, completed.stderr) == (0, "")
    assert "fake-good" in names(answers(completed)[1], "tools")
