"""`conformance.sampling`."""

import pytest
from harness import Connect
from harness.client_side import text_of
from mcp.client import ClientRequestContext
from mcp_types import CreateMessageRequestParams, CreateMessageResult, ImageContent, SamplingMessage, TextContent

CONTENTS = {
    "LLM response: hello": TextContent(type="text", text="hello"),
    "LLM response: (image)": ImageContent(type="image", data="aGk=", mime_type="image/png"),
}


@pytest.mark.parametrize("shown", CONTENTS)
async def test_it_shows_what_the_model_makes_of_the_prompt(connect: Connect, shown: str) -> None:
    asked: list[CreateMessageRequestParams] = []

    async def sample(context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
        asked.append(params)
        return CreateMessageResult(role="assistant", content=CONTENTS[shown], model="model-x")

    async with connect("conformance.sampling", sampling_callback=sample) as client:
        assert text_of(await client.call_tool("test_sampling", {"prompt": "hi"})) == shown
    [params] = asked
    assert params.messages == [SamplingMessage(role="user", content=TextContent(type="text", text="hi"))]
    assert params.max_tokens == 100
