"""Handlers that ask the client are written once and serve both eras.

A modern client gets the questions as a result and calls again with the answers. For a legacy client the shim asks.
"""

import json
from functools import cache
from types import SimpleNamespace
from typing import Annotated, Any

import anyio
import pytest
from everything_server import (
    Context,
    Era,
    PromptSpec,
    ResourceSpec,
    ServerFactory,
    Settings,
    ToolError,
    ToolSpec,
    input_required,
)
from everything_server.specs import Declaration
from harness import PipeTransport
from harness.plugins import Message, Wire, factory_of, plugin, wire
from mcp.client import Client
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.server.request_state import RequestStateSecurity
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    Root,
    SamplingMessage,
    TextContent,
    Tool,
)
from pydantic import BaseModel

INVALID_PARAMS = -32602
EVERYTHING = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}
"""The capabilities of a client that answers every question."""


def form(message: str = "Who are you?") -> ElicitRequest:
    schema: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sampling(tools: list[Tool] | None = None) -> CreateMessageRequest:
    messages = [SamplingMessage(role="user", content=TextContent(type="text", text="Say hello."))]
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=messages, max_tokens=10, tools=tools))


def sampling_with_tools() -> CreateMessageRequest:
    return sampling([Tool(name="wave", input_schema={"type": "object"})])


def page() -> ElicitRequest:
    return ElicitRequest(
        params=ElicitRequestURLParams(message="Look", url="https://example.com/form", elicitation_id="e-1")
    )


QUESTIONS: dict[str, InputRequest] = {
    "form": form(),
    "sampling": sampling(),
    "sampling with tools": sampling_with_tools(),
    "roots": ListRootsRequest(),
    "page": page(),
}

ANSWERS: dict[str, Message] = {
    "form": {"action": "accept", "content": {"name": "Ada"}},
    "sampling": {"role": "assistant", "content": {"type": "text", "text": "Hello."}, "model": "m"},
    "sampling with tools": {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "1", "name": "wave", "input": {}}],
        "model": "m",
        "stopReason": "toolUse",
    },
    "roots": {"roots": [{"uri": "file:///home"}]},
    "page": {"action": "accept"},
}

ASKED: dict[str, str] = {
    "form": "elicitation/create",
    "sampling": "sampling/createMessage",
    "sampling with tools": "sampling/createMessage",
    "roots": "roots/list",
    "page": "elicitation/create",
}

NEEDED: dict[str, Message] = {
    "form": {"elicitation": {"form": {}}},
    "sampling": {"sampling": {}},
    "sampling with tools": {"sampling": {"tools": {}}},
    "roots": {"roots": {}},
    "page": {"elicitation": {"url": {}}},
}


def shown(ctx: Context) -> str:
    """The answers of this round, and the state of the one before."""
    responses = ctx.input_responses or {}
    answers = {
        key: answer.model_dump(mode="json", by_alias=True, exclude_none=True) for key, answer in responses.items()
    }
    return json.dumps({"answers": answers, "state": ctx.request_state})


async def ask(questions: list[str], ctx: Context) -> str | InputRequiredResult:
    """Ask these, and show what came back."""
    if ctx.input_responses is not None:
        return shown(ctx)
    return InputRequiredResult(input_requests={key: QUESTIONS[key] for key in questions}, request_state="round one")


async def ask_in_steps(ctx: Context) -> str | InputRequiredResult:
    """Ask twice; the second question is made from the first answer, which only the state remembers."""
    state = json.loads(ctx.request_state or "{}")
    answer = (ctx.input_responses or {}).get("step")
    if isinstance(answer, ElicitResult):
        state[f"step {len(state) + 1}"] = (answer.content or {}).get("name")
    if len(state) == 2:
        return json.dumps(state)
    question = form(f"Question {len(state) + 1}, after {state}")
    return InputRequiredResult(input_requests={"step": question}, request_state=json.dumps(state))


async def ask_for_ever(ctx: Context) -> InputRequiredResult:
    """Is never content."""
    return InputRequiredResult(input_requests={"again": form()})


async def think_twice(ctx: Context) -> str | InputRequiredResult:
    """Ask nothing, but be called again."""
    return "thought" if ctx.request_state else InputRequiredResult(request_state="thinking")


async def refuse(ctx: Context) -> str | InputRequiredResult:
    """Fail on whatever is answered."""
    if ctx.input_responses is None:
        return InputRequiredResult(input_requests={"form": form()})
    raise ToolError("That was the wrong answer")


