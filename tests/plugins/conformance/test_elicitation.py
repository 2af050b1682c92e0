"""`conformance.elicitation`."""

from harness import Connect
from harness.client_side import DECLINE, User, accept, text_of
from mcp_types import ElicitRequestFormParams

PLUGIN = "conformance.elicitation"
CALL = ("test_elicitation", {"message": "Who are you?"})


async def test_it_asks_with_the_message_and_shows_the_answer(connect: Connect) -> None:
    user = User(accept(username="ada", email="ada@example.com"))
    async with connect(PLUGIN, elicitation_callback=user) as client:
        text = text_of(await client.call_tool(*CALL))
    assert text == 'User response: action=accept, content={"username": "ada", "email": "ada@example.com"}'
    [asked] = user.asked
    assert isinstance(asked, ElicitRequestFormParams)
    assert asked.message == "Who are you?"
    assert asked.requested_schema["required"] == ["username", "email"]


async def test_a_user_may_decline(connect: Connect) -> None:
    async with connect(PLUGIN, elicitation_callback=User(DECLINE)) as client:
        assert text_of(await client.call_tool(*CALL)) == "User response: action=decline, content={}"
