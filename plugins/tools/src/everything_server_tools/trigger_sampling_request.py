"""`trigger-sampling-request`: has the client's model complete a prompt."""

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
    ToolAnnotations,
)
from pydantic import Field


async def trigger_sampling_request(
    ctx: Context,
    prompt: Annotated[str, Field(description="What to send to the model")],
    maxTokens: Annotated[int, Field(ge=1, description="The most tokens it may answer with")] = 100,
) -> str | InputRequiredResult:
    """Send a prompt to the client's language model and show what it answers."""
    answer = answer_of(ctx, "completion", CreateMessageResult)
    if answer is None:
        return ask("completion", _request(prompt, maxTokens))
    return f"The model {answer.model} answered:\n{answer.model_dump_json(by_alias=True, exclude_none=True, indent=2)}"


def _request(prompt: str, max_tokens: int) -> CreateMessageRequest:
    # Nothing that a sub-capability is needed for: neither context nor tools.
    return CreateMessageRequest(
        params=CreateMessageRequestParams(
            messages=[SamplingMessage(role="user", content=TextContent(type="text", text=prompt))],
            system_prompt="You are a helpful test server.",
            max_tokens=max_tokens,
            temperature=0.7,
        )
    )


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="trigger-sampling-request",
        title="Trigger Sampling Request Tool",
        fn=trigger_sampling_request,
        requires=SAMPLING,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
        ),
    )
