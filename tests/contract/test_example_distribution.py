"""The example of a third-party distribution: built, installed beside the core alone, and used.

The environment has nothing in it but what pip installs for the core and the example, so a dependency that one of them
forgot to declare is missing here, whatever the environment of the tests holds.
"""

import json
import re
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from contract.installed import ENVIRONMENT, EXAMPLE, ROOT, Installed, run
from everything_server import Era

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
HANDSHAKE = [
    {
        "jsonrpc": "2.0",
        "id": "open",
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def test_the_example_consists_of_two_files() -> None:
    files = [path.name for path in EXAMPLE.iterdir() if path.name != "__pycache__"]
    assert sorted(files) == ["everything_server_dice.py", "pyproject.toml"]


def test_both_files_are_in_the_source_distribution_and_the_module_is_in_the_wheel(installed: Installed) -> None:
    with tarfile.open(installed.source) as archive:
        sources = {Path(name).name for name in archive.getnames()}
    assert {"everything_server_dice.py", "pyproject.toml"} <= sources
    assert "everything_server_dice.py" in zipfile.ZipFile(installed.wheel).namelist()


def test_the_core_alone_lists_no_plugins(installed: Installed) -> None:
    assert installed.core_alone == []


def test_plugins_lists_the_example_as_active_in_both_eras(installed: Installed) -> None:
    assert json.loads(run([installed.command, "plugins", "--json"])) == [
        {
            "name": "dice.roll",
            "status": "active",
            "eras": ["legacy", "modern"],
            "distribution": "everything-server-dice",
            "version": "0.1.0",
            "provides": ["tool roll-dice"],
            "reason": None,
        }
    ]


def test_the_table_names_the_example_and_its_distribution(installed: Installed) -> None:
    table = run([installed.command, "plugins"])
    assert re.search(
        r"^dice\.roll +active +legacy,modern +everything-server-dice 0\.1\.0 +tool roll-dice$", table, re.M
    )


ROLLS: list[tuple[dict[str, int], int, int]] = [
    ({}, 6, 1),
    ({"sides": 20, "count": 3}, 20, 3),
    ({"count": 100}, 6, 100),
]
REFUSED = [({"sides": 1}, "sides"), ({"sides": 1001}, "sides"), ({"count": 0}, "count"), ({"count": 101}, "count")]

Answers = dict[Era, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def listed(installed: Installed) -> Answers:
    """The answer to `tools/list`, and then those to the calls of `ROLLS` and `REFUSED`, by era."""
    calls = [arguments for arguments, *_ in (*ROLLS, *REFUSED)]
    return {
        era: talk(installed, era, request(era, "tools/list"), *(call(era, arguments) for arguments in calls))
        for era in Era
    }


def test_the_tool_shows_its_limits_and_defaults_in_both_eras(listed: Answers, era: Era) -> None:
    (tool,) = listed[era][0]["result"]["tools"]
    assert tool["name"] == "roll-dice"
    assert tool["inputSchema"]["additionalProperties"] is False
    assert "required" not in tool["inputSchema"]
    limits = {
        name: (field["type"], field["minimum"], field["maximum"], field["default"])
        for name, field in tool["inputSchema"]["properties"].items()
    }
    assert limits == {"sides": ("integer", 2, 1000, 6), "count": ("integer", 1, 100, 1)}


@pytest.mark.parametrize(("number", "sides", "count"), [(number, *roll[1:]) for number, roll in enumerate(ROLLS, 1)])
def test_the_tool_rolls_as_many_dice_as_asked_for(
    listed: Answers, era: Era, number: int, sides: int, count: int
) -> None:
    answer = listed[era][number]
    assert not answer["result"].get("isError")
    (content,) = answer["result"]["content"]
    found = re.fullmatch(rf"Rolled {count}d{sides}: ([0-9, ]+) \(total ([0-9]+)\)", content["text"])
    assert found is not None
    rolls = [int(roll) for roll in found[1].split(", ")]
    assert len(rolls) == count
    assert all(1 <= roll <= sides for roll in rolls)
    assert sum(rolls) == int(found[2])


@pytest.mark.parametrize(
    ("number", "named"), [(number, name) for number, (_, name) in enumerate(REFUSED, 1 + len(ROLLS))]
)
def test_a_value_beyond_the_limits_is_refused_by_name(listed: Answers, era: Era, number: int, named: str) -> None:
    result = listed[era][number]["result"]
    assert result["isError"] is True
    assert f"{named}: " in result["content"][0]["text"]


def test_disabled_it_is_gone(installed: Installed) -> None:
    (answer,) = talk(installed, Era.MODERN, call(Era.MODERN, {}), options=["--disable", "dice"])
    assert answer["error"]["code"] == -32601  # nothing is left that has tools


def test_the_test_in_the_documentation_passes_against_the_example(installed: Installed, tmp_path: Path) -> None:
    document = (ROOT / "docs" / "writing-plugins.md").read_text()
    (shown,) = re.findall(r"```python\n(import pytest\n.*?)```", document, re.DOTALL)
    (tmp_path / "test_dice.py").write_text(shown)
    # A wheel is importable, metadata included, so the environment of this test stays as it is.
    environment = {**ENVIRONMENT, "PYTHONPATH": str(installed.wheel)}
    report = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path], environment, cwd=tmp_path)
    assert re.search(r"^[1-9][0-9]* passed", report, re.M)


def talk(
    installed: Installed, era: Era, *messages: dict[str, Any], options: list[str] | None = None
) -> list[dict[str, Any]]:
    """What the server answers to requests, in their order, after the handshake where the era has one."""
    numbered = [{**message, "id": number} for number, message in enumerate(messages)]
    options = ["--plugins", "dice.roll"] if options is None else options
    text = "".join(json.dumps(message) + "\n" for message in (*(HANDSHAKE if era is Era.LEGACY else []), *numbered))
    lines = run([installed.command, *options, "stdio"], stdin=text).splitlines()
    answers = {answer.get("id"): answer for answer in map(json.loads, lines)}
    return [answers[message["id"]] for message in numbered]


def request(era: Era, method: str, **params: Any) -> dict[str, Any]:
    if era is Era.MODERN:
        params["_meta"] = ENVELOPE
    return {"jsonrpc": "2.0", "method": method, "params": params}


def call(era: Era, arguments: dict[str, Any]) -> dict[str, Any]:
    return request(era, "tools/call", name="roll-dice", arguments=arguments)
