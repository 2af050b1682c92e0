"""`conformance.multi-input`."""

import itertools

import pytest
from everything_server import Era
from harness.client_side import raw_client

PLUGINS = "conformance.multi-input,tasks.extension"
ABLE = {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
KEYS = ("first", "second")


@pytest.mark.parametrize("order", list(itertools.permutations(KEYS)), ids=" then ".join)
async def test_its_two_questions_can_be_answered_one_at_a_time(order: tuple[str, ...]) -> None:
    async with raw_client(PLUGINS, Era.MODERN, ABLE) as client:
        task = {"taskId": (await client.call("multi_input"))["taskId"]}
        for answered, key in enumerate(order):
            waiting = await client.request("tasks/get", task)
            assert waiting["status"] == "input_required"
            assert {*waiting["inputRequests"]} == {*order[answered:]}
            answer = {"action": "accept", "content": {"name": f"{key} name", "confirm": True}}
            await client.request("tasks/update", {**task, "inputResponses": {key: answer}})
        ended = await client.request("tasks/get", task)
    assert ended["status"] == "completed"
    assert ended["result"]["content"][0]["text"] == "first: first name, second: second name"
