"""`tasks.simulate-research-query`: inline with progress, or as a task for a client that knows tasks."""

from typing import Any

import pytest
from everything_server import Era, Settings
from harness import Connect
from harness.client_side import CANCEL, DECLINE, User, accept, problem_in, raw_client, text_of
from harness.clock import FakeClock, InstantClock
from harness.plugins import Message
from mcp_types import ElicitRequestFormParams, ElicitResult

PLUGIN = "tasks.simulate-research-query"
TOOL = "simulate-research-query"
TASKS: Message = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
WITH_FORMS: Message = {**TASKS, "elicitation": {"form": {}}}


def research(topic: str, **arguments: Any) -> Message:
    return {"name": TOOL, "arguments": {"topic": topic, **arguments}}


async def test_alone_it_offers_its_tool_and_nothing_else(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"capabilities": ["tools"], "tools": [TOOL]}


async def test_without_it_the_tool_is_gone(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"tools": [TOOL]}


# ---------------------------------------------------------------- inline


async def test_it_reports_four_stages_before_its_result(connect: Connect) -> None:
    reported: list[tuple[float, float | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        reported.append((progress, total))

    async with connect(PLUGIN, settings=Settings(clock=InstantClock())) as client:
        result = await client.call_tool(TOOL, {"topic": "cats"}, progress_callback=on_progress)
    assert "cats" in text_of(result)
    assert reported == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("topic", "readings"),
    [("python", ["programming", "snake", "comedy"]), ("tea", ["technical", "historical", "current"])],
)
async def test_an_ambiguous_topic_is_asked_about(connect: Connect, topic: str, readings: list[str]) -> None:
    user = User(accept(interpretation=readings[1]))
    async with connect(PLUGIN, elicitation_callback=user, settings=Settings(clock=InstantClock())) as client:
        text = text_of(await client.call_tool(TOOL, {"topic": topic, "ambiguous": True}))
    assert readings[1] in text
    [asked] = user.asked
    assert isinstance(asked, ElicitRequestFormParams)
    assert topic in asked.message
    choices = asked.requested_schema["properties"]["interpretation"]["oneOf"]
    assert [choice["const"] for choice in choices] == readings


@pytest.mark.parametrize(("answer", "what"), [(DECLINE, "declined"), (CANCEL, "cancelled")], ids=["decline", "cancel"])
async def test_without_an_answer_it_goes_on(connect: Connect, answer: ElicitResult, what: str) -> None:
    async with connect(PLUGIN, elicitation_callback=User(answer), settings=Settings(clock=InstantClock())) as client:
        text = text_of(await client.call_tool(TOOL, {"topic": "tea", "ambiguous": True}))
    assert what in text


async def test_an_answer_that_does_not_fit_is_asked_again_or_is_an_error(connect: Connect, era: Era) -> None:
    user = User(accept(interpretation="cat"), accept(interpretation="snake"))
    async with connect(PLUGIN, elicitation_callback=user, settings=Settings(clock=InstantClock())) as client:
        result = await client.call_tool(TOOL, {"topic": "python", "ambiguous": True})
    if era is Era.MODERN:
        assert "snake" in text_of(result)
        assert len(user.asked) == 2
    else:
        assert "interpretation" in problem_in(result)


async def test_a_client_that_cannot_be_asked_gets_a_report_all_the_same(connect: Connect) -> None:
    async with connect(PLUGIN, settings=Settings(clock=InstantClock())) as client:
        assert "tea" in text_of(await client.call_tool(TOOL, {"topic": "tea", "ambiguous": True}))


async def test_without_the_extension_even_a_client_that_knows_tasks_gets_the_result() -> None:
    async with raw_client(PLUGIN, Era.MODERN, TASKS, Settings(clock=InstantClock())) as client:
        result = await client.request("tools/call", research("cats"))
    assert result["resultType"] == "complete"


# ---------------------------------------------------------------- as a task


async def test_a_client_that_knows_tasks_gets_one_without_progress() -> None:
    clock = FakeClock()
    async with raw_client("tasks", Era.MODERN, TASKS, Settings(clock=clock)) as client:
        handle = await client.request("tools/call", {**research("cats"), "_meta": {"progressToken": "p"}})
        assert handle["resultType"] == "task"
        messages = [handle["statusMessage"]]
        for _ in range(4):
            clock.advance(0.5)
            task = await client.request("tasks/get", {"taskId": handle["taskId"]})
            messages.append(task["statusMessage"])
        assert client.others == []
    assert len(set(messages)) == 5
    assert task["status"] == "completed"
    assert "cats" in task["result"]["content"][0]["text"]


async def test_the_tasks_question_stops_its_work_until_it_is_answered() -> None:
    clock = FakeClock()
    async with raw_client("tasks", Era.MODERN, WITH_FORMS, Settings(clock=clock)) as client:
        task_id = (await client.request("tools/call", research("python", ambiguous=True)))["taskId"]
        clock.advance(0.5)
        for _ in range(2):  # it waits as long as it has to
            task = await client.request("tasks/get", {"taskId": task_id})
            assert (task["status"], list(task["inputRequests"])) == ("input_required", ["clarification"])
            clock.advance(60)
        wrong = {"clarification": {"action": "accept", "content": {"interpretation": "cat"}}}
        await client.request("tasks/update", {"taskId": task_id, "inputResponses": wrong})
        task = await client.request("tasks/get", {"taskId": task_id})
        assert list(task["inputRequests"]) == ["clarification-2"]  # a key is never used twice
        right = {"clarification-2": {"action": "accept", "content": {"interpretation": "snake"}}}
        await client.request("tasks/update", {"taskId": task_id, "inputResponses": right})
        assert (await client.request("tasks/get", {"taskId": task_id}))["status"] == "working"
        clock.advance(1.5)
        task = await client.request("tasks/get", {"taskId": task_id})
    assert task["status"] == "completed"
    assert "snake" in task["result"]["content"][0]["text"]


async def test_a_declined_question_of_a_task_lets_it_go_on() -> None:
    clock = FakeClock()
    async with raw_client("tasks", Era.MODERN, WITH_FORMS, Settings(clock=clock)) as client:
        task_id = (await client.request("tools/call", research("tea", ambiguous=True)))["taskId"]
        clock.advance(0.5)
        declined = {"clarification": {"action": "decline"}}
        await client.request("tasks/update", {"taskId": task_id, "inputResponses": declined})
        clock.advance(1.5)
        task = await client.request("tasks/get", {"taskId": task_id})
    assert "declined" in task["result"]["content"][0]["text"]


async def test_a_task_of_a_client_that_cannot_be_asked_has_no_question() -> None:
    clock = FakeClock()
    async with raw_client("tasks", Era.MODERN, TASKS, Settings(clock=clock)) as client:
        task_id = (await client.request("tools/call", research("python", ambiguous=True)))["taskId"]
        clock.advance(2)
        assert (await client.request("tasks/get", {"taskId": task_id}))["status"] == "completed"
