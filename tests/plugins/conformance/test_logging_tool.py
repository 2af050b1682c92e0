"""`conformance.logging-tool`."""

import pytest
from everything_server import Era
from harness.client_side import raw_client
from harness.plugins import Message

LEVEL = "io.modelcontextprotocol/logLevel"


@pytest.mark.parametrize(("meta", "levels"), [({}, []), ({LEVEL: "info"}, ["info"]), ({LEVEL: "error"}, [])], ids=str)
async def test_it_logs_to_requests_that_name_a_level(meta: Message, levels: list[str]) -> None:
    async with raw_client("conformance.logging-tool", Era.MODERN) as client:
        await client.request("tools/call", {"name": "test_logging_tool", "arguments": {}, "_meta": meta})
    assert [message["params"]["level"] for message in client.others] == levels
