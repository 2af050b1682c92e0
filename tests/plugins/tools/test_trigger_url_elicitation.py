"""`tools.trigger-url-elicitation`."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from everything_server import Era
from harness import Connect, connector
from harness.client_side import CANCEL, DECLINE, Ear, User, altered, problem_in, raw_client, responses, text_of
from harness.plugins import Message
from mcp.shared.exceptions import MCPError, UrlElicitationRequiredError
from mcp_types import (
    ElicitRequest,
    ElicitRequestURLParams,
    ElicitResult,
    ErrorData,
    InputRequiredResult,
    ListRootsResult,
    ToolListChangedNotification,
)

TOOL = "trigger-url-elicitation"
PLUGIN = "tools.trigger-url-elicitation"

URL = "https://example.com/x?y=1"
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ACCEPT = ElicitResult(action="accept")


def _page(user: User) -> ElicitRequestURLParams:
    [asked] = user.asked
    assert isinstance(asked, ElicitRequestURLParams)
    return asked


@pytest.mark.parametrize(
    ("answer", "what"),
    [(ACCEPT, "agreed to open"), (DECLINE, "declined to open"), (CANCEL, "cancelled")],
    ids=["accept", "decline", "cancel"],
)
async def test_the_user_is_sent_to_the_page_and_the_answer_told(
    connect: Connect, answer: ElicitResult, what: str
) -> None:
    user = User(answer)
    async with connect(PLUGIN, elicitation_callback=user) as client:
        text = text_of(await client.call_tool(TOOL, {"url": URL, "message": "m-77", "elicitationId": "id-77"}))
    assert text == f"The user {what} (elicitation id-77): {URL}"
    page = _page(user)
    assert (page.mode, page.url, page.message) == ("url", URL, "m-77")


async def test_an_elicitation_without_an_identifier_gets_a_new_one(connect: Connect) -> None:
    first, second = User(ACCEPT), User(ACCEPT)
    identifiers: list[str] = []
    for user in (first, second):
        async with connect(PLUGIN, elicitation_callback=user) as client:
            text = text_of(await client.call_tool(TOOL, {"url": URL}))
        identifiers.append(text.partition("(elicitation ")[2].partition(")")[0])
        assert _page(user).message == "Please open the link to complete this action."
    assert all(UUID.fullmatch(identifier) for identifier in identifiers)
    assert len(set(identifiers)) == 2


async def test_legacy_the_question_has_the_identifier_that_the_result_tells() -> None:
    user = User(ACCEPT)
    async with connector(Era.LEGACY)(PLUGIN, elicitation_callback=user) as client:
        text = text_of(await client.call_tool(TOOL, {"url": URL}))
    assert text == f"The user agreed to open (elicitation {_page(user).elicitation_id}): {URL}"


async def test_legacy_the_error_path_refuses_the_first_call_and_lets_the_second_pass() -> None:
    user = User(ACCEPT)
    arguments = {"url": URL, "message": "first this", "elicitationId": "ep1", "errorPath": True}
    async with connector(Era.LEGACY)(PLUGIN, elicitation_callback=user) as client:
        with pytest.raises(MCPError) as refusal:
            await client.call_tool(TOOL, arguments)
        assert user.asked == []
        text = text_of(await client.call_tool(TOOL, arguments))
    assert refusal.value.code == -32042
    required = UrlElicitationRequiredError.from_error(refusal.value.error)
    [elicitation] = required.elicitations
    assert (elicitation.mode, elicitation.url, elicitation.message) == ("url", URL, "first this")
    assert elicitation.elicitation_id
    assert text == f"The user agreed to open (elicitation ep1): {URL}"


async def test_legacy_the_error_path_remembers_pages_and_connections_apart() -> None:
    connect = connector(Era.LEGACY)

    async def code(client: Any, url: str) -> int | None:
        try:
            await client.call_tool(TOOL, {"url": url, "errorPath": True})
        except MCPError as error:
            return error.code
        return None

    async with (
        connect(PLUGIN, elicitation_callback=User(ACCEPT, ACCEPT)) as client,
        connect(PLUGIN, elicitation_callback=User(ACCEPT)) as other,
    ):
        codes = [await code(who, url) for who, url in ((client, URL), (client, f"{URL}2"), (client, URL), (other, URL))]
    assert codes == [-32042, -32042, None, -32042]


async def test_legacy_without_the_error_path_nothing_is_refused() -> None:
    async with connector(Era.LEGACY)(PLUGIN, elicitation_callback=User(ACCEPT)) as client:
        assert "agreed" in text_of(await client.call_tool(TOOL, {"url": URL, "errorPath": False}))


async def test_modern_there_is_no_error_path(refused: Any) -> None:
    user = User(ACCEPT)
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=user) as client:
        assert refused(await client.call_tool(TOOL, {"url": URL, "errorPath": True})) == ["errorPath"]
    assert user.asked == []


async def test_legacy_a_client_that_refuses_makes_an_error_result() -> None:
    user = User(ErrorData(code=-1, message="no browser"))
    async with connector(Era.LEGACY)(PLUGIN, elicitation_callback=user) as client:
        problem = problem_in(await client.call_tool(TOOL, {"url": URL}))
    assert problem == "The client did not answer elicitation/create: no browser"


async def test_legacy_a_client_that_can_open_pages_is_told_of_the_tool() -> None:
    ear = Ear()
    async with connector(Era.LEGACY)(PLUGIN, elicitation_callback=User(), message_handler=ear) as client:
        await ear.until_heard(ToolListChangedNotification)
        assert [tool.name for tool in (await client.list_tools()).tools] == [TOOL]


async def test_a_client_that_shows_no_forms_can_open_pages(era: Era) -> None:
    async with raw_client(PLUGIN, era, {"elicitation": {"url": {}}}) as client:
        call = await client.start("tools/call", {"name": TOOL, "arguments": {"url": URL}})
        if era is Era.MODERN:
            params = (await client.answer(call))["result"]["inputRequests"]["browserFlow"]["params"]
            assert (params["mode"], params["url"]) == ("url", URL)
            return
        while (question := await client.receive()).get("method") != "elicitation/create":
            pass
        assert question["params"]["mode"] == "url"
        await client.send({"id": question["id"], "result": {"action": "cancel"}})
        assert URL in (await client.answer(call))["result"]["content"][0]["text"]


async def test_modern_the_question_is_a_result() -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User()) as client:
        asked = await client.session.call_tool(TOOL, {"url": URL}, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        [(key, request)] = (asked.input_requests or {}).items()
        assert key == "browserFlow"
        assert isinstance(request, ElicitRequest)


@pytest.mark.parametrize(
    "answers",
    [responses(), responses(wrong=ACCEPT), responses(browserFlow=ListRootsResult(roots=[]))],
    ids=["none", "wrong key", "wrong kind"],
)
async def test_modern_a_missing_answer_is_asked_for_again_under_the_same_identifier(answers: Any) -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User()) as client:

        async def call(answers: Any, state: str | None) -> Any:
            return await client.session.call_tool(
                TOOL, {"url": URL}, input_responses=answers, request_state=state, allow_input_required=True
            )

        first = await call(None, None)
        again = await call(answers, first.request_state)
        assert isinstance(again, InputRequiredResult)
        assert again.input_requests == first.input_requests
        results = [await call(responses(browserFlow=DECLINE), asked.request_state) for asked in (first, again)]
    assert text_of(results[0]) == text_of(results[1])


@pytest.mark.parametrize("how", list(altered("state" * 9)))
async def test_modern_an_altered_state_is_refused(how: str) -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User()) as client:
        asked = await client.session.call_tool(TOOL, {"url": URL}, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        bad = altered(asked.request_state or "")[how]
        with pytest.raises(MCPError) as refusal:
            await client.call_tool(TOOL, {"url": URL}, input_responses=responses(browserFlow=ACCEPT), request_state=bad)
    assert refusal.value.code == -32602


@pytest.mark.parametrize(
    "arguments",
    [{"url": "https://evil.example/"}, {"url": URL, "message": "other"}, {"url": URL, "elicitationId": "mine"}],
    ids=lambda arguments: list(arguments)[-1],
)
async def test_modern_a_state_is_refused_with_other_arguments(arguments: Message) -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User()) as client:
        asked = await client.session.call_tool(TOOL, {"url": URL}, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        with pytest.raises(MCPError) as refusal:
            await client.call_tool(
                TOOL, arguments, input_responses=responses(browserFlow=ACCEPT), request_state=asked.request_state
            )
    assert refusal.value.code == -32602


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({}, ["url"]),
        ({"url": 5}, ["url"]),
        ({"url": "nope"}, ["url"]),
        ({"url": ""}, ["url"]),
        ({"url": "/path"}, ["url"]),
        ({"url": "//example.com/"}, ["url"]),
        ({"url": "https://"}, ["url"]),
        ({"url": "https://["}, ["url"]),
        ({"url": "javascript:alert(1)"}, ["url"]),
        ({"url": "file:///etc/hostname"}, ["url"]),
        ({"url": "data:text/html,x"}, ["url"]),
        ({"url": URL, "message": 5}, ["message"]),
        ({"url": URL, "elicitationId": None}, ["elicitationId"]),
        ({"url": URL, "zzz": 1}, ["zzz"]),
    ],
    ids=str,
)
async def test_bad_arguments_ask_nobody(connect: Connect, refused: Any, arguments: Message, names: list[str]) -> None:
    user = User(ACCEPT)
    async with connect(PLUGIN, elicitation_callback=user) as client:
        assert refused(await client.call_tool(TOOL, arguments)) == names
    assert user.asked == []


async def test_legacy_a_bad_page_is_refused_on_the_error_path_as_well(refused: Any) -> None:
    async with connector(Era.LEGACY)(PLUGIN, elicitation_callback=User()) as client:
        assert refused(await client.call_tool(TOOL, {"url": "nope", "errorPath": True})) == ["url"]
        assert refused(await client.call_tool(TOOL, {"url": URL, "errorPath": "yes"})) == ["errorPath"]


@pytest.mark.parametrize(
    "declared", [{}, {"elicitation": {}}, {"elicitation": {"form": {}}}, {"sampling": {}}], ids=str
)
async def test_a_client_that_opens_no_pages_is_not_asked(undeclared: Callable[..., Any], declared: Message) -> None:
    await undeclared(PLUGIN, {"url": URL}, declared, {"elicitation": {"url": {}}})


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN, elicitation_callback=User()) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, elicitation_callback=User()) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN, elicitation_callback=User()) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL, {"url": URL})
    assert refusal.value.code == -32602
