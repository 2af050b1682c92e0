"""`conformance.greet`."""

from everything_server import Era
from harness.client_side import raw_client

PLUGINS = "conformance.greet,tasks.extension"
ABLE = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


async def test_it_never_makes_a_task_not_even_for_a_client_that_asks_for_one_as_in_2025() -> None:
    async with raw_client(PLUGINS, Era.MODERN, ABLE) as client:
        call = {"name": "greet", "arguments": {"name": "Ada"}, "task": {"ttl": 60000, "pollInterval": 100}}
        result = await client.request("tools/call", call)
    assert result["resultType"] == "complete"
    assert result["content"] == [{"type": "text", "text": "Hello, Ada!"}]
    assert "taskId" not in result
