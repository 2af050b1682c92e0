"""`tools.trigger-sampling-request`."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from everything_server import Era
from harness import Connect, connector
from harness.client_side import Ear, problem_in, raw_client, responses, text_of
from harness.plugins import Message
from mcp.client import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitResult,
    ErrorData,
    ImageContent,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
    ToolListChangedNotification,
)

TOOL = "trigger-sampling-request"
PLUGIN = "tools.trigger-sampling-request"

COMPLETION = CreateMessageResult(
    role="assistant", content=TextContent(type="text", text="sampled-text"), model="model-x", stop_reason="endTurn"
)


class Model:
    """A sampling callback that remembers what it was asked."""

    def __init__(self, answer: CreateMessageResult | ErrorData = COMPLETION) -> None:
        self.asked: list[CreateMessageRequestParams] = []
        self._answer = answer

    async def __call__(
        self, context: ClientRequestContext, params: CreateMessageRequestParams
    ) -> CreateMessageResult | ErrorData:
        self.asked.append(params)
        return self._answer


@pytest.mark.parametrize(("arguments", "tokens"), [({}, 100), ({"maxTokens": 5}, 5)], ids=["default", "chosen"])
async def test_the_model_is_asked_the_prompt_and_its_answer_is_shown(
    connect: Connect, arguments: Message, tokens: int
) -> None:
    model = Model()
    async with connect(PLUGIN, sampling_callback=model) as client:
        text = text_of(await client.call_tool(TOOL, {"prompt": "hi ✓", **arguments}))
    [asked] = model.asked
    assert asked.messages == [SamplingMessage(role="user", content=TextContent(type="text", text="hi ✓"))]
    assert (asked.max_tokens, asked.temperature, bool(asked.system_prompt)) == (tokens, 0.7, True)
    heading, _, answer = text.partition("\n")
    assert heading == "The model model-x answered:"
    assert json.loads(answer)["content"] == {"type": "text", "text": "sampled-text"}
    assert json.loads(answer)["stopReason"] == "endTurn"


async def test_nothing_is_asked_that_a_client_would_have_to_declare_besides(connect: Connect) -> None:
    model = Model()
    async with connect(PLUGIN, sampling_callback=model) as client:
        await client.call_tool(TOOL, {"prompt": "q"})
    [asked] = model.asked
    assert (asked.tools, asked.tool_choice, asked.include_context) == (None, None, None)


async def test_an_answer_that_is_no_text_is_shown_as_well(connect: Connect) -> None:
    image = ImageContent(type="image", data="aGk=", mime_type="image/png")
    model = Model(CreateMessageResult(role="assistant", content=image, model="painter"))
    async with connect(PLUGIN, sampling_callback=model) as client:
        text = text_of(await client.call_tool(TOOL, {"prompt": "q"}))
    assert json.loads(text.partition("\n")[2])["content"]["mimeType"] == "image/png"


async def test_legacy_a_client_that_refuses_makes_an_error_result() -> None:
    refusing = Model(ErrorData(code=-1, message="User rejected sampling request"))
    async with connector(Era.LEGACY)(PLUGIN, sampling_callback=refusing) as client:
        problem = problem_in(await client.call_tool(TOOL, {"prompt": "q"}))
    assert problem == "The client did not answer sampling/createMessage: User rejected sampling request"


async def test_legacy_an_answer_of_the_wrong_form_makes_an_error_result() -> None:
    async with raw_client(PLUGIN, Era.LEGACY, {"sampling": {}}) as client:
        call = await client.start("tools/call", {"name": TOOL, "arguments": {"prompt": "q"}})
        while (question := await client.receive()).get("method") != "sampling/createMessage":
            pass
        await client.send({"id": question["id"], "result": {"role": "nobody", "canary": "canary-7781"}})
        result = (await client.answer(call))["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"] == "The client's answer to sampling/createMessage has the wrong form"


async def test_legacy_a_client_that_can_sample_is_told_of_the_tool() -> None:
    ear = Ear()
    async with connector(Era.LEGACY)(PLUGIN, sampling_callback=Model(), message_handler=ear) as client:
        await ear.until_heard(ToolListChangedNotification)
        assert [tool.name for tool in (await client.list_tools()).tools] == [TOOL]


async def test_modern_the_question_is_a_result() -> None:
    async with connector(Era.MODERN)(PLUGIN, sampling_callback=Model()) as client:
        asked = await client.session.call_tool(TOOL, {"prompt": "q"}, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        [(key, request)] = (asked.input_requests or {}).items()
        assert key == "completion"
        assert isinstance(request, CreateMessageRequest)
        assert asked.request_state is None


@pytest.mark.parametrize(
    "answers",
    [responses(), responses(wrong=COMPLETION), responses(completion=ElicitResult(action="accept"))],
    ids=["none", "wrong key", "wrong kind"],
)
async def test_modern_a_missing_answer_is_asked_for_again(answers: Any) -> None:
    async with connector(Era.MODERN)(PLUGIN, sampling_callback=Model()) as client:
        asked = await client.session.call_tool(
            TOOL, {"prompt": "q"}, input_responses=answers, allow_input_required=True
        )
        assert isinstance(asked, InputRequiredResult)
        assert list(asked.input_requests or {}) == ["completion"]


async def test_modern_a_state_that_the_server_did_not_give_is_refused() -> None:
    model = Model()
    async with connector(Era.MODERN)(PLUGIN, sampling_callback=model) as client:
        with pytest.raises(MCPError) as refusal:
            await client.call_tool(TOOL, {"prompt": "q"}, request_state="garbage")
    assert refusal.value.code == -32602
    assert model.asked == []


@pytest.mark.parametrize("declared", [{}, {"roots": {}, "elicitation": {}}], ids=["nothing", "others"])
async def test_a_client_without_sampling_is_not_asked(undeclared: Callable[..., Any], declared: Message) -> None:
    await undeclared(PLUGIN, {"prompt": "q"}, declared, {"sampling": {}})


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({}, ["prompt"]),
        ({"prompt": 5}, ["prompt"]),
        ({"prompt": None}, ["prompt"]),
        ({"prompt": "q", "maxTokens": 0}, ["maxTokens"]),
        ({"prompt": "q", "maxTokens": -1}, ["maxTokens"]),
        ({"prompt": "q", "maxTokens": 1.5}, ["maxTokens"]),
        ({"prompt": "q", "maxTokens": "5"}, ["maxTokens"]),
        ({"prompt": "q", "maxTokens": True}, ["maxTokens"]),
        ({"maxTokens": 0, "temperature": 1}, ["maxTokens", "prompt", "temperature"]),
    ],
    ids=str,
)
async def test_bad_arguments_ask_nobody(connect: Connect, refused: Any, arguments: Message, names: list[str]) -> None:
    model = Model()
    async with connect(PLUGIN, sampling_callback=model) as client:
        assert refused(await client.call_tool(TOOL, arguments)) == names
    assert model.asked == []


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN, sampling_callback=Model()) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, sampling_callback=Model()) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN, sampling_callback=Model()) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL, {"prompt": "q"})
    assert refusal.value.code == -32602
