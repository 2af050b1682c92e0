"""`extras.elicitation-prompt`."""

from typing import Any

import pytest
from everything_server import Era
from harness import Connect
from harness.client_side import ACCEPT_NOTHING, CANCEL, DECLINE, User, accept, raw_client, requests_in
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequestFormParams, ElicitResult, GetPromptResult, TextContent

PLUGIN = "extras.elicitation-prompt"
PROMPT = "elicitation-prompt"
ABLE = {"elicitation": {"form": {}}}


def _text(result: GetPromptResult) -> str:
    [message] = result.messages
    assert message.role == "user"
    assert isinstance(message.content, TextContent)
    return message.content.text


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (accept(subject="rain"), "Please explain in one sentence: rain"),
        (accept(subject="雨"), "Please explain in one sentence: 雨"),
        (DECLINE, "The user declined to name a subject. Please explain one of your choice in one sentence."),
        (CANCEL, "The user cancelled the question for a subject. Please ask what you can do instead."),
    ],
    ids=["accepted", "accepted in Japanese", "declined", "cancelled"],
)
async def test_the_prompt_is_made_from_the_answer(connect: Connect, answer: ElicitResult, text: str) -> None:
    user = User(answer)
    async with connect(PLUGIN, elicitation_callback=user) as client:
        result = await client.get_prompt(PROMPT)
    assert _text(result) == text
    [asked] = user.asked
    assert isinstance(asked, ElicitRequestFormParams)
    assert asked.requested_schema["required"] == ["subject"]


@pytest.mark.parametrize("wrong", [ACCEPT_NOTHING, accept(subject=""), accept(subject=3)], ids=str)
async def test_a_wrong_answer_is_asked_for_again_or_refused(connect: Connect, era: Era, wrong: ElicitResult) -> None:
    user = User(wrong, accept(subject="rain"))
    async with connect(PLUGIN, elicitation_callback=user) as client:
        if era is Era.LEGACY:
            with pytest.raises(MCPError, match="filled in wrongly") as refusal:
                await client.get_prompt(PROMPT)
            assert refusal.value.code == -32602
        else:
            assert _text(await client.get_prompt(PROMPT)) == "Please explain in one sentence: rain"
            assert len(user.asked) == 2


async def test_a_modern_client_gets_the_question_as_a_result() -> None:
    async with raw_client(PLUGIN, Era.MODERN, ABLE) as client:
        result = await client.request("prompts/get", {"name": PROMPT})
        assert result["resultType"] == "input_required"
        [(key, question)] = result["inputRequests"].items()
        assert question["method"] == "elicitation/create"
        assert question["params"]["mode"] == "form"
        answers = {key: {"action": "accept", "content": {"subject": "rain"}}}
        again = await client.request("prompts/get", {"name": PROMPT, "inputResponses": answers})
    assert again["resultType"] == "complete"
    assert again["messages"][0]["content"]["text"].endswith(": rain")


async def test_a_legacy_client_is_asked_within_the_request() -> None:
    async with raw_client(PLUGIN, Era.LEGACY, ABLE) as client:
        call = await client.start("prompts/get", {"name": PROMPT})
        question = await client.receive()
        assert question["method"] == "elicitation/create"
        await client.send({"id": question["id"], "result": {"action": "decline"}})
        result = (await client.answer(call))["result"]
    assert "declined" in result["messages"][0]["content"]["text"]


@pytest.mark.parametrize("declared", [{}, {"elicitation": {"url": {}}}], ids=["nothing", "url only"])
async def test_who_cannot_answer_is_not_asked(era: Era, declared: dict[str, Any]) -> None:
    async with raw_client(PLUGIN, era, declared) as client:
        error = await client.refused("prompts/get", {"name": PROMPT})
    assert requests_in(client.others) == []
    assert "elicitation.form" in error["message"]
    if era is Era.MODERN:
        assert error["code"] == -32021
        assert error["data"] == {"requiredCapabilities": ABLE}
    else:
        assert error["code"] == -32602


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"prompts": [PROMPT], "capabilities": ["prompts"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"prompts": [PROMPT]}


async def test_disabled_it_is_an_unknown_prompt(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown prompt: {PROMPT}") as refusal:
            await client.get_prompt(PROMPT)
    assert refusal.value.code == -32602
