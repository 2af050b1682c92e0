"""`test_input_required_result_capabilities`, for the scenario `input-required-result-capability-check`."""

from collections.abc import Iterator
from typing import Final

from everything_server import Context, Era, Form, ToolSpec, hookimpl
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitationCapability,
    InputRequests,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)

FORM: Final = Form("Please say anything", {"type": "object", "properties": {"value": {"type": "string"}}})


async def input_required_result_capabilities(ctx: Context) -> str | InputRequiredResult:
    """Ask all that the client has declared to be able to answer, and nothing else."""
    if ctx.input_responses:
        return f"Received: {', '.join(sorted(ctx.input_responses))}"
    questions = _questions(ctx)
    return InputRequiredResult(input_requests=questions) if questions else "The client can be asked nothing."


def _questions(ctx: Context) -> InputRequests:
    declared = ctx.client_capabilities
    questions: InputRequests = {}
    if declared is not None and _takes_forms(declared.elicitation):
        questions["elicitation"] = FORM.request()
    if declared is not None and declared.sampling is not None:
        prompt = SamplingMessage(role="user", content=TextContent(type="text", text="Say anything"))
        questions["sampling"] = CreateMessageRequest(
            params=CreateMessageRequestParams(messages=[prompt], max_tokens=50)
        )
    if declared is not None and declared.roots is not None:
        questions["roots"] = ListRootsRequest()
    return questions


def _takes_forms(elicitation: ElicitationCapability | None) -> bool:
    """An empty object means forms (2026-07-28 client/elicitation, Capabilities)."""
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool, for the era that asks by results."""
    yield ToolSpec(
        name="test_input_required_result_capabilities",
        fn=input_required_result_capabilities,
        eras=frozenset({Era.MODERN}),
    )
