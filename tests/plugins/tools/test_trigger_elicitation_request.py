"""`tools.trigger-elicitation-request`."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from everything_server import Era
from harness import Connect, connector
from harness.client_side import (
    ACCEPT_NOTHING,
    CANCEL,
    DECLINE,
    Ear,
    User,
    accept,
    problem_in,
    raw_client,
    responses,
    texts_of,
)
from harness.plugins import Message
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    ErrorData,
    InputRequiredResult,
    ListRootsResult,
    ToolListChangedNotification,
)

TOOL = "trigger-elicitation-request"
PLUGIN = "tools.trigger-elicitation-request"

ALL = accept(
    name="Ann",
    check=True,
    firstLine="zzz-first",
    email="a@b.c",
    homepage="http://x.y",
    birthdate="2000-01-01",
    integer=7,
    number=2.5,
    untitledSingleSelectEnum="Ross",
    untitledMultipleSelectEnum=["Bass", "Drums"],
    titledSingleSelectEnum="hero-2",
    titledMultipleSelectEnum=["fish-1", "fish-3"],
    legacyTitledEnum="pet-5",
)
ALL_SHOWN = [
    "The answers:",
    "- Name: Ann",
    "- Agreed to terms: true",
    "- First line: zzz-first",
    "- Email: a@b.c",
    "- Homepage: http://x.y",
    "- Birthdate: 2000-01-01",
    "- Favorite Integer: 7",
    "- Favorite Number: 2.5",
    "- Friend: Ross",
    "- Instruments: Bass, Drums",
    "- Hero: Green Lantern",
    "- Fish: Tuna, Trout",
    "- Pet: Reptiles",
]
FIELDS: dict[str, str] = {
    "name": "string",
    "check": "boolean",
    "firstLine": "string",
    "email": "string",
    "homepage": "string",
    "birthdate": "string",
    "integer": "integer",
    "number": "number",
    "untitledSingleSelectEnum": "string",
    "untitledMultipleSelectEnum": "array",
    "titledSingleSelectEnum": "string",
    "titledMultipleSelectEnum": "array",
    "legacyTitledEnum": "string",
}

INVALID: list[tuple[str, ElicitResult]] = [
    ("content", ACCEPT_NOTHING),
    ("name", accept()),
    ("name", accept(name=5)),
    ("integer", accept(name="A", integer="7")),
    ("integer", accept(name="A", integer=101)),
    ("integer", accept(name="A", integer=0)),
    ("integer", accept(name="A", integer=1.5)),
    ("number", accept(name="A", number=1000.5)),
    ("check", accept(name="A", check="true")),
    ("birthdate", accept(name="A", birthdate="yesterday")),
    ("email", accept(name="A", email="nobody")),
    ("homepage", accept(name="A", homepage="not a uri")),
    ("untitledSingleSelectEnum", accept(name="A", untitledSingleSelectEnum="Gunther")),
    ("titledSingleSelectEnum", accept(name="A", titledSingleSelectEnum="Superman")),
    ("untitledMultipleSelectEnum", accept(name="A", untitledMultipleSelectEnum=["Guitar", "Piano", "Violin", "Bass"])),
    ("untitledMultipleSelectEnum", accept(name="A", untitledMultipleSelectEnum=[])),
    ("titledMultipleSelectEnum[0]", accept(name="A", titledMultipleSelectEnum=["Tuna"])),
    ("legacyTitledEnum", accept(name="A", legacyTitledEnum="Cats")),
]


def _id(value: Any) -> str | None:
    return json.dumps(value.content)[:50] if isinstance(value, ElicitResult) else None


def _content(answer: ElicitResult) -> Message:
    return json.loads(answer.model_dump_json(by_alias=True, exclude_none=True))


async def test_the_form_has_every_kind_of_field(connect: Connect) -> None:
    user = User(DECLINE)
    async with connect(PLUGIN, elicitation_callback=user) as client:
        await client.call_tool(TOOL)
    [asked] = user.asked
    assert isinstance(asked, ElicitRequestFormParams)
    assert asked.message
    assert asked.requested_schema["type"] == "object"
    assert asked.requested_schema["required"] == ["name"]
    fields = asked.requested_schema["properties"]
    assert {name: field["type"] for name, field in fields.items()} == FIELDS
    assert all(field["title"] and field["description"] for field in fields.values())
    assert {field["format"] for field in fields.values() if "format" in field} == {"email", "uri", "date"}
    assert set(fields["titledSingleSelectEnum"]["oneOf"][0]) == {"const", "title"}
    assert set(fields["titledMultipleSelectEnum"]["items"]["anyOf"][0]) == {"const", "title"}
    assert len(fields["legacyTitledEnum"]["enum"]) == len(fields["legacyTitledEnum"]["enumNames"])
    assert [fields["titledMultipleSelectEnum"][limit] for limit in ("minItems", "maxItems")] == [1, 3]
    assert "default" not in fields["name"]


async def test_every_answer_is_shown_on_a_line_of_its_own(connect: Connect) -> None:
    async with connect(PLUGIN, elicitation_callback=User(ALL)) as client:
        headline, answers, raw = texts_of(await client.call_tool(TOOL))
    assert headline == "The user filled in the form."
    assert answers.splitlines() == ALL_SHOWN
    assert json.loads(raw.removeprefix("Raw answer: ")) == _content(ALL)


async def test_what_was_left_out_is_not_shown(connect: Connect) -> None:
    async with connect(PLUGIN, elicitation_callback=User(accept(name="N-11"))) as client:
        _, answers, _ = texts_of(await client.call_tool(TOOL))
    assert answers == "The answers:\n- Name: N-11"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ({"check": False}, "- Agreed to terms: false"),
        ({"integer": 100}, "- Favorite Integer: 100"),
        ({"number": 0}, "- Favorite Number: 0"),
        ({"number": 3.0}, "- Favorite Number: 3"),
        ({"email": ""}, None),
    ],
    ids=str,
)
async def test_values_at_the_edge_are_shown_as_they_are(connect: Connect, content: Message, line: str | None) -> None:
    async with connect(PLUGIN, elicitation_callback=User(accept(name="A", **content), DECLINE)) as client:
        result = await client.call_tool(TOOL)
    if line is not None:
        assert texts_of(result)[1].splitlines()[-1] == line
    else:  # an empty text is no e-mail address: legacy an error, modern asked again and declined
        assert result.is_error or "declined" in texts_of(result)[0]


@pytest.mark.parametrize(
    ("answer", "headline"),
    [
        (DECLINE, "The user declined to fill in the form."),
        (CANCEL, "The user cancelled the form."),
    ],
    ids=["decline", "cancel"],
)
async def test_a_user_who_does_not_fill_it_in_is_no_error(
    connect: Connect, answer: ElicitResult, headline: str
) -> None:
    async with connect(PLUGIN, elicitation_callback=User(answer)) as client:
        first, raw = texts_of(await client.call_tool(TOOL))
    assert first == headline
    assert json.loads(raw.removeprefix("Raw answer: ")) == {"action": answer.action}


@pytest.mark.parametrize(("field", "answer"), INVALID, ids=_id)
async def test_legacy_an_invalid_form_is_an_error_that_names_the_field(field: str, answer: ElicitResult) -> None:
    user = User(answer)
    async with connector(Era.LEGACY)(PLUGIN, elicitation_callback=user) as client:
        heading, *problems = problem_in(await client.call_tool(TOOL)).split("\n- ")
    assert heading == "The form was filled in wrongly:"
    assert {problem.partition(": ")[0] for problem in problems} == {field}
    assert len(user.asked) == 1


@pytest.mark.parametrize(("field", "answer"), INVALID, ids=_id)
async def test_modern_an_invalid_form_is_asked_again(field: str, answer: ElicitResult) -> None:
    user = User(answer, accept(name="Second"))
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=user) as client:
        _, answers, _ = texts_of(await client.call_tool(TOOL))
    assert answers == "The answers:\n- Name: Second"
    assert user.asked[0] == user.asked[1]


async def test_legacy_a_client_that_refuses_makes_an_error_result() -> None:
    user = User(ErrorData(code=-1, message="no user here"))
    async with connector(Era.LEGACY)(PLUGIN, elicitation_callback=user) as client:
        problem = problem_in(await client.call_tool(TOOL))
    assert problem == "The client did not answer elicitation/create: no user here"


async def test_legacy_an_answer_of_the_wrong_form_makes_an_error_result() -> None:
    async with raw_client(PLUGIN, Era.LEGACY, {"elicitation": {}}) as client:
        call = await client.start("tools/call", {"name": TOOL, "arguments": {}})
        while (question := await client.receive()).get("method") != "elicitation/create":
            pass
        await client.send({"id": question["id"], "result": {"action": "shrug", "canary": "canary-7781"}})
        result = (await client.answer(call))["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"] == "The client's answer to elicitation/create has the wrong form"


async def test_legacy_what_modern_clients_answer_with_means_nothing() -> None:
    async with raw_client(PLUGIN, Era.LEGACY, {"elicitation": {}}) as client:
        params = {"name": TOOL, "arguments": {}, "inputResponses": {"profile": {"action": "cancel"}}}
        call = await client.start("tools/call", params)
        while (question := await client.receive()).get("method") != "elicitation/create":
            pass
        await client.send({"id": question["id"], "result": {"action": "decline"}})
        result = (await client.answer(call))["result"]
    assert result["content"][0]["text"] == "The user declined to fill in the form."


async def test_legacy_a_client_that_can_show_forms_is_told_of_the_tool() -> None:
    ear = Ear()
    async with connector(Era.LEGACY)(PLUGIN, elicitation_callback=User(), message_handler=ear) as client:
        await ear.until_heard(ToolListChangedNotification)
        assert [tool.name for tool in (await client.list_tools()).tools] == [TOOL]


@pytest.mark.parametrize("declared", [{"elicitation": {}}, {"elicitation": {"form": {}}}], ids=["empty", "form"])
async def test_an_empty_capability_means_forms(era: Era, declared: Message) -> None:
    async with raw_client(PLUGIN, era, declared) as client:
        call = await client.start("tools/call", {"name": TOOL, "arguments": {}})
        if era is Era.MODERN:
            result = (await client.answer(call))["result"]
            assert result["inputRequests"]["profile"]["params"]["mode"] == "form"
            return
        while (question := await client.receive()).get("method") != "elicitation/create":
            pass
        await client.send({"id": question["id"], "result": {"action": "cancel"}})
        result = (await client.answer(call))["result"]
    assert result["content"][0]["text"] == "The user cancelled the form."


async def test_modern_the_question_is_a_result() -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User()) as client:
        asked = await client.session.call_tool(TOOL, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        [(key, request)] = (asked.input_requests or {}).items()
        assert key == "profile"
        assert isinstance(request, ElicitRequest)


@pytest.mark.parametrize(
    "answers",
    [responses(), responses(wrong=ALL), responses(profile=ListRootsResult(roots=[]))],
    ids=["none", "wrong key", "wrong kind"],
)
async def test_modern_a_missing_answer_is_asked_for_again(answers: Any) -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User()) as client:
        asked = await client.session.call_tool(TOOL, input_responses=answers, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        assert list(asked.input_requests or {}) == ["profile"]


async def test_modern_a_state_that_the_server_did_not_give_is_refused() -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User()) as client:
        with pytest.raises(MCPError) as refusal:
            await client.call_tool(TOOL, input_responses=responses(profile=ALL), request_state="garbage")
    assert refusal.value.code == -32602


@pytest.mark.parametrize(
    "declared", [{}, {"elicitation": {"url": {}}}, {"sampling": {}, "roots": {}}], ids=["nothing", "url", "others"]
)
async def test_a_client_that_shows_no_forms_is_not_asked(undeclared: Callable[..., Any], declared: Message) -> None:
    await undeclared(PLUGIN, {}, declared, {"elicitation": {"form": {}}})


async def test_there_are_no_arguments(connect: Connect, refused: Any) -> None:
    user = User()
    async with connect(PLUGIN, elicitation_callback=user) as client:
        assert refused(await client.call_tool(TOOL, {"name": "Ann"})) == ["name"]
    assert user.asked == []


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN, elicitation_callback=User()) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, elicitation_callback=User()) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN, elicitation_callback=User()) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
