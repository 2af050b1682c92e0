"""`calculator.history`."""

import json
from typing import Any

import pytest
from everything_server import Era, Settings
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from everything_server_calculator.common import histories
from harness import Connect, connector
from harness.asgi import running
from harness.client_side import factory_with
from harness.clock import FakeClock
from harness.raw_http import call, modern, modern_call, request
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference

PLUGIN = "calculator.history"
WITH_TOOLS = f"{PLUGIN},calculator.calculate,calculator.advanced,calculator.stats"
NOT_FOUND = {Era.LEGACY: -32002, Era.MODERN: -32602}
HANDLE = "{?historyHandle}"


class Calculator:
    """A client that passes its handle back, as clients of the modern era have to."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._handle: dict[str, str] = {}

    async def add(self, a: float, b: float) -> str:
        """Add two numbers; gives the id of the calculation."""
        result = await self.client.call_tool("calculate", {"op": "add", "a": a, "b": b, **self._handle})
        content = dict(result.structured_content or {})
        self._handle = {name: value for name, value in content.items() if name == "historyHandle"}
        return content["calculationId"]

    def uri(self, path: str) -> str:
        """The URI of a resource about this client's history."""
        query = "".join(f"?historyHandle={handle}" for handle in self._handle.values())
        return f"calculator://{path}{query}"


def expressions(history: Any) -> list[str]:
    assert history["shown"] == len(history["calculations"])
    return [entry["expression"] for entry in history["calculations"]]


@pytest.mark.parametrize(
    ("limit", "shown"),
    [("all", ["1 + 3", "1 + 2", "1 + 1"]), ("1", ["1 + 3"]), ("2", ["1 + 3", "1 + 2"]), ("999999999", None)],
)
async def test_the_newest_come_first_as_many_as_are_asked_for(
    connect: Connect, read_json: Any, limit: str, shown: list[str] | None
) -> None:
    async with connect(WITH_TOOLS) as client:
        calculator = Calculator(client)
        for number in (1, 2, 3):
            await calculator.add(1, number)
        history = await read_json(client, calculator.uri(f"history/{limit}"))
    assert expressions(history) == (shown or ["1 + 3", "1 + 2", "1 + 1"])
    assert history["total"] == 3


async def test_one_calculation_is_found_by_its_id(connect: Connect, read_json: Any) -> None:
    async with connect(WITH_TOOLS, settings=Settings(clock=FakeClock())) as client:
        calculator = Calculator(client)
        await calculator.add(1, 1)
        identifier = await calculator.add(2, 2)
        found = await read_json(client, calculator.uri(f"history/{identifier}"))
    assert found == {
        "id": "calc-2",
        "operation": "add",
        "expression": "2 + 2",
        "result": 4,
        "value": 4,
        "text": "2 + 2 = 4",
        "madeAt": "2026-07-28T12:00:00+00:00",
    }


async def test_a_failed_calculation_is_not_in_it(connect: Connect, read_json: Any) -> None:
    async with connect(WITH_TOOLS) as client:
        calculator = Calculator(client)
        await calculator.add(1, 1)
        assert (await client.call_tool("calculate", {"op": "divide", "a": 1, "b": 0})).is_error
        assert expressions(await read_json(client, calculator.uri("history/all"))) == ["1 + 1"]


async def test_without_any_calculation_it_is_empty(connect: Connect, read_json: Any) -> None:
    async with connect(WITH_TOOLS) as client:
        assert await read_json(client, "calculator://history/all") == {"total": 0, "shown": 0, "calculations": []}


@pytest.mark.parametrize("which", ["calc-2", "calc-0", "0", "-1", "1.5", "ALL", "01", "1234567890", "calc-1%20"])
async def test_what_is_neither_a_limit_nor_an_id_is_not_found(connect: Connect, era: Era, which: str) -> None:
    async with connect(WITH_TOOLS) as client:
        calculator = Calculator(client)
        await calculator.add(1, 1)
        uri = calculator.uri(f"history/{which}")
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(uri)
    assert (refusal.value.code, refusal.value.data) == (NOT_FOUND[era], {"uri": uri})


async def test_it_keeps_the_last_hundred(connect: Connect, era: Era, read_json: Any) -> None:
    async with connect(WITH_TOOLS) as client:
        calculator = Calculator(client)
        for number in range(103):
            await calculator.add(0, number)
        history = await read_json(client, calculator.uri("history/all"))
        with pytest.raises(MCPError):
            await client.read_resource(calculator.uri("history/calc-3"))
        assert (await read_json(client, calculator.uri("history/calc-4")))["expression"] == "0 + 3"
    assert (history["total"], history["shown"]) == (103, 100)


async def test_legacy_two_connections_never_see_each_others_history(read_json: Any) -> None:
    async with connector(Era.LEGACY)(WITH_TOOLS) as one, connector(Era.LEGACY)(WITH_TOOLS) as other:
        await Calculator(one).add(1, 1)
        await Calculator(other).add(2, 2)
        assert expressions(await read_json(one, "calculator://history/all")) == ["1 + 1"]
        assert expressions(await read_json(other, "calculator://history/all")) == ["2 + 2"]


