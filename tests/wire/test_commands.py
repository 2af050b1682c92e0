"""The tables and the surface from the command line."""

import json

import pytest
from everything_server import Era
from harness.wire import COMMAND
from wire import check, dump

SERVER = f"{COMMAND} --plugins tools,resources,prompts stdio"


def test_check_plays_the_selected_rows_and_counts_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main(["--era", "legacy", "--stdio", SERVER, "--only", "handshake.served-capabilities", "-v"]) == 0
    assert capsys.readouterr().out == "ok   handshake.served-capabilities (legacy)\n1 passed, 0 failed\n"


def test_check_names_the_rows_that_fail(capsys: pytest.CaptureFixture[str]) -> None:
    command = SERVER.replace("tools,", "")
    assert check.main(["--era", "modern", "--stdio", command, "--only", "echo.empty"]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("FAIL echo.empty (modern): at the answer")
    assert last == "0 passed, 1 failed"


def test_check_without_a_row_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main(["--era", "both", "--stdio", SERVER, "--only", "nothing.*"]) == 2
    assert capsys.readouterr().out == "0 passed, 0 failed\n"


@pytest.mark.parametrize("era", Era, ids=str)
def test_dump_shows_the_whole_surface(capsys: pytest.CaptureFixture[str], era: Era) -> None:
    assert dump.main(["--era", era, "--stdio", SERVER, "--capabilities", "all"]) == 0
    surface = json.loads(capsys.readouterr().out)
    assert surface["era"] == era
    assert {"echo", "get-sum"} <= {tool["name"] for tool in surface["tools"]}
    assert {"args-prompt"} <= {prompt["name"] for prompt in surface["prompts"]}
    assert surface["reads"]["demo://resource/dynamic/blob/1"]["kind"] == "blob"
    assert surface["opening"]["serverInfo"]["name"] == "mcp-servers/everything"
