"""`tools.get-roots-list`."""

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from everything_server import Era
from harness import Connect, connector
from harness.client_side import Ear, raw_client, requests_in, responses, text_of
from harness.plugins import Message
from mcp.client import Client, ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ErrorData,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    LoggingMessageNotification,
    Root,
    ToolListChangedNotification,
)
from pydantic import FileUrl

TOOL = "get-roots-list"
PLUGIN = "tools.get-roots-list"

ROOTS = [Root(uri=FileUrl("file:///alpha"), name="Alpha"), Root(uri=FileUrl("file:///beta"))]
LISTED = "The client has 2 roots:\n1. Alpha: file:///alpha\n2. Unnamed: file:///beta"


class Roots:
    """A client's roots, which can change."""

    def __init__(self, *roots: Root) -> None:
        self.roots = list(roots)
        self.asked = 0

    async def __call__(self, context: ClientRequestContext) -> ListRootsResult | ErrorData:
        self.asked += 1
        return ListRootsResult(roots=self.roots)


async def refuse(context: ClientRequestContext) -> ListRootsResult | ErrorData:
    return ErrorData(code=-1, message="canary-7781")


def _logged(ear: Ear) -> list[Any]:
    return [message.params.data for message in ear.all(LoggingMessageNotification)]


async def _roots_are_synced(client: Client, ear: Ear, count: int = 1) -> None:
    """A legacy server asks for the roots when it likes; it logs when it has them."""
    if client.protocol_version != "2026-07-28":
        await ear.until_heard(LoggingMessageNotification, count)


@pytest.mark.parametrize(
    ("roots", "text"),
    [(ROOTS, LISTED), ([], "The client has no roots.")],
    ids=["two", "none"],
)
async def test_the_roots_of_the_client_are_listed(connect: Connect, roots: list[Root], text: str) -> None:
    ear = Ear()
    async with connect(PLUGIN, list_roots_callback=Roots(*roots), message_handler=ear) as client:
        await _roots_are_synced(client, ear)
        assert text_of(await client.call_tool(TOOL)) == text


async def test_changed_roots_are_listed_as_they_are_now(connect: Connect) -> None:
    ear, roots = Ear(), Roots(*ROOTS)
    async with connect(PLUGIN, list_roots_callback=roots, message_handler=ear) as client:
        await _roots_are_synced(client, ear)
        await client.call_tool(TOOL)
        roots.roots = ROOTS[1:]
        if client.protocol_version != "2026-07-28":
            with pytest.warns():  # in favour of what this era has not got
                await client.send_roots_list_changed()  # pyright: ignore[reportDeprecated]
        await _roots_are_synced(client, ear, count=2)
        assert text_of(await client.call_tool(TOOL)) == "The client has 1 roots:\n1. Unnamed: file:///beta"
    assert roots.asked == 2


async def test_legacy_what_came_of_asking_is_logged() -> None:
    ear = Ear()
    async with connector(Era.LEGACY)(PLUGIN, list_roots_callback=Roots(*ROOTS), message_handler=ear):
        await ear.until_heard(LoggingMessageNotification)
    assert _logged(ear) == ["Received 2 roots: Alpha, file:///beta"]


async def test_legacy_a_client_that_refuses_is_told_that_it_gave_none() -> None:
    ear = Ear()
    async with connector(Era.LEGACY)(PLUGIN, list_roots_callback=refuse, message_handler=ear) as client:
        await ear.until_heard(LoggingMessageNotification)
        assert text_of(await client.call_tool(TOOL)) == "The client has not given its roots yet."
    assert _logged(ear) == ["The client did not give its roots"]


async def test_legacy_a_call_does_not_wait_for_roots_that_do_not_come() -> None:
    asked, answer = anyio.Event(), anyio.Event()

    async def hesitate(context: ClientRequestContext) -> ListRootsResult | ErrorData:
        asked.set()
        await answer.wait()
        return ListRootsResult(roots=ROOTS)

    ear = Ear()
    async with connector(Era.LEGACY)(PLUGIN, list_roots_callback=hesitate, message_handler=ear) as client:
        await asked.wait()
        assert text_of(await client.call_tool(TOOL)) == "The client has not given its roots yet."
        answer.set()
        await ear.until_heard(LoggingMessageNotification)
        assert text_of(await client.call_tool(TOOL)) == LISTED


async def test_legacy_a_client_that_can_give_roots_is_told_of_the_tool() -> None:
    ear = Ear()
    async with connector(Era.LEGACY)(PLUGIN, list_roots_callback=Roots(), message_handler=ear) as client:
        await ear.until_heard(ToolListChangedNotification)
        assert [tool.name for tool in (await client.list_tools()).tools] == [TOOL]


async def test_legacy_roots_are_asked_for_only_where_a_tool_uses_them() -> None:
    roots = Roots(*ROOTS)
    async with connector(Era.LEGACY)("tools.echo", list_roots_callback=roots) as client:
        await client.call_tool("echo", {"message": "x"})
    assert roots.asked == 0


async def test_modern_the_question_is_a_result() -> None:
    async with connector(Era.MODERN)(PLUGIN, list_roots_callback=Roots()) as client:
        asked = await client.session.call_tool(TOOL, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        assert asked.input_requests == {"roots": ListRootsRequest()}
        assert asked.request_state is None


@pytest.mark.parametrize(
    "answers",
    [
        responses(),
        responses(wrong=ListRootsResult(roots=ROOTS)),
    ],
    ids=["none", "wrong key"],
)
async def test_modern_a_missing_answer_is_asked_for_again(answers: Any) -> None:
    async with connector(Era.MODERN)(PLUGIN, list_roots_callback=Roots()) as client:
        asked = await client.session.call_tool(TOOL, input_responses=answers, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        assert list(asked.input_requests or {}) == ["roots"]


async def test_modern_an_answer_to_another_question_is_asked_for_again() -> None:
    async with raw_client(PLUGIN, Era.MODERN, {"roots": {}}) as client:
        answer: Message = {"roots": {"action": "accept", "content": {}}}
        result = await client.request("tools/call", {"name": TOOL, "arguments": {}, "inputResponses": answer})
    assert result["resultType"] == "input_required"
    assert list(result["inputRequests"]) == ["roots"]


async def test_modern_a_state_that_the_server_did_not_give_is_refused() -> None:
    async with connector(Era.MODERN)(PLUGIN, list_roots_callback=Roots()) as client:
        with pytest.raises(MCPError) as refusal:
            await client.call_tool(TOOL, request_state="garbage")
    assert refusal.value.code == -32602


@pytest.mark.parametrize("declared", [{}, {"sampling": {}, "elicitation": {}}], ids=["nothing", "others"])
async def test_a_client_without_roots_is_not_asked(undeclared: Callable[..., Any], declared: Message) -> None:
    await undeclared(PLUGIN, {}, declared, {"roots": {}})


async def test_legacy_before_the_client_has_initialized_nothing_is_asked() -> None:
    async with raw_client("tools.echo", Era.LEGACY, {"roots": {}}) as client:
        await client.call("echo", message="x")
    assert requests_in(client.others) == []


async def test_there_are_no_arguments(connect: Connect, refused: Any) -> None:
    async with connect(PLUGIN, list_roots_callback=Roots()) as client:
        assert refused(await client.call_tool(TOOL, {"all": True})) == ["all"]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    offer = await offer_of(PLUGIN, list_roots_callback=Roots())
    assert offer == {"tools": [TOOL], "capabilities": ["logging", "tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, list_roots_callback=Roots()) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN, list_roots_callback=Roots()) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