class Name(BaseModel):
    name: str


async def ask_name() -> Elicit[Name]:
    return Elicit("Who are you?", Name)


async def greet(who: Annotated[Name, Resolve(ask_name)], greeting: str = "Hello") -> str:
    """Greet somebody whose name is asked for by the SDK's own means."""
    return f"{greeting}, {who.name}."


async def ask_prompt(ctx: Context) -> str | InputRequiredResult:
    """A prompt that asks."""
    return shown(ctx) if ctx.input_responses is not None else InputRequiredResult(input_requests={"form": form()})


def declarations() -> list[Declaration]:
    return [
        ToolSpec(name="ask", fn=ask),
        ToolSpec(name="steps", fn=ask_in_steps),
        ToolSpec(name="other-steps", fn=ask_in_steps),
        ToolSpec(name="ask-for-ever", fn=ask_for_ever),
        ToolSpec(name="think-twice", fn=think_twice),
        ToolSpec(name="refuse", fn=refuse),
        ToolSpec(name="greet", fn=greet),
        PromptSpec(name="ask", fn=ask_prompt),
        PromptSpec(name="steps", fn=ask_in_steps),
        ResourceSpec(uri="x://ask", name="ask", fn=ask_prompt),
    ]


@cache
def factory() -> ServerFactory:
    return factory_of(plugin("some.questions", *declarations()))


def text_of(result: Message) -> str:
    assert not result.get("isError"), result
    return result["content"][0]["text"]


def error_text(answer: Message) -> str:
    result = answer["result"]
    assert result["isError"] is True, result
    return result["content"][0]["text"]


each_question = pytest.mark.parametrize("question", QUESTIONS)
ways_to_ask = pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "ask", "arguments": {"questions": ["form"]}}),
        ("prompts/get", {"name": "ask"}),
        ("resources/read", {"uri": "x://ask"}),
    ],
    ids=["tool", "prompt", "resource"],
)


def told(result: Message) -> Message:
    """What one of the handlers above has shown, in whichever kind of result."""
    if "messages" in result:
        return json.loads(result["messages"][0]["content"]["text"])
    return json.loads((result.get("content") or result.get("contents"))[0]["text"])  # type: ignore[index]


# The legacy era


async def start_asking(client: Wire, *questions: str) -> int:
    return await client.start("tools/call", {"name": "ask", "arguments": {"questions": list(questions)}})


@each_question
async def test_a_legacy_client_is_sent_a_request_and_its_answer_reaches_the_handler(question: str) -> None:
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await start_asking(client, question)
        asked = await client.receive()
        assert asked["method"] == ASKED[question]
        expected = QUESTIONS[question].model_dump(mode="json", by_alias=True, exclude_none=True)
        assert asked.get("params", {}) == (expected.get("params") or {})
        await client.send({"id": asked["id"], "result": ANSWERS[question]})
        result = (await client.answer(call))["result"]
    assert json.loads(text_of(result)) == {"answers": {question: ANSWERS[question]}, "state": "round one"}
    assert client.others == []


@ways_to_ask
async def test_tools_prompts_and_resources_may_ask_a_legacy_client(method: str, params: Message) -> None:
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await client.start(method, params)
        asked = await client.receive()
        await client.send({"id": asked["id"], "result": ANSWERS["form"]})
        result = (await client.answer(call))["result"]
    assert told(result)["answers"] == {"form": ANSWERS["form"]}


async def test_several_questions_are_asked_one_after_another() -> None:
    questions = ["form", "sampling", "roots"]
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await start_asking(client, *questions)
        for question in questions:
            asked = await client.receive()
            assert asked["method"] == ASKED[question]
            await client.send({"id": asked["id"], "result": ANSWERS[question]})
        result = (await client.answer(call))["result"]
    assert json.loads(text_of(result))["answers"] == {question: ANSWERS[question] for question in questions}


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_question_may_be_declined_which_is_an_answer(action: str) -> None:
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await start_asking(client, "form")
        await client.send({"id": (await client.receive())["id"], "result": {"action": action}})
        assert told((await client.answer(call))["result"])["answers"] == {"form": {"action": action}}


