"""`test_input_required_result_multiple_inputs`, for the scenario `input-required-result-multiple-input-requests`."""

from collections.abc import Iterator
from typing import Final

from everything_server import (
    FORM_ELICITATION,
    ROOTS,
    SAMPLING,
    Context,
    Era,
    Form,
    ToolSpec,
    all_of,
    answer_of,
    form_answer,
    hookimpl,
)
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    InputRequests,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)

FORM: Final = Form(
    "What is your name?", {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
)
STATE: Final = "asked for name, greeting and roots"


async def input_required_result_multiple_inputs(ctx: Context) -> str | InputRequiredResult:
    """Ask the user, the client's model and the client itself, all at once."""
    user = form_answer(ctx, "user_name", FORM)
    greeting = answer_of(ctx, "greeting", CreateMessageResult)
    roots = answer_of(ctx, "client_roots", ListRootsResult)
    if user is None or greeting is None or roots is None or ctx.request_state != STATE:
        return InputRequiredResult(input_requests=_questions(), request_state=STATE)
    name = (user.content or {}).get("name", "stranger")
    said = greeting.content.text if isinstance(greeting.content, TextContent) else f"({greeting.content.type})"
    return f"To {name}, who has {len(roots.roots)} roots: {said}"


def _questions() -> InputRequests:
    prompt = SamplingMessage(role="user", content=TextContent(type="text", text="Generate a greeting"))
    return {
        "user_name": FORM.request(),
        "greeting": CreateMessageRequest(params=CreateMessageRequestParams(messages=[prompt], max_tokens=50)),
        "client_roots": ListRootsRequest(),
    }


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that asks by results."""
    yield ToolSpec(
        name="test_input_required_result_multiple_inputs",
        fn=input_required_result_multiple_inputs,
        requires=all_of(FORM_ELICITATION, SAMPLING, ROOTS),
        eras=frozenset({Era.MODERN}),
    )
