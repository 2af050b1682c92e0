"""`conformance.streaming-elicitation`."""

from typing import Any

from everything_server import Era
from harness.client_side import raw_client

CALL: dict[str, Any] = {
    "name": "test_streaming_elicitation",
    "arguments": {},
    "_meta": {"progressToken": "token"},
}


async def test_it_asks_by_its_result_and_sends_nothing_but_progress_before() -> None:
    async with raw_client("conformance.streaming-elicitation", Era.MODERN, {"elicitation": {}}) as client:
        asked = await client.request("tools/call", CALL)
        assert asked["resultType"] == "input_required"
        answers = {key: {"action": "accept", "content": {"name": "Ada"}} for key in asked["inputRequests"]}
        result = await client.request("tools/call", {**CALL, "inputResponses": answers})
    assert result["content"][0]["text"] == "The user chose: accept"
    assert [message["method"] for message in client.others] == ["notifications/progress"] * 3
