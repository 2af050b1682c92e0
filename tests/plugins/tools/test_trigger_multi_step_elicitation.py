"""`tools.trigger-multi-step-elicitation`."""

from collections.abc import Callable
from typing import Any

import pytest
from everything_server import Era, Settings
from harness import Connect, connector
from harness.client_side import (
    ACCEPT_NOTHING,
    CANCEL,
    DECLINE,
    Ear,
    User,
    accept,
    altered,
    problem_in,
    raw_client,
    responses,
    text_of,
)
from harness.plugins import Message
from mcp.client import Client
from mcp.server.request_state import RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    InputRequiredResult,
    ToolListChangedNotification,
)

TOOL = "trigger-multi-step-elicitation"
PLUGIN = "tools.trigger-multi-step-elicitation"

HIKE = [accept(activity="hike"), accept(kind="coast"), accept(people=2)]
PLANNED = "The outing is planned: activity: hike, kind: coast, people: 2"


def _form(asked: ElicitRequestParams) -> tuple[str, Message]:
    """The message of a form, and the schema of its only field."""
    assert isinstance(asked, ElicitRequestFormParams)
    assert asked.requested_schema["type"] == "object"
    [(name, schema)] = asked.requested_schema["properties"].items()
    assert asked.requested_schema["required"] == [name]
    return asked.message, {"name": name, **schema}


async def _round(client: Client, asked: InputRequiredResult | None = None, answer: ElicitResult | None = None) -> Any:
    """Take one round by hand: answer what was asked, and give what comes next."""
    answers = None if asked is None else responses(**{_key(asked): answer})
    state = None if asked is None else asked.request_state
    return await client.session.call_tool(TOOL, input_responses=answers, request_state=state, allow_input_required=True)


def _key(asked: InputRequiredResult) -> str:
    [key] = asked.input_requests or {}
    return key


def _question(asked: InputRequiredResult) -> str:
    [request] = (asked.input_requests or {}).values()
    assert isinstance(request, ElicitRequest)
    return request.params.message


async def test_three_answers_make_a_plan(connect: Connect) -> None:
    user = User(*HIKE)
    async with connect(PLUGIN, elicitation_callback=user) as client:
        assert text_of(await client.call_tool(TOOL)) == PLANNED
    assert len(user.asked) == 3


@pytest.mark.parametrize(
    ("activity", "kinds", "question"),
    [
        ("hike", ["forest", "mountain", "coast"], "How many people come along to the mountain hike?"),
        ("concert", ["jazz", "rock", "classical"], "How many people come along to the rock concert?"),
    ],
)
async def test_each_question_is_made_from_the_answers_before_it(
    connect: Connect, activity: str, kinds: list[str], question: str
) -> None:
    user = User(accept(activity=activity), accept(kind=kinds[1]), accept(people=20))
    async with connect(PLUGIN, elicitation_callback=user) as client:
        await client.call_tool(TOOL)
    first, second, third = map(_form, user.asked)
    assert first[1]["enum"] == ["hike", "concert"]
    assert activity in second[0]
    assert second[1]["enum"] == kinds
    assert third[0] == question
    assert (third[1]["type"], third[1]["minimum"], third[1]["maximum"]) == ("integer", 1, 20)


@pytest.mark.parametrize(("answer", "what"), [(DECLINE, "declined"), (CANCEL, "cancelled")], ids=["decline", "cancel"])
@pytest.mark.parametrize("number", [1, 2, 3])
async def test_a_user_who_stops_ends_it_in_that_round(
    connect: Connect, answer: ElicitResult, what: str, number: int
) -> None:
    user = User(*HIKE[: number - 1], answer)
    async with connect(PLUGIN, elicitation_callback=user) as client:
        assert text_of(await client.call_tool(TOOL)) == f"The user {what} in round {number} of 3."
    assert len(user.asked) == number


INVALID: list[tuple[int, str, ElicitResult]] = [
    (1, "content", ACCEPT_NOTHING),
    (1, "activity", accept()),
    (1, "activity", accept(activity="swim")),
    (2, "kind", accept(kind="jazz")),  # belongs to the other activity
    (2, "kind", accept(activity="hike")),
    (3, "people", accept(people=0)),
    (3, "people", accept(people=21)),
    (3, "people", accept(people="2")),
    (3, "people", accept(people=1.5)),
]