async def test_a_handler_may_ask_again_with_what_it_has_learnt_in_its_state() -> None:
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await client.start("tools/call", {"name": "steps", "arguments": {}})
        for name, message in (("Ada", "Question 1, after {}"), ("Bob", "Question 2, after {'step 1': 'Ada'}")):
            asked = await client.receive()
            assert asked["params"]["message"] == message
            await client.send({"id": asked["id"], "result": {"action": "accept", "content": {"name": name}}})
        result = (await client.answer(call))["result"]
    assert json.loads(text_of(result)) == {"step 1": "Ada", "step 2": "Bob"}


async def test_a_handler_that_asks_nothing_is_just_called_again() -> None:
    async with wire(factory(), Era.LEGACY) as client:
        assert await client.call_text("think-twice") == "thought"
        assert client.others == []


@each_question
async def test_a_legacy_client_that_cannot_answer_is_not_asked_and_the_call_says_what_it_needs(question: str) -> None:
    for capabilities in ({}, {kind: {} for kind in EVERYTHING if kind not in NEEDED[question]}):
        async with wire(factory(), Era.LEGACY, capabilities) as client:
            answer = await client.answer(await start_asking(client, question))
            (kind,) = NEEDED[question]
            assert kind in error_text(answer)
            assert client.others == []


async def test_a_mode_that_was_not_declared_is_not_asked_for() -> None:
    for question, capabilities in (
        ("page", {"elicitation": {}}),
        ("page", {"elicitation": {"form": {}}}),
        ("form", {"elicitation": {"url": {}}}),
        ("sampling with tools", {"sampling": {}}),
    ):
        async with wire(factory(), Era.LEGACY, capabilities) as client:
            call = await start_asking(client, question)
            first = await client.receive()
            assert first.get("id") == call and "result" in first, f"{question} was asked of {capabilities}"
            assert error_text(first)


async def test_nothing_is_asked_when_one_of_several_questions_cannot_be() -> None:
    async with wire(factory(), Era.LEGACY, {"elicitation": {}}) as client:
        answer = await client.answer(await start_asking(client, "form", "roots"))
        assert "roots" in error_text(answer)
        assert client.others == []


async def test_an_error_for_an_answer_is_told_to_the_caller() -> None:
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await start_asking(client, "form", "roots")
        error = {"code": -1, "message": "The user has left"}
        await client.send({"id": (await client.receive())["id"], "error": error})
        text = error_text(await client.answer(call))
        assert "elicitation/create" in text
        assert "The user has left" in text
        assert client.others == []  # and the second question is not asked any more


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("form", {}),
        ("form", {"action": "agree"}),
        ("form", {"action": "accept", "content": {"name": {"first": "Ada"}}}),
        ("form", {"action": "accept", "content": ["Ada"]}),
        ("sampling", {"role": "assistant"}),
        ("sampling", ANSWERS["form"]),
        ("roots", {"roots": {}}),
        ("roots", {"roots": [{"name": "home"}]}),
    ],
)
async def test_an_answer_of_the_wrong_form_is_told_to_the_caller(
    question: str, answer: Message, caplog: pytest.LogCaptureFixture
) -> None:
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await start_asking(client, question)
        await client.send({"id": (await client.receive())["id"], "result": answer})
        text = error_text(await client.answer(call))
    assert ASKED[question] in text
    assert "wrong form" in text
    assert "http" not in text
    assert not caplog.records


async def test_a_handler_may_reject_an_answer() -> None:
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await client.start("tools/call", {"name": "refuse", "arguments": {}})
        await client.send({"id": (await client.receive())["id"], "result": ANSWERS["form"]})
        assert error_text(await client.answer(call)) == "That was the wrong answer"


@pytest.mark.parametrize(
    ("method", "params"), [("prompts/get", {"name": "ask"}), ("resources/read", {"uri": "x://ask"})]
)
async def test_a_failed_question_of_a_prompt_or_resource_is_a_protocol_error(method: str, params: Message) -> None:
    async with wire(factory(), Era.LEGACY) as client:
        error = await client.refused(method, params)
        assert error["code"] == INVALID_PARAMS
        assert "elicitation" in error["message"]
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await client.start(method, params)
        await client.send({"id": (await client.receive())["id"], "error": {"code": -1, "message": "No"}})
        error = (await client.answer(call))["error"]
        assert error["code"] == INVALID_PARAMS
        assert "elicitation/create" in error["message"]


