"""`calculator.sample-tool`."""

from collections.abc import Generator
from typing import Any

import pytest
from click.testing import CliRunner
from everything_server import PluginManager
from everything_server.cli import cli
from harness import Connect, registries_with
from harness.client_side import text_of

PLUGIN = "calculator.sample-tool"
VARIABLE = "SAMPLE_TOOL_NAME"


@pytest.fixture(autouse=True)
def owner(monkeypatch: pytest.MonkeyPatch) -> Generator[pytest.MonkeyPatch]:
    """The owner of the server, who has set nothing; what is declared depends on it, so no registry is shared."""
    monkeypatch.delenv(VARIABLE, raising=False)
    registries_with.cache_clear()
    yield monkeypatch
    registries_with.cache_clear()


@pytest.mark.parametrize("name", ["my_tool", "learn.echo-2", "X", "a" * 128])
async def test_it_is_there_under_the_name_that_its_owner_chose(
    connect: Connect, owner: pytest.MonkeyPatch, name: str
) -> None:
    owner.setenv(VARIABLE, name)
    async with connect(PLUGIN) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [name]
        assert text_of(await client.call_tool(name, {"message": "héllo"})) == "Echo: héllo"


@pytest.mark.parametrize("value", [None, ""], ids=["unset", "empty"])
async def test_without_a_name_it_is_not_there(connect: Connect, owner: pytest.MonkeyPatch, value: str | None) -> None:
    if value is not None:
        owner.setenv(VARIABLE, value)
    async with connect("calculator") as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
    assert "calculate" in tools
    assert len(tools) == 7


@pytest.mark.parametrize("name", ["my tool", " ", "a" * 129, "tool!", "tool/x", "wörk", "x\n"])
@pytest.mark.parametrize("plugins", ["calculator", PLUGIN])
def test_a_name_that_no_tool_can_have_is_refused_at_start(owner: pytest.MonkeyPatch, name: str, plugins: str) -> None:
    owner.setenv(VARIABLE, name)
    refusal = CliRunner().invoke(cli, ["--plugins", plugins, "sse", "--port", "0"])
    assert refusal.exit_code == 2
    assert f"plugin '{PLUGIN}' (everything-server-calculator" in refusal.output
    assert "SAMPLE_TOOL_NAME must be the name of a tool: 1 to 128 letters" in refusal.output
    assert "Traceback" not in refusal.output


def test_disabled_its_name_does_not_matter(owner: pytest.MonkeyPatch) -> None:
    owner.setenv(VARIABLE, "no name")
    manager = PluginManager(["calculator"], [PLUGIN])
    manager.load()
    manager.check()


async def test_alone_it_is_all_there_is(offer_of: Any, owner: pytest.MonkeyPatch) -> None:
    owner.setenv(VARIABLE, "my_tool")
    assert await offer_of(PLUGIN) == {"tools": ["my_tool"], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any, owner: pytest.MonkeyPatch) -> None:
    owner.setenv(VARIABLE, "my_tool")
    assert await lost_without(PLUGIN, among="calculator") == {"tools": ["my_tool"]}
