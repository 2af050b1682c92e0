"""`conformance.input-required-result-elicitation`."""

import pytest
from everything_server import Era
from harness import connector
from harness.client_side import DECLINE, User, accept, raw_client, text_of
from harness.plugins import Message

PLUGIN = "conformance.input-required-result-elicitation"
TOOL = "test_input_required_result_elicitation"


async def test_it_greets_whom_the_user_names() -> None:
    user = User(accept(name="Ada"))
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=user) as client:
        assert text_of(await client.call_tool(TOOL)) == "Hello, Ada!"


async def test_a_user_who_declines_is_greeted_as_a_stranger() -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User(DECLINE)) as client:
        assert text_of(await client.call_tool(TOOL)) == "Hello, stranger!"


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"wrong_key": {"action": "accept", "content": {"name": "Ada"}}},
        {"user_name": {"action": "accept", "content": {"name": 3}}},
    ],
    ids=str,
)
async def test_without_an_answer_that_fits_it_asks_again(answers: Message) -> None:
    async with raw_client(PLUGIN, Era.MODERN, {"elicitation": {}}) as client:
        asked = await client.request("tools/call", {"name": TOOL, "inputResponses": answers})
    assert asked["resultType"] == "input_required"
    assert list(asked["inputRequests"]) == ["user_name"]


async def test_answers_to_what_was_not_asked_do_not_matter() -> None:
    answer = {"action": "accept", "content": {"name": "Ada"}}
    async with raw_client(PLUGIN, Era.MODERN, {"elicitation": {}}) as client:
        params = {"name": TOOL, "inputResponses": {"other": answer, "user_name": answer}}
        assert (await client.request("tools/call", params))["content"][0]["text"] == "Hello, Ada!"