@pytest.mark.parametrize(("number", "field", "answer"), INVALID, ids=lambda value: str(value)[:60])
async def test_legacy_an_invalid_answer_is_an_error_that_names_the_field(
    number: int, field: str, answer: ElicitResult
) -> None:
    user = User(*HIKE[: number - 1], answer)
    async with connector(Era.LEGACY)(PLUGIN, elicitation_callback=user) as client:
        heading, *problems = problem_in(await client.call_tool(TOOL)).split("\n- ")
    assert heading == "The form was filled in wrongly:"
    assert {problem.partition(": ")[0] for problem in problems} == {field}
    assert len(user.asked) == number


@pytest.mark.parametrize(("number", "field", "answer"), INVALID, ids=lambda value: str(value)[:60])
async def test_modern_an_invalid_answer_is_asked_again_and_earlier_ones_are_kept(
    number: int, field: str, answer: ElicitResult
) -> None:
    user = User(*HIKE[: number - 1], answer, *HIKE[number - 1 :])
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=user) as client:
        assert text_of(await client.call_tool(TOOL)) == PLANNED
    assert user.asked[number - 1] == user.asked[number]
    assert len(user.asked) == 4


async def test_legacy_a_client_that_refuses_makes_an_error_result() -> None:
    user = User(HIKE[0], ErrorData(code=-1, message="gone"))
    async with connector(Era.LEGACY)(PLUGIN, elicitation_callback=user) as client:
        problem = problem_in(await client.call_tool(TOOL))
    assert problem == "The client did not answer elicitation/create: gone"


async def test_legacy_a_client_that_can_show_forms_is_told_of_the_tool() -> None:
    ear = Ear()
    async with connector(Era.LEGACY)(PLUGIN, elicitation_callback=User(), message_handler=ear) as client:
        await ear.until_heard(ToolListChangedNotification)
        assert [tool.name for tool in (await client.list_tools()).tools] == [TOOL]


async def test_calls_at_the_same_time_have_answers_of_their_own(connect: Connect) -> None:
    first = User(*HIKE)
    second = User(accept(activity="concert"), accept(kind="rock"), accept(people=9))
    settings = Settings()
    async with (
        connect(PLUGIN, elicitation_callback=first, settings=settings) as client,
        connect(PLUGIN, elicitation_callback=second, settings=settings) as other,
    ):
        assert text_of(await other.call_tool(TOOL)).endswith("kind: rock, people: 9")
        assert text_of(await client.call_tool(TOOL)) == PLANNED


async def test_modern_each_round_has_a_state_and_a_key_of_its_own() -> None:
    rounds: list[InputRequiredResult] = []
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User()) as client:
        asked = await _round(client)
        for answer in HIKE:
            assert isinstance(asked, InputRequiredResult)
            rounds.append(asked)
            asked = await _round(client, asked, answer)
        assert text_of(asked) == PLANNED
    assert len({_key(asked) for asked in rounds}) == 3
    states = [asked.request_state or "" for asked in rounds]
    assert len(set(states)) == 3
    assert all(states)
    assert not [state for state in states if "hike" in state or "coast" in state]


async def test_modern_another_request_on_another_connection_goes_on() -> None:
    settings = Settings()
    connect = connector(Era.MODERN)
    async with connect(PLUGIN, elicitation_callback=User(), settings=settings) as client:
        asked = await _round(client, await _round(client), HIKE[0])
    async with connect(PLUGIN, elicitation_callback=User(*HIKE[2:]), settings=settings) as client:
        answers = responses(**{_key(asked): HIKE[1]})
        result = await client.call_tool(TOOL, input_responses=answers, request_state=asked.request_state)
    assert text_of(result) == PLANNED


async def test_modern_an_earlier_state_answers_from_there() -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User()) as client:
        first = await _round(client)
        hike = await _round(client, first, HIKE[0])
        concert = await _round(client, first, accept(activity="concert"))
        assert (_question(hike), _question(concert)) == ("Which kind of hike?", "Which kind of concert?")


