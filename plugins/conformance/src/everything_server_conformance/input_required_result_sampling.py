"""`test_input_required_result_sampling`, for the scenario `input-required-result-basic-sampling`."""

from collections.abc import Iterator

from everything_server import SAMPLING, Context, Era, ToolSpec, answer_of, ask, hookimpl
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)


async def input_required_result_sampling(ctx: Context) -> str | InputRequiredResult:
    """Ask the client's model a question."""
    answer = answer_of(ctx, "capital_question", CreateMessageResult)
    if answer is None:
        question = TextContent(type="text", text="What is the capital of France?")
        params = CreateMessageRequestParams(messages=[SamplingMessage(role="user", content=question)], max_tokens=100)
        return ask("capital_question", CreateMessageRequest(params=params))
    content = answer.content
    return f"The model answered: {content.text if isinstance(content, TextContent) else f'({content.type})'}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that asks by results."""
    yield ToolSpec(
        name="test_input_required_result_sampling",
        fn=input_required_result_sampling,
        requires=SAMPLING,
        eras=frozenset({Era.MODERN}),
    )