async def test_modern_a_history_is_seen_by_those_who_have_its_handle_only(read_json: Any) -> None:
    settings = Settings()
    connect = connector(Era.MODERN)
    async with connect(WITH_TOOLS, settings=settings) as one, connect(WITH_TOOLS, settings=settings) as other:
        calculator = Calculator(one)
        await calculator.add(1, 1)
        assert expressions(await read_json(one, "calculator://history/all")) == []
        assert expressions(await read_json(other, "calculator://history/all")) == []
        assert expressions(await read_json(other, calculator.uri("history/all"))) == ["1 + 1"]
        for handle in ("unknown", ""):
            with pytest.raises(MCPError):
                await other.read_resource(f"calculator://history/all?historyHandle={handle}")


async def test_modern_a_history_that_is_used_is_kept_and_one_that_is_not_is_forgotten(read_json: Any) -> None:
    clock = FakeClock()
    async with connector(Era.MODERN)(WITH_TOOLS, settings=Settings(clock=clock)) as client:
        calculator = Calculator(client)
        await calculator.add(1, 1)
        clock.advance(599)
        assert expressions(await read_json(client, calculator.uri("history/1"))) == ["1 + 1"]
        clock.advance(599)
        await calculator.add(2, 2)
        clock.advance(600)
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(calculator.uri("history/1"))
        result = await client.call_tool(
            "calculate", {"op": "add", "a": 1, "b": 1, "historyHandle": calculator.uri("").partition("=")[2]}
        )
    assert refusal.value.code == -32602
    assert result.is_error


async def test_modern_the_history_that_was_not_used_for_the_longest_time_makes_room(
    read_json: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histories, "MOST_HISTORIES", 3)
    async with connector(Era.MODERN)(WITH_TOOLS) as client:
        first, second = Calculator(client), Calculator(client)
        await first.add(1, 1)
        await second.add(2, 2)
        await first.add(1, 2)
        await Calculator(client).add(0, 0)
        assert expressions(await read_json(client, second.uri("history/all"))) == ["2 + 2"]
        await first.add(1, 3)
        await Calculator(client).add(0, 0)
        await Calculator(client).add(0, 0)
        with pytest.raises(MCPError):
            await client.read_resource(second.uri("history/all"))
        assert len(expressions(await read_json(client, first.uri("history/all")))) == 3


async def test_modern_histories_make_room_for_each_other_by_their_size_too(
    read_json: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histories, "MOST_BYTES", 1000)
    async with connector(Era.MODERN)(WITH_TOOLS) as client:
        first, second = Calculator(client), Calculator(client)
        await first.add(1, 1)
        for number in range(6):  # over the bound by itself, and kept all the same: someone is using it
            await second.add(2, number)
        with pytest.raises(MCPError):
            await client.read_resource(first.uri("history/all"))
        assert len(expressions(await read_json(client, second.uri("history/all")))) == 6


async def test_over_http_a_session_has_its_history_and_a_modern_request_that_of_its_handle() -> None:
    app = StreamableHttpApp(factory_with("calculator"), HttpSettings(keep_alive=0))
    async with running(app) as client:
        one, other = await client.open_session(), await client.open_session()
        add = {"op": "add", "a": 1, "b": 1}
        assert await (await one.post(call("calculate", add))).text() == "1 + 1 = 2"
        for session, total in ((one, 1), (other, 0)):
            reply = await session.post(request("resources/read", {"uri": "calculator://history/all"}))
            [contents] = (await reply.result())["contents"]
            assert json.loads(contents["text"])["total"] == total
        content = (await (await client.send(modern_call("calculate", add))).result())["structuredContent"]
        again = {**add, "historyHandle": content["historyHandle"]}
        await (await client.send(modern_call("calculate", again))).result()
        uri = f"calculator://history/all?historyHandle={content['historyHandle']}"
        [contents] = (await (await client.send(modern("resources/read", {"uri": uri}))).result())["contents"]
        assert json.loads(contents["text"])["total"] == 2


async def test_a_limit_is_completed(connect: Connect, era: Era) -> None:
    uri = f"calculator://history/{{limit}}{HANDLE if era is Era.MODERN else ''}"
    async with connect(PLUGIN) as client:
        reference = ResourceTemplateReference(type="ref/resource", uri=uri)
        result = await client.complete(reference, {"name": "limit", "value": "1"})
    assert result.completion.values == ["1", "10", "100"]


def templates(era: Era) -> list[str]:
    handle = HANDLE if era is Era.MODERN else ""
    return [f"calculator://history/{{calculationId}}{handle}", f"calculator://history/{{limit}}{handle}"]


async def test_alone_it_is_all_there_is(offer_of: Any, era: Era) -> None:
    assert await offer_of(PLUGIN) == {
        "resources": ["calculator://history/all"],
        "templates": templates(era),
        "capabilities": ["completions", "resources"],
    }


async def test_disabled_it_leaves_no_trace(lost_without: Any, era: Era) -> None:
    assert await lost_without(PLUGIN, among="calculator") == {
        "resources": ["calculator://history/all"],
        "templates": templates(era),
    }
