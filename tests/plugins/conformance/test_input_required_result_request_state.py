"""`conformance.input-required-result-request-state`."""

from everything_server import Era
from harness import connector
from harness.client_side import User, accept, raw_client, text_of

PLUGIN = "conformance.input-required-result-request-state"
TOOL = "test_input_required_result_request_state"


async def test_the_state_comes_back_with_the_answer() -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User(accept(ok=True))) as client:
        assert text_of(await client.call_tool(TOOL)) == "state-ok, and the user chose: accept"


async def test_an_answer_without_its_state_is_asked_for_again() -> None:
    answers = {"confirm": {"action": "accept", "content": {"ok": True}}}
    async with raw_client(PLUGIN, Era.MODERN, {"elicitation": {}}) as client:
        asked = await client.request("tools/call", {"name": TOOL, "inputResponses": answers})
    assert asked["resultType"] == "input_required"
    assert asked["requestState"]
