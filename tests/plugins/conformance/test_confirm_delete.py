"""`conformance.confirm-delete`."""

import pytest
from everything_server import Era
from harness.client_side import raw_client
from harness.plugins import Message

PLUGINS = "conformance.confirm-delete,tasks.extension"
ABLE = {"elicitation": {"form": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}}}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"action": "accept", "content": {"confirm": True}}, "a.txt was deleted"),
        ({"action": "accept", "content": {"confirm": False}}, "a.txt was kept"),
        ({"action": "decline"}, "a.txt was kept"),
    ],
    ids=["confirmed", "not confirmed", "declined"],
)
async def test_its_task_waits_for_the_users_word(answer: Message, outcome: str) -> None:
    async with raw_client(PLUGINS, Era.MODERN, ABLE) as client:
        task = {"taskId": (await client.call("confirm_delete", filename="a.txt"))["taskId"]}
        waiting = await client.request("tasks/get", task)
        assert waiting["status"] == "input_required"
        [(key, question)] = waiting["inputRequests"].items()
        assert question["params"]["message"] == "Delete a.txt?"
        await client.request("tasks/update", {**task, "inputResponses": {key: answer}})
        ended = await client.request("tasks/get", task)
    assert ended["status"] == "completed"
    assert ended["result"]["content"][0]["text"].startswith(outcome)


@pytest.mark.parametrize("missing", ABLE)
async def test_it_is_for_clients_only_that_know_tasks_and_forms(missing: str) -> None:
    declared = {name: value for name, value in ABLE.items() if name != missing}
    async with raw_client(PLUGINS, Era.MODERN, declared) as client:
        error = await client.refused("tools/call", {"name": "confirm_delete", "arguments": {"filename": "a.txt"}})
    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": ABLE})
