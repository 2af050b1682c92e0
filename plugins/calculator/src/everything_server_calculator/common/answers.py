"""Asks the client's model, for tools whose answer is words."""

from everything_server import SAMPLING, Context, answer_of, ask
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
)

MOST_TOKENS = 1000
"""The most that the model is let answer with."""

KEY = "answer"


def can_sample(ctx: Context) -> bool:
    """Whether the client has a model that may be asked."""
    return ctx.client_can(SAMPLING)


def ask_model(ctx: Context, task: str, question: str) -> str | InputRequiredResult:
    """The model's answer in words, or the question for it that is to be returned first.

    Args:
        ctx: The request of a client that can sample.
        task: What the model is told to be.
        question: What it is asked, as the user's words.
    """
    answer = answer_of(ctx, KEY, CreateMessageResult)
    if answer is None:
        message = SamplingMessage(role="user", content=TextContent(type="text", text=question))
        params = CreateMessageRequestParams(messages=[message], system_prompt=task, max_tokens=MOST_TOKENS)
        return ask(KEY, CreateMessageRequest(params=params))
    if isinstance(answer.content, TextContent):
        return answer.content.text
    return f"The model {answer.model} answered with {answer.content.type} in place of text."
