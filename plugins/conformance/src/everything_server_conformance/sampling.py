"""`test_sampling`, for the scenario `tools-call-sampling`."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import SAMPLING, Context, ToolSpec, answer_of, ask, hookimpl
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)
from pydantic import Field


async def sampling(
    ctx: Context, prompt: Annotated[str, Field(description="The prompt to send to the LLM")]
) -> str | InputRequiredResult:
    """Have the client's model complete a prompt."""
    answer = answer_of(ctx, "completion", CreateMessageResult)
    if answer is None:
        message = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
        params = CreateMessageRequestParams(messages=[message], max_tokens=100)
        return ask("completion", CreateMessageRequest(params=params))
    content = answer.content
    return f"LLM response: {content.text if isinstance(content, TextContent) else f'({content.type})'}"


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="test_sampling", fn=sampling, requires=SAMPLING)