async def test_a_question_that_is_not_answered_in_time_is_withdrawn_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_required, "ANSWER_TIMEOUT", 0.01)
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await start_asking(client, "form")
        asked = await client.receive()
        withdrawn = await client.receive()
        assert withdrawn["method"] == "notifications/cancelled"
        assert withdrawn["params"]["requestId"] == asked["id"]
        text = error_text(await client.answer(call))
        assert "elicitation/create" in text
        assert "no answer within" in text
        # An answer that comes too late changes nothing.
        await client.send({"id": asked["id"], "result": ANSWERS["form"]})
        assert await client.request("ping") == {}


async def test_a_handler_that_never_stops_asking_is_stopped() -> None:
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await client.start("tools/call", {"name": "ask-for-ever", "arguments": {}})
        asked = 0
        while "method" in (message := await client.receive()):
            asked += 1
            await client.send({"id": message["id"], "result": ANSWERS["form"]})
        assert message["id"] == call
        assert "without coming to an end" in error_text(message)
        assert asked == input_required.MAX_ROUNDS


async def test_a_call_that_is_cancelled_withdraws_its_question_and_is_not_answered() -> None:
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await start_asking(client, "form")
        asked = await client.receive()
        await client.notify("notifications/cancelled", {"requestId": call})
        withdrawn = await client.receive()
        assert (withdrawn["method"], withdrawn["params"]["requestId"]) == ("notifications/cancelled", asked["id"])
        assert await client.request("ping") == {}
        assert client.others == []


async def test_the_end_of_input_ends_a_call_that_waits_for_an_answer() -> None:
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        await start_asking(client, "form")
        await client.receive()
    # That this is reached at all is the test: nothing waits for who is gone.


async def test_other_requests_are_served_and_other_calls_ask_while_one_waits() -> None:
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        calls = [await start_asking(client, "form") for _ in range(3)]
        asked = [await client.receive() for _ in calls]
        assert len({question["id"] for question in asked}) == 3
        assert await client.request("ping") == {}
        for number, (call, question) in reversed(list(enumerate(zip(calls, asked, strict=True)))):
            content = {"name": f"caller {number}"}
            await client.send({"id": question["id"], "result": {"action": "accept", "content": content}})
            result = (await client.answer(call))["result"]
            assert told(result)["answers"]["form"]["content"] == content


async def test_the_shim_hands_a_legacy_handler_no_answers_that_it_has_not_asked_for() -> None:
    """The members that carry them in the modern era mean nothing in this one."""
    async with wire(factory(), Era.LEGACY, EVERYTHING) as client:
        call = await client.start(
            "tools/call",
            {"name": "ask", "arguments": {"questions": ["form"]}, "inputResponses": {"form": {"action": "accept"}}},
        )
        assert (await client.receive()).get("method") == "elicitation/create"
        await client.notify("notifications/cancelled", {"requestId": call})


# The modern era


def ask_params(*questions: str, **more: Any) -> Message:
    return {"name": "ask", "arguments": {"questions": list(questions)}, **more}


@each_question
async def test_a_modern_client_gets_the_question_as_a_result_and_calls_again_with_the_answer(question: str) -> None:
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        asked = await client.request("tools/call", ask_params(question))
        assert asked["resultType"] == "input_required"
        expected = QUESTIONS[question].model_dump(mode="json", by_alias=True, exclude_none=True)
        params = dict(expected.get("params") or {})
        params.pop("elicitationId", None)  # which this revision has no more
        assert asked["inputRequests"].keys() == {question}
        assert asked["inputRequests"][question]["method"] == ASKED[question]
        assert asked["inputRequests"][question].get("params", {}) == params
        again = ask_params(question, inputResponses={question: ANSWERS[question]}, requestState=asked["requestState"])
        result = await client.request("tools/call", again)
    assert result["resultType"] == "complete"
    assert json.loads(text_of(result)) == {"answers": {question: ANSWERS[question]}, "state": "round one"}
    assert client.others == []


@ways_to_ask
async def test_tools_prompts_and_resources_may_ask_a_modern_client(method: str, params: Message) -> None:
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        asked = await client.request(method, params)
        assert asked["resultType"] == "input_required"
        assert "content" not in asked
        again = {**params, "inputResponses": {"form": ANSWERS["form"]}}
        if "requestState" in asked:
            again["requestState"] = asked["requestState"]
        result = await client.request(method, again)
    assert result["resultType"] == "complete"
    assert told(result)["answers"] == {"form": ANSWERS["form"]}


