"""`conformance.input-required-result-prompt`."""

import pytest
from everything_server import Era
from harness import connector
from harness.client_side import DECLINE, User, accept
from mcp_types import ElicitResult, TextContent


@pytest.mark.parametrize(
    ("answer", "context"), [(accept(context="tests"), "tests"), (DECLINE, "none")], ids=["accepted", "declined"]
)
async def test_the_prompt_is_made_from_what_the_user_says(answer: ElicitResult, context: str) -> None:
    plugin = "conformance.input-required-result-prompt"
    async with connector(Era.MODERN)(plugin, elicitation_callback=User(answer)) as client:
        [message] = (await client.get_prompt("test_input_required_result_prompt")).messages
    assert message.content == TextContent(type="text", text=f"Prompt with context: {context}")
