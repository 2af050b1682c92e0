"""`conformance.input-required-result-multiple-inputs`."""

from typing import Any

import pytest
from everything_server import Era
from harness.client_side import raw_client
from harness.plugins import Message

PLUGIN = "conformance.input-required-result-multiple-inputs"
TOOL = "test_input_required_result_multiple_inputs"
ABLE: Message = {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}
ANSWERS: dict[str, Any] = {
    "user_name": {"action": "accept", "content": {"name": "Ada"}},
    "greeting": {"role": "assistant", "content": {"type": "text", "text": "Good day"}, "model": "model-x"},
    "client_roots": {"roots": [{"uri": "file:///a"}]},
}


async def test_it_asks_for_three_things_at_once_and_puts_the_answers_together() -> None:
    async with raw_client(PLUGIN, Era.MODERN, ABLE) as client:
        asked = await client.request("tools/call", {"name": TOOL})
        methods = {key: question["method"] for key, question in asked["inputRequests"].items()}
        params = {"name": TOOL, "inputResponses": ANSWERS, "requestState": asked["requestState"]}
        result = await client.request("tools/call", params)
    assert methods == {
        "user_name": "elicitation/create",
        "greeting": "sampling/createMessage",
        "client_roots": "roots/list",
    }
    assert result["content"][0]["text"] == "To Ada, who has 1 roots: Good day"


@pytest.mark.parametrize("missing", ANSWERS)
async def test_while_an_answer_is_missing_it_asks_again(missing: str) -> None:
    answers = {key: answer for key, answer in ANSWERS.items() if key != missing}
    async with raw_client(PLUGIN, Era.MODERN, ABLE) as client:
        state = (await client.request("tools/call", {"name": TOOL}))["requestState"]
        params = {"name": TOOL, "inputResponses": answers, "requestState": state}
        assert (await client.request("tools/call", params))["resultType"] == "input_required"


@pytest.mark.parametrize("missing", ABLE)
async def test_whoever_cannot_answer_all_is_asked_nothing(missing: str) -> None:
    declared = {name: value for name, value in ABLE.items() if name != missing}
    async with raw_client(PLUGIN, Era.MODERN, declared) as client:
        error = await client.refused("tools/call", {"name": TOOL})
    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": ABLE})
