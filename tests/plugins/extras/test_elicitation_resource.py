"""`extras.elicitation-resource`."""

from typing import Any

import pytest
from everything_server import Era
from harness import Connect
from harness.client_side import ACCEPT_NOTHING, CANCEL, DECLINE, User, accept, raw_client, requests_in
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ElicitRequestFormParams,
    ElicitResult,
    ReadResourceResult,
    ResourceTemplateReference,
    TextResourceContents,
)

PLUGIN = "extras.elicitation-resource"
TEMPLATE = "demo://resource/elicited/greeting/{language}"
GERMAN = TEMPLATE.format(language="german")
ABLE = {"elicitation": {"form": {}}}


def _text(result: ReadResourceResult) -> str:
    [content] = result.contents
    assert isinstance(content, TextResourceContents)
    assert content.uri == GERMAN
    return content.text


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (accept(name="Ada"), "Hallo, Ada!"),
        (DECLINE, "Hallo! (The user declined to give a name.)"),
        (CANCEL, "Hallo! (The user cancelled the question for a name.)"),
    ],
    ids=["accepted", "declined", "cancelled"],
)
async def test_the_content_is_made_from_the_answer(connect: Connect, answer: ElicitResult, text: str) -> None:
    user = User(answer)
    async with connect(PLUGIN, elicitation_callback=user) as client:
        result = await client.read_resource(GERMAN)
    assert _text(result) == text
    [asked] = user.asked
    assert isinstance(asked, ElicitRequestFormParams)
    assert asked.requested_schema["required"] == ["name"]


@pytest.mark.parametrize("wrong", [ACCEPT_NOTHING, accept(name=""), accept(name=["Ada"])], ids=str)
async def test_a_wrong_answer_is_asked_for_again_or_refused(connect: Connect, era: Era, wrong: ElicitResult) -> None:
    user = User(wrong, accept(name="Ada"))
    async with connect(PLUGIN, elicitation_callback=user) as client:
        if era is Era.LEGACY:
            with pytest.raises(MCPError, match="filled in wrongly") as refusal:
                await client.read_resource(GERMAN)
            assert refusal.value.code == -32602
        else:
            assert _text(await client.read_resource(GERMAN)) == "Hallo, Ada!"
            assert len(user.asked) == 2


async def test_a_modern_client_gets_the_question_as_a_result_that_it_must_not_keep() -> None:
    async with raw_client(PLUGIN, Era.MODERN, ABLE) as client:
        result = await client.request("resources/read", {"uri": GERMAN})
        assert result["resultType"] == "input_required"
        [(key, question)] = result["inputRequests"].items()
        assert question["method"] == "elicitation/create"
        answers = {key: {"action": "accept", "content": {"name": "Ada"}}}
        again = await client.request("resources/read", {"uri": GERMAN, "inputResponses": answers})
    assert again["contents"][0]["text"] == "Hallo, Ada!"
    assert (again["ttlMs"], again["cacheScope"]) == (0, "private")


async def test_a_legacy_client_is_asked_within_the_request() -> None:
    async with raw_client(PLUGIN, Era.LEGACY, ABLE) as client:
        call = await client.start("resources/read", {"uri": GERMAN})
        question = await client.receive()
        assert question["method"] == "elicitation/create"
        await client.send(
            {"id": question["id"], "result": {"action": "accept", "content": {"name": "Ada"}}},
        )
        result = (await client.answer(call))["result"]
    assert result["contents"][0]["text"] == "Hallo, Ada!"


@pytest.mark.parametrize("declared", [{}, {"elicitation": {"url": {}}}], ids=["nothing", "url only"])
async def test_who_cannot_answer_is_not_asked(era: Era, declared: dict[str, Any]) -> None:
    async with raw_client(PLUGIN, era, declared) as client:
        error = await client.refused("resources/read", {"uri": GERMAN})
    assert requests_in(client.others) == []
    assert "elicitation.form" in error["message"]
    if era is Era.MODERN:
        assert error["code"] == -32021
        assert error["data"] == {"requiredCapabilities": ABLE}
    else:
        assert error["code"] == -32602


@pytest.mark.parametrize("language", ["klingon", "German", "germa%6E", "german/"])
async def test_an_unknown_language_is_an_unknown_resource_and_nothing_is_asked(
    connect: Connect, era: Era, language: str
) -> None:
    uri, user = TEMPLATE.format(language=language), User()
    async with connect(PLUGIN, elicitation_callback=user) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(uri)
    assert refusal.value.code == (-32002 if era is Era.LEGACY else -32602)
    assert refusal.value.data == {"uri": uri}
    assert user.asked == []


@pytest.mark.parametrize(
    ("typed", "found"), [("", ["english", "french", "german", "spanish"]), ("g", ["german"]), ("x", [])]
)
async def test_the_language_can_be_completed(connect: Connect, typed: str, found: list[str]) -> None:
    async with connect(PLUGIN) as client:
        reference = ResourceTemplateReference(type="ref/resource", uri=TEMPLATE)
        result = await client.complete(reference, {"name": "language", "value": typed})
    assert result.completion.values == found


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"templates": [TEMPLATE], "capabilities": ["completions", "resources"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"templates": [TEMPLATE]}


async def test_disabled_it_is_an_unknown_resource(connect: Connect, era: Era) -> None:
    user = User()
    async with connect(disable=PLUGIN, elicitation_callback=user) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(GERMAN)
    assert refusal.value.code == (-32002 if era is Era.LEGACY else -32602)
    assert user.asked == []
