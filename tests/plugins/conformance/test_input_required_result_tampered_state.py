"""`conformance.input-required-result-tampered-state`."""

from everything_server import Era
from harness import connector
from harness.client_side import User, accept, altered, raw_client, text_of

PLUGIN = "conformance.input-required-result-tampered-state"
TOOL = "test_input_required_result_tampered_state"


async def test_an_answer_with_the_state_as_it_was_sent_counts() -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User(accept(ok=True))) as client:
        assert text_of(await client.call_tool(TOOL)) == "The state is unchanged, and the user chose: accept"


async def test_a_state_that_was_changed_is_refused_whatever_was_done_to_it() -> None:
    answers = {"confirm": {"action": "accept", "content": {"ok": True}}}
    async with raw_client(PLUGIN, Era.MODERN, {"elicitation": {}}) as client:
        state = (await client.request("tools/call", {"name": TOOL}))["requestState"]
        for changed in altered(state).values():
            params = {"name": TOOL, "inputResponses": answers, "requestState": changed}
            assert (await client.refused("tools/call", params))["code"] == -32602