@each_question
async def test_a_modern_client_that_cannot_answer_is_told_exactly_what_is_missing(question: str) -> None:
    others = {kind: {} for kind in EVERYTHING if kind not in NEEDED[question]}
    for capabilities in ({}, others):
        async with wire(factory(), Era.MODERN, capabilities) as client:
            error = await client.refused("tools/call", ask_params(question))
            assert error["code"] == -32021
            assert error["data"] == {"requiredCapabilities": NEEDED[question]}


async def test_an_empty_elicitation_capability_means_forms_and_not_pages() -> None:
    async with wire(factory(), Era.MODERN, {"elicitation": {}}) as client:
        assert (await client.request("tools/call", ask_params("form")))["resultType"] == "input_required"
        assert (await client.refused("tools/call", ask_params("page")))["code"] == -32021


async def test_the_state_of_several_rounds_is_all_that_a_handler_needs() -> None:
    params: Message = {"name": "steps", "arguments": {}}
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        first = await client.request("tools/call", params)
        answer = {"step": {"action": "accept", "content": {"name": "Ada"}}}
        second = await client.request(
            "tools/call", {**params, "inputResponses": answer, "requestState": first["requestState"]}
        )
        assert second["inputRequests"]["step"]["params"]["message"] == "Question 2, after {'step 1': 'Ada'}"
    # Nothing of it was on the connection: it goes on on another one.
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        answer = {"step": {"action": "accept", "content": {"name": "Bob"}}}
        third = await client.request(
            "tools/call", {**params, "inputResponses": answer, "requestState": second["requestState"]}
        )
    assert json.loads(text_of(third)) == {"step 1": "Ada", "step 2": "Bob"}


async def test_a_round_without_questions_has_a_state_only() -> None:
    params: Message = {"name": "think-twice", "arguments": {}}
    async with wire(factory(), Era.MODERN) as client:
        asked = await client.request("tools/call", params)
        assert asked["resultType"] == "input_required"
        assert "inputRequests" not in asked
        result = await client.request("tools/call", {**params, "requestState": asked["requestState"]})
    assert text_of(result) == "thought"


async def test_a_modern_client_may_decline() -> None:
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        result = await client.request("tools/call", ask_params("form", inputResponses={"form": {"action": "decline"}}))
    assert told(result)["answers"] == {"form": {"action": "decline"}}


@pytest.mark.parametrize(
    "responses", [[], "yes", {"form": None}, {"form": {}}, {"form": {"action": "agree"}}, {"form": 5}], ids=repr
)
async def test_answers_of_the_wrong_form_are_invalid_params(responses: object) -> None:
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        error = await client.refused("tools/call", ask_params("form", inputResponses=responses))
    assert error["code"] == INVALID_PARAMS
    assert "inputResponses" in error["message"]


async def test_an_answer_that_is_rejected_is_a_result() -> None:
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        params = {"name": "refuse", "arguments": {}, "inputResponses": {"form": ANSWERS["form"]}}
        answer = await client.answer(await client.start("tools/call", params))
    assert error_text(answer) == "That was the wrong answer"


# The seal on the state

STEPS: Message = {"name": "steps", "arguments": {}}


async def sealed_state(client: Wire, method: str = "tools/call", params: Message = STEPS) -> str:
    return (await client.request(method, params))["requestState"]


async def rejection(client: Wire, state: object, method: str = "tools/call", params: Message = STEPS) -> Message:
    """The error that a state is refused with."""
    answer = {"step": {"action": "accept", "content": {"name": "Eve"}}}
    error = await client.refused(method, {**params, "inputResponses": answer, "requestState": state})
    assert error["code"] == INVALID_PARAMS
    return error


async def test_the_state_says_nothing_to_a_client() -> None:
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        state = (await client.request("tools/call", ask_params("form")))["requestState"]
    assert "round" not in state
    assert "one" not in state.split(".")