async def test_modern_answers_without_a_state_start_over() -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User()) as client:
        first = await _round(client)
        answers = responses(**{_key(first): HIKE[0]})
        again = await client.session.call_tool(TOOL, input_responses=answers, allow_input_required=True)
        assert isinstance(again, InputRequiredResult)
        assert again.input_requests == first.input_requests


async def test_modern_a_state_without_answers_is_asked_again() -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User()) as client:
        second = await _round(client, await _round(client), HIKE[0])
        for answers in (None, responses(), responses(nope=HIKE[1])):
            again = await client.session.call_tool(
                TOOL, input_responses=answers, request_state=second.request_state, allow_input_required=True
            )
            assert isinstance(again, InputRequiredResult)
            assert again.input_requests == second.input_requests


@pytest.mark.parametrize("how", list(altered("state" * 9)))
async def test_modern_an_altered_state_is_refused_and_the_connection_goes_on(how: str) -> None:
    async with connector(Era.MODERN)(PLUGIN, elicitation_callback=User(*HIKE)) as client:
        asked = await _round(client)
        bad = altered(asked.request_state or "")[how]
        with pytest.raises(MCPError) as refusal:
            await client.call_tool(TOOL, input_responses=responses(**{_key(asked): DECLINE}), request_state=bad)
        assert refusal.value.code == -32602
        assert text_of(await client.call_tool(TOOL)) == PLANNED


@pytest.mark.parametrize("state", [7, True, ["x"], {}], ids=str)
async def test_modern_a_state_that_is_no_text_is_refused(state: Any) -> None:
    async with raw_client(PLUGIN, Era.MODERN, {"elicitation": {}}) as client:
        error = await client.refused("tools/call", {"name": TOOL, "arguments": {}, "requestState": state})
    assert error["code"] == -32602


async def test_modern_a_state_is_refused_with_other_arguments_or_on_another_tool() -> None:
    plugins = f"{PLUGIN},tools.echo,tools.trigger-elicitation-request,prompts.simple"
    async with connector(Era.MODERN)(plugins, elicitation_callback=User()) as client:
        asked = await _round(client)
        state = asked.request_state
        assert state is not None
        misuses: list[Callable[[], Any]] = [
            lambda: client.call_tool(TOOL, {"rounds": 2}, request_state=state),
            lambda: client.call_tool("echo", {"message": "x"}, request_state=state),
            lambda: client.call_tool("trigger-elicitation-request", request_state=state),
            lambda: client.get_prompt("simple-prompt", request_state=state),
        ]
        messages: set[str] = set()
        for misuse in misuses:
            with pytest.raises(MCPError) as refusal:
                await misuse()
            assert refusal.value.code == -32602
            messages.add(str(refusal.value))
    assert len(messages) == 1  # it does not tell what was wrong


async def test_modern_a_state_is_good_only_where_its_key_is_known() -> None:
    key, other = b"k" * 32, b"x" * 32

    def connected(key: bytes) -> Any:
        settings = Settings(request_state=RequestStateSecurity(keys=[key]))
        return connector(Era.MODERN)(PLUGIN, elicitation_callback=User(), settings=settings)

    async with connected(key) as client:
        asked = await _round(client)
    async with connected(key) as client:
        assert text_of(await _round(client, asked, DECLINE)) == "The user declined in round 1 of 3."
    async with connected(other) as client:
        with pytest.raises(MCPError) as refusal:
            await _round(client, asked, DECLINE)
    assert refusal.value.code == -32602


@pytest.mark.parametrize("declared", [{}, {"elicitation": {"url": {}}}, {"sampling": {}}], ids=str)
async def test_a_client_that_shows_no_forms_is_not_asked(undeclared: Callable[..., Any], declared: Message) -> None:
    await undeclared(PLUGIN, {}, declared, {"elicitation": {"form": {}}})


async def test_there_are_no_arguments(connect: Connect, refused: Any) -> None:
    user = User()
    async with connect(PLUGIN, elicitation_callback=user) as client:
        assert refused(await client.call_tool(TOOL, {"rounds": 2})) == ["rounds"]
    assert user.asked == []


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN, elicitation_callback=User()) == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, elicitation_callback=User()) == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable=PLUGIN, elicitation_callback=User()) as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
