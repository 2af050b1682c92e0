"""`conformance.input-required-result-multi-round`."""

from everything_server import Era
from harness import connector
from harness.client_side import User, accept, raw_client, text_of
from harness.plugins import Message

PLUGIN = "conformance.input-required-result-multi-round"
TOOL = "test_input_required_result_multi_round"


async def test_the_first_answer_is_remembered_in_the_second_round() -> None:
    user = User(accept(name="Ada"), accept(color="blue"))
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=user) as client:
        assert text_of(await client.call_tool(TOOL)) == "Ada's favorite color: blue"


async def test_each_round_has_a_state_of_its_own_and_asks_again_until_it_is_answered() -> None:
    async with raw_client(PLUGIN, Era.MODERN, {"elicitation": {}}) as client:

        async def call(state: str | None = None, **answers: str) -> Message:
            given = {key: {"action": "accept", "content": {"name": text}} for key, text in answers.items()}
            continued = {} if state is None else {"requestState": state, "inputResponses": given}
            return await client.request("tools/call", {"name": TOOL, **continued})

        first = await call()
        assert list(first["inputRequests"]) == ["step1"]
        assert list((await call(first["requestState"]))["inputRequests"]) == ["step1"]
        second = await call(first["requestState"], step1="Ada")
        assert list(second["inputRequests"]) == ["step2"]
        assert second["requestState"] != first["requestState"]
        assert list((await call(second["requestState"], step1="Ada"))["inputRequests"]) == ["step2"]