async def test_a_state_that_was_altered_is_refused_wherever_that_was() -> None:
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        state = await sealed_state(client)
        altered = [state[:-1], state + "A", state[1:], state.upper(), "", " ", "x", "x" * (1 << 20)]
        for place in (0, 1, len(state) // 2, len(state) - 2, len(state) - 1):
            letter = "A" if state[place] != "A" else "B"
            altered.append(state[:place] + letter + state[place + 1 :])
        errors = [await rejection(client, other) for other in altered]
        assert all(error == errors[0] for error in errors)  # one answer for all, which says nothing about why
        assert "Eve" not in str(errors[0])


@pytest.mark.parametrize("state", [5, True, ["x"], {"s": 1}], ids=repr)
async def test_a_state_that_is_no_text_is_refused(state: object) -> None:
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        await rejection(client, state)


async def test_a_null_state_is_no_state() -> None:
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        result = await client.request("tools/call", {**STEPS, "requestState": None})
    assert result["inputRequests"]["step"]["params"]["message"] == "Question 1, after {}"


async def test_a_state_belongs_to_its_call() -> None:
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        state = await sealed_state(client)
        await rejection(client, state, params={"name": "other-steps", "arguments": {}})
        await rejection(client, state, params={"name": "steps", "arguments": {"more": 1}})
        await rejection(client, state, "prompts/get", {"name": "steps"})
        await rejection(client, state, "resources/read", {"uri": "x://ask"})
        of_a_prompt = await sealed_state(client, "prompts/get", {"name": "steps"})
        await rejection(client, of_a_prompt)


async def test_a_state_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr("mcp.server.request_state.time", SimpleNamespace(time=lambda: now))
    async with wire(factory(), Era.MODERN, EVERYTHING) as client:
        state = await sealed_state(client)
        answer = {"step": {"action": "accept", "content": {"name": "Ada"}}}
        now += 599
        assert "requestState" in await client.request(
            "tools/call", {**STEPS, "inputResponses": answer, "requestState": state}
        )
        now += 2
        await rejection(client, state)


async def test_a_state_is_good_for_every_process_with_the_same_key_and_for_no_other() -> None:
    def with_key(security: RequestStateSecurity) -> ServerFactory:
        return factory_of(plugin("some.questions", *declarations()), settings=Settings(request_state=security))

    key = "a key of at least thirty-two characters"
    async with wire(with_key(RequestStateSecurity(keys=[key])), Era.MODERN, EVERYTHING) as client:
        state = await sealed_state(client)
    async with wire(with_key(RequestStateSecurity(keys=[key])), Era.MODERN, EVERYTHING) as client:
        answer = {"step": {"action": "accept", "content": {"name": "Ada"}}}
        assert "requestState" in await client.request(
            "tools/call", {**STEPS, "inputResponses": answer, "requestState": state}
        )
    for other in (RequestStateSecurity(keys=[key[::-1]]), RequestStateSecurity.ephemeral()):
        async with wire(with_key(other), Era.MODERN, EVERYTHING) as client:
            await rejection(client, state)


# Both eras, through the official client


@pytest.mark.parametrize("name", ["ask", "steps", "greet"])
async def test_the_official_client_answers_a_handler_in_both_eras(era: Era, name: str) -> None:
    async def on_elicitation(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"name": "Ada"})

    async def on_sampling(context: Any, params: Any) -> CreateMessageResult:
        return CreateMessageResult(role="assistant", content=TextContent(type="text", text="Hello."), model="m")

    async def on_roots(context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri="file:///home")])

    arguments = {"ask": {"questions": ["form", "sampling", "roots"]}}.get(name, {})
    with anyio.fail_after(20):
        async with Client(
            PipeTransport(factory()),
            mode="legacy" if era is Era.LEGACY else "2026-07-28",
            elicitation_callback=on_elicitation,
            sampling_callback=on_sampling,
            list_roots_callback=on_roots,
        ) as client:
            result = await client.call_tool(name, arguments)
    assert not result.is_error, result
    (content,) = result.content
    assert isinstance(content, TextContent)
    if name == "greet":
        assert content.text == "Hello, Ada."
    elif name == "steps":
        assert json.loads(content.text) == {"step 1": "Ada", "step 2": "Ada"}
    else:
        assert list(json.loads(content.text)["answers"]) == ["form", "sampling", "roots"]


async def test_what_the_server_fills_in_is_no_argument(era: Era) -> None:
    async with wire(factory(), era, EVERYTHING) as client:
        tools = {tool["name"]: tool for tool in (await client.request("tools/list"))["tools"]}
        assert list(tools["greet"]["inputSchema"]["properties"]) == ["greeting"]
        result = await client.call("greet", who={"name": "Eve"})
        assert result["isError"] is True
        assert "who" in result["content"][0]["text"]
