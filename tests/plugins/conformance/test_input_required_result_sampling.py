"""`conformance.input-required-result-sampling`."""

from everything_server import Era
from harness import connector
from harness.client_side import text_of
from mcp.client import ClientRequestContext
from mcp_types import CreateMessageRequestParams, CreateMessageResult, TextContent

TOOL = "test_input_required_result_sampling"


async def test_it_shows_what_the_model_answers() -> None:
    async def sample(context: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
        assert params.max_tokens == 100
        return CreateMessageResult(role="assistant", content=TextContent(type="text", text="Paris."), model="model-x")

    plugin = "conformance.input-required-result-sampling"
    async with connector(Era.MODERN)(plugin, sampling_callback=sample) as client:
        assert text_of(await client.call_tool(TOOL)) == "The model answered: Paris."
