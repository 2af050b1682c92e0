"""`conformance.input-required-result-capabilities`."""

import pytest
from everything_server import Era
from harness.client_side import raw_client
from harness.plugins import Message

PLUGIN = "conformance.input-required-result-capabilities"
TOOL = "test_input_required_result_capabilities"

FORM, SAMPLING, ROOTS = "elicitation/create", "sampling/createMessage", "roots/list"


@pytest.mark.parametrize(
    ("declared", "asked"),
    [
        ({"sampling": {}}, [SAMPLING]),
        ({"elicitation": {}}, [FORM]),
        ({"elicitation": {"form": {}, "url": {}}}, [FORM]),
        ({"elicitation": {"url": {}}, "roots": {}}, [ROOTS]),
        ({"elicitation": {}, "sampling": {}, "roots": {}}, [FORM, SAMPLING, ROOTS]),
    ],
    ids=str,
)
async def test_it_asks_what_the_client_can_answer_and_nothing_else(declared: Message, asked: list[str]) -> None:
    async with raw_client(PLUGIN, Era.MODERN, declared) as client:
        questions = (await client.request("tools/call", {"name": TOOL}))["inputRequests"]
    assert [question["method"] for question in questions.values()] == asked


@pytest.mark.parametrize("declared", [{}, {"elicitation": {"url": {}}}], ids=str)
async def test_whom_it_can_ask_nothing_it_tells_so(declared: Message) -> None:
    async with raw_client(PLUGIN, Era.MODERN, declared) as client:
        assert await client.call_text(TOOL) == "The client can be asked nothing."


async def test_it_says_which_answers_have_come() -> None:
    answers = {"elicitation": {"action": "decline"}}
    async with raw_client(PLUGIN, Era.MODERN, {"elicitation": {}}) as client:
        result = await client.request("tools/call", {"name": TOOL, "inputResponses": answers})
    assert result["content"][0]["text"] == "Received: elicitation"
