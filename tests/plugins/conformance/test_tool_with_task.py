"""`conformance.tool-with-task`."""

from everything_server import Era, Settings
from harness.client_side import raw_client
from harness.clock import FakeClock

TOOL = "test_tool_with_task"
ABLE = {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}


async def test_what_the_user_answered_before_there_was_a_task_is_in_its_result() -> None:
    clock, plugins = FakeClock(), "conformance.tool-with-task,tasks.extension"
    async with raw_client(plugins, Era.MODERN, ABLE, Settings(clock=clock)) as client:
        asked = await client.call(TOOL)
        assert asked["resultType"] == "input_required"
        assert "taskId" not in asked
        answers = {key: {"action": "accept", "content": {"name": "Ada"}} for key in asked["inputRequests"]}
        handle = await client.request("tools/call", {"name": TOOL, "inputResponses": answers})
        assert (handle["resultType"], handle["status"]) == ("task", "working")
        assert not {"requestState", "inputRequests"} & {*handle}
        clock.advance(1)
        ended = await client.request("tasks/get", {"taskId": handle["taskId"]})
    assert ended["status"] == "completed"
    assert ended["result"]["content"][0]["text"] == "Hello, Ada!"
