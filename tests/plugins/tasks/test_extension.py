"""`tasks.extension`: the methods of tasks, and what a listener is told of them."""

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from everything_server import Era, MCPError, Settings, ToolError
from everything_server_tasks import Answers, InMemoryTaskStore, InputRequired, Tasks, TaskState
from everything_server_tasks.service import LONGEST_TTL
from harness.clock import FakeClock
from harness.plugins import Message
from harness.tasks import DECLARED, NAME, Behaviors, ConnectTasks, Questions, Raising, TaskClient, Timer
from mcp_types import CreateMessageRequest, CreateMessageRequestParams, SamplingMessage, TextContent

PLUGIN = "tasks.extension"
EXTENSION = "io.modelcontextprotocol/tasks"
NEEDED = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
METHODS: dict[str, Message] = {
    "tasks/get": {"taskId": "nope"},
    "tasks/update": {"taskId": "nope", "inputResponses": {}},
    "tasks/cancel": {"taskId": "nope"},
}

START = "2026-07-28T12:00:00.000Z"


def accepted(name: str) -> Message:
    return {"action": "accept", "content": {"name": name}}


def without_meta(result: Message) -> Message:
    return {key: value for key, value in result.items() if key != "_meta"}


async def listen(client: TaskClient, *task_ids: str, **others: Any) -> tuple[int, Message]:
    """Open a subscription, up to its acknowledgement: its id, and what was agreed to."""
    listen_id = await client.start("subscriptions/listen", {"notifications": {"taskIds": list(task_ids), **others}})
    message = await client.receive()
    assert message["method"] == "notifications/subscriptions/acknowledged", message
    assert message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == listen_id
    return listen_id, message["params"]["notifications"]


# ---------------------------------------------------------------- what is offered, and to whom


async def test_the_extension_is_advertised_in_the_modern_era_only(connect_tasks: ConnectTasks) -> None:
    async with connect_tasks() as client:
        assert (await client.server_capabilities())["extensions"] == {EXTENSION: {}}
    async with connect_tasks(era=Era.LEGACY) as client:
        assert "extensions" not in await client.server_capabilities()


@pytest.mark.parametrize("method", METHODS)
async def test_a_client_that_did_not_declare_it_is_told_what_it_lacks(method: str, connect_tasks: ConnectTasks) -> None:
    async with connect_tasks({"elicitation": {}}) as client:
        error = await client.refused(method, METHODS[method])
    assert (error["code"], error["data"]) == (-32021, NEEDED)


async def test_what_counts_is_what_each_request_declares(connect_tasks: ConnectTasks, behaviors: Behaviors) -> None:
    behaviors.add("timer", Timer(1))
    async with connect_tasks({}) as client:
        error = await client.refused("tools/call", {"name": "start", "arguments": {"name": "timer"}})
        assert (error["code"], error["data"]) == (-32021, NEEDED)
        handle = await client.request("tools/call", {"name": "start", "arguments": {"name": "timer"}}, DECLARED)
        assert handle["resultType"] == "task"
        assert (await client.refused("tasks/get", {"taskId": handle["taskId"]}))["code"] == -32021
        assert (await client.request("tasks/get", {"taskId": handle["taskId"]}, DECLARED))["status"] == "working"


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel", "tasks/list", "tasks/result"])
async def test_a_legacy_session_knows_no_method_of_tasks(method: str, connect_tasks: ConnectTasks) -> None:
    async with connect_tasks(era=Era.LEGACY) as client:
        assert (await client.refused(method, {"taskId": "nope"}))["code"] == -32601


@pytest.mark.parametrize("method", ["tasks/list", "tasks/result"])
async def test_the_methods_of_the_2025_experiment_are_unknown(method: str, connect_tasks: ConnectTasks) -> None:
    async with connect_tasks() as client:
        assert (await client.refused(method, {"taskId": "nope"}))["code"] == -32601


async def test_a_legacy_call_that_can_only_be_answered_with_a_task_says_so(
    connect_tasks: ConnectTasks, behaviors: Behaviors
) -> None:
    behaviors.add("timer", Timer(1))
    async with connect_tasks(era=Era.LEGACY) as client:
        result = await client.call("start", name="timer")
    assert result["isError"]
    assert "legacy era" in result["content"][0]["text"]


# ---------------------------------------------------------------- creating and polling


async def test_a_handle_says_all_that_a_client_needs_to_poll(connect_tasks: ConnectTasks, behaviors: Behaviors) -> None:
    behaviors.add("timer", Timer(2), ttl=60, poll_interval=0.25)
    async with connect_tasks() as client:
        handle = await client.call("start", name="timer")
        task_id = handle["taskId"]
        assert len(task_id) >= 32
        assert without_meta(handle) == {
            "resultType": "task",
            "taskId": task_id,
            "status": "working",
            "statusMessage": "first half",
            "createdAt": START,
            "lastUpdatedAt": START,
            "ttlMs": 60_000,
            "pollIntervalMs": 250,
        }
        assert without_meta(await client.task(task_id)) == {**without_meta(handle), "resultType": "complete"}


async def test_a_client_that_polls_sees_each_state_and_the_result_inline(
    connect_tasks: ConnectTasks, behaviors: Behaviors, clock: FakeClock
) -> None:
    behaviors.add("timer", Timer(2))
    async with connect_tasks() as client:
        task_id = await client.start_task("timer")
        seen: list[tuple[str, str, str | None]] = []
        for _ in range(5):
            task = await client.task(task_id)
            assert ("result" in task) == (task["status"] == "completed")
            seen.append((task["status"], task["lastUpdatedAt"], task.get("statusMessage")))
            clock.advance(0.5)
    assert seen == [
        ("working", START, "first half"),
        ("working", START, "first half"),
        ("working", "2026-07-28T12:00:01.000Z", "second half"),
        ("working", "2026-07-28T12:00:01.000Z", "second half"),
        ("completed", "2026-07-28T12:00:02.000Z", None),
    ]
    assert task["result"] == {"resultType": "complete", "content": [{"type": "text", "text": "rang"}]}


async def test_any_client_with_the_id_reads_a_task(connect_tasks: ConnectTasks, behaviors: Behaviors) -> None:
    behaviors.add("timer", Timer(1))
    async with connect_tasks() as one, connect_tasks() as other:
        task_id = await one.start_task("timer")
        assert (await other.task(task_id))["taskId"] == task_id


async def test_ids_are_not_told_from_one_another(connect_tasks: ConnectTasks, behaviors: Behaviors) -> None:
    behaviors.add("timer", Timer(1))
    async with connect_tasks() as client:
        ids = [await client.start_task("timer") for _ in range(20)]
        assert len({task_id[:13] for task_id in ids}) == 20  # no counter, no clock at their front


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("task_id", ["nope", "", "00000000-0000-4000-8000-000000000000"])
async def test_an_unknown_task_is_invalid_params(method: str, task_id: str, connect_tasks: ConnectTasks) -> None:
    async with connect_tasks() as client:
        error = await client.refused(method, {**METHODS[method], "taskId": task_id})
    assert error["code"] == -32602
    assert "Task not found" in error["message"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("task_id", [None, 5, ["x"]])
async def test_a_task_id_that_is_no_text_is_invalid_params(
    method: str, task_id: object, connect_tasks: ConnectTasks
) -> None:
    async with connect_tasks() as client:
        error = await client.refused(method, {**METHODS[method], "taskId": task_id})
    assert error["code"] == -32602
    assert "taskId" in error["message"]


# ---------------------------------------------------------------- how tasks end


@pytest.mark.parametrize(
    ("make", "status", "member", "expected"),
    [
        (lambda: ToolError("no luck"), "completed", "result", {"isError": True}),
        (lambda: MCPError(-32010, "strike"), "failed", "error", {"code": -32010, "message": "strike"}),
        (lambda: RuntimeError("secret"), "failed", "error", {"code": -32603, "message": "Internal error"}),
    ],
    ids=["a tool's error", "a protocol error", "a crash"],
)
async def test_what_goes_wrong_has_the_status_that_it_should_have(
    make: Callable[[], Exception],
    status: str,
    member: str,
    expected: Message,
    connect_tasks: ConnectTasks,
    behaviors: Behaviors,
    clock: FakeClock,
) -> None:
    behaviors.add("raising", Raising(make))
    async with connect_tasks() as client:
        task_id = await client.start_task("raising")
        clock.advance(1)
        task = await client.task(task_id)
        assert task["status"] == status
        assert expected.items() <= task[member].items()
        assert {"result", "error"} & set(task) == {member}
        assert "secret" not in str(task)
        clock.advance(1)  # a terminal state never changes
        assert await client.task(task_id) == task


async def test_a_task_is_gone_when_its_time_is_over(
    connect_tasks: ConnectTasks, behaviors: Behaviors, clock: FakeClock
) -> None:
    behaviors.add("timer", Timer(2), ttl=1)
    async with connect_tasks() as client:
        task_id = await client.start_task("timer")
        clock.advance(0.999)
        assert (await client.task(task_id))["status"] == "working"
        clock.advance(0.001)
        for method in METHODS:
            error = await client.refused(method, {**METHODS[method], "taskId": task_id})
            assert error["code"] == -32602


async def test_a_cancelled_task_stays_so_and_can_be_cancelled_again(
    connect_tasks: ConnectTasks, behaviors: Behaviors, clock: FakeClock
) -> None:
    behaviors.add("timer", Timer(2))
    async with connect_tasks() as client:
        task_id = await client.start_task("timer")
        clock.advance(0.5)
        assert without_meta(await client.cancel(task_id)) == {"resultType": "complete"}
        task = await client.task(task_id)
        assert (task["status"], task["lastUpdatedAt"]) == ("cancelled", "2026-07-28T12:00:00.500Z")
        assert not {"result", "error", "inputRequests"} & set(task)
        clock.advance(5)
        assert without_meta(await client.cancel(task_id)) == {"resultType": "complete"}
        assert await client.task(task_id) == task


async def test_cancelling_what_has_ended_changes_nothing(
    connect_tasks: ConnectTasks, behaviors: Behaviors, clock: FakeClock
) -> None:
    behaviors.add("timer", Timer(2))
    async with connect_tasks() as client:
        task_id = await client.start_task("timer")
        clock.advance(3)  # nobody has looked since it ended
        assert without_meta(await client.cancel(task_id)) == {"resultType": "complete"}
        assert (await client.task(task_id))["status"] == "completed"


async def test_the_notification_that_cancels_requests_cancels_no_task(
    connect_tasks: ConnectTasks, behaviors: Behaviors
) -> None:
    behaviors.add("timer", Timer(2))
    async with connect_tasks() as client:
        call_id = await client.start("tools/call", {"name": "start", "arguments": {"name": "timer"}})
        task_id = (await client.answer(call_id))["result"]["taskId"]
        await client.notify("notifications/cancelled", {"requestId": call_id})
        assert (await client.task(task_id))["status"] == "working"


# ---------------------------------------------------------------- input


async def test_answers_can_come_in_pieces(connect_tasks: ConnectTasks, behaviors: Behaviors, clock: FakeClock) -> None:
    behaviors.add("both", Questions(("first", "second")))
    async with connect_tasks() as client:
        task_id = await client.start_task("both")
        task = await client.task(task_id)
        assert task["status"] == "input_required"
        assert set(task["inputRequests"]) == {"first", "second"}
        assert task["inputRequests"]["first"]["method"] == "elicitation/create"

        clock.advance(1)
        assert without_meta(await client.update(task_id, second=accepted("B"))) == {"resultType": "complete"}
        task = await client.task(task_id)
        assert (task["status"], set(task["inputRequests"])) == ("input_required", {"first"})
        assert task["lastUpdatedAt"] == "2026-07-28T12:00:01.000Z"

        await client.update(task_id, second=accepted("again"), third=accepted("?"))  # answered, and never asked
        assert set((await client.task(task_id))["inputRequests"]) == {"first"}

        await client.update(task_id, first={"action": "decline"})
        task = await client.task(task_id)
        assert task["status"] == "completed"
        assert "'B'" in task["result"]["content"][0]["text"]
        assert "decline" in task["result"]["content"][0]["text"]
        assert "again" not in str(task)
        await client.update(task_id, first=accepted("late"))
        assert await client.task(task_id) == task


@pytest.mark.parametrize("answer", [{"ignored": True}, 5, None, {"action": "maybe"}], ids=str)
async def test_a_malformed_answer_is_refused_and_none_is_taken(
    answer: object, connect_tasks: ConnectTasks, behaviors: Behaviors
) -> None:
    behaviors.add("both", Questions(("first", "second")))
    async with connect_tasks() as client:
        task_id = await client.start_task("both")
        params = {"taskId": task_id, "inputResponses": {"first": accepted("A"), "second": answer}}
        error = await client.refused("tasks/update", params)
        assert error["code"] == -32602
        assert "inputResponses.second" in error["message"]
        assert set((await client.task(task_id))["inputRequests"]) == {"first", "second"}
        await client.update(task_id, unknown=answer)  # nobody asked for it, so it may be anything


@pytest.mark.parametrize("responses", [None, [], "x"], ids=str)
async def test_answers_that_are_no_object_are_invalid_params(
    responses: object, connect_tasks: ConnectTasks, behaviors: Behaviors
) -> None:
    behaviors.add("one", Questions(("only",)))
    async with connect_tasks() as client:
        task_id = await client.start_task("one")
        error = await client.refused("tasks/update", {"taskId": task_id, "inputResponses": responses})
    assert error["code"] == -32602
    assert "inputResponses" in error["message"]


async def test_a_waiting_task_can_be_cancelled(connect_tasks: ConnectTasks, behaviors: Behaviors) -> None:
    behaviors.add("one", Questions(("only",)))
    async with connect_tasks() as client:
        task_id = await client.start_task("one")
        await client.cancel(task_id)
        await client.update(task_id, only=accepted("late"))
        assert (await client.task(task_id))["status"] == "cancelled"


async def test_nothing_is_asked_of_a_client_that_did_not_declare_it(
    connect_tasks: ConnectTasks, behaviors: Behaviors
) -> None:
    behaviors.add("one", Questions(("only",)))
    async with connect_tasks(DECLARED) as client:
        task = await client.task(await client.start_task("one"))
    assert (task["status"], task["error"]["code"]) == ("failed", -32021)
    assert task["error"]["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}


async def test_a_behaviour_that_uses_a_key_again_fails(connect_tasks: ConnectTasks, behaviors: Behaviors) -> None:
    class Insistent:
        def state_at(self, elapsed: float, answers: Answers) -> TaskState:
            return InputRequired(since=0, requests={"only": NAME.request()})

    behaviors.add("insistent", Insistent())
    async with connect_tasks() as client:
        task_id = await client.start_task("insistent")
        await client.update(task_id, only=accepted("A"))
        assert (await client.task(task_id))["status"] == "failed"


async def test_a_task_may_ask_for_the_clients_model(connect_tasks: ConnectTasks, behaviors: Behaviors) -> None:
    message = SamplingMessage(role="user", content=TextContent(type="text", text="Hello?"))
    request = CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=5))

    class Sampler(Questions):
        def state_at(self, elapsed: float, answers: Answers) -> TaskState:
            state = super().state_at(elapsed, answers)
            return InputRequired(since=0, requests={"model": request}) if isinstance(state, InputRequired) else state

    behaviors.add("sampler", Sampler(("model",)))
    answer = {"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "m"}
    async with connect_tasks({**DECLARED, "sampling": {}}) as client:
        task_id = await client.start_task("sampler")
        assert (await client.task(task_id))["inputRequests"]["model"]["method"] == "sampling/createMessage"
        assert (await client.refused("tasks/update", {"taskId": task_id, "inputResponses": {"model": accepted("A")}}))[
            "code"
        ] == -32602
        await client.update(task_id, model=answer)
        assert (await client.task(task_id))["status"] == "completed"


# ---------------------------------------------------------------- listening


async def test_a_listener_is_told_of_every_state_with_the_whole_task(
    connect_tasks: ConnectTasks, behaviors: Behaviors, clock: FakeClock
) -> None:
    behaviors.add("timer", Timer(2))
    async with connect_tasks() as client:
        task_id = await client.start_task("timer")
        listen_id, agreed = await listen(client, task_id)
        assert agreed == {"taskIds": [task_id]}
        told = [await client.next_told()]
        for _ in range(2):
            await clock.wake_next()
            told.append(await client.next_told())
        polled = await client.task(task_id)
    assert [task["status"] for task in told] == ["working", "working", "completed"]
    assert [task.get("statusMessage") for task in told] == ["first half", "second half", None]
    assert {task["_meta"]["io.modelcontextprotocol/subscriptionId"] for task in told} == {listen_id}
    same = {key: value for key, value in polled.items() if key not in ("_meta", "resultType")}
    assert {key: value for key, value in told[-1].items() if key != "_meta"} == same


async def test_a_listener_hears_of_answers_and_of_a_cancellation_at_once(
    connect_tasks: ConnectTasks, behaviors: Behaviors
) -> None:
    behaviors.add("both", Questions(("first", "second")))
    async with connect_tasks() as listener, connect_tasks() as client:
        task_id = await client.start_task("both")
        await listen(listener, task_id)
        assert set((await listener.next_told())["inputRequests"]) == {"first", "second"}
        await client.update(task_id, first=accepted("A"))
        assert set((await listener.next_told())["inputRequests"]) == {"second"}
        await client.cancel(task_id)
        assert (await listener.next_told())["status"] == "cancelled"


async def test_only_the_tasks_that_there_are_are_agreed_to(connect_tasks: ConnectTasks, behaviors: Behaviors) -> None:
    behaviors.add("timer", Timer(2))
    async with connect_tasks() as client:
        one, other, unasked = [await client.start_task("timer") for _ in range(3)]
        _, agreed = await listen(client, one, "nope", other, one, toolsListChanged=True)
        assert agreed == {"taskIds": [one, other], "toolsListChanged": True}
        told = {(await client.next_told())["taskId"] for _ in range(2)}
        assert told == {one, other}
        await client.cancel(unasked)
        await client.cancel(one)
        heard = [
            message["params"]["taskId"] for message in client.others if message.get("method") == "notifications/tasks"
        ]
        assert heard in ([], [one])  # it may be told after the answer
        if not heard:
            assert (await client.next_told())["taskId"] == one


async def test_a_filter_without_any_task_that_there_is_leaves_the_rest_of_the_stream(
    connect_tasks: ConnectTasks,
) -> None:
    async with connect_tasks() as client:
        _, agreed = await listen(client, "nope", toolsListChanged=True)
        assert agreed == {"toolsListChanged": True}


async def test_a_client_that_did_not_declare_tasks_may_not_listen_to_them(connect_tasks: ConnectTasks) -> None:
    async with connect_tasks({}) as client:
        error = await client.refused("subscriptions/listen", {"notifications": {"taskIds": []}})
        assert (error["code"], error["data"]) == (-32021, NEEDED)


@pytest.mark.parametrize("wanted", [None, "x", [1], {"a": 1}], ids=str)
async def test_a_filter_that_is_no_list_of_texts_is_invalid_params(wanted: object, connect_tasks: ConnectTasks) -> None:
    async with connect_tasks() as client:
        error = await client.refused("subscriptions/listen", {"notifications": {"taskIds": wanted}})
    assert error["code"] == -32602
    assert "taskIds" in error["message"]


async def test_after_a_stream_is_cancelled_nothing_watches_the_task(
    connect_tasks: ConnectTasks, behaviors: Behaviors, clock: FakeClock
) -> None:
    behaviors.add("timer", Timer(2))
    async with connect_tasks() as client:
        listen_id, _ = await listen(client, await client.start_task("timer"))
        await client.next_told()
        await clock.until(lambda clock: clock.sleepers == 1)
        await client.notify("notifications/cancelled", {"requestId": listen_id})
        await clock.until(lambda clock: clock.sleepers == 0)
        clock.advance(5)
        await client.server_capabilities()
        assert client.others == []


async def test_a_listener_of_a_task_that_expires_hears_no_more(
    connect_tasks: ConnectTasks, behaviors: Behaviors, clock: FakeClock
) -> None:
    behaviors.add("timer", Timer(20), ttl=1)
    async with connect_tasks() as client:
        await listen(client, await client.start_task("timer"))
        await client.next_told()
        await clock.wake_next()
        assert clock.sleepers == 0
        await client.server_capabilities()
        assert client.others == []


# ---------------------------------------------------------------- bounds


async def test_ten_thousand_short_tasks_leave_nothing_behind(
    connect_tasks: ConnectTasks, behaviors: Behaviors, clock: FakeClock, settings: Settings
) -> None:
    behaviors.add("timer", Timer(1), ttl=1)
    store = settings.process_state.get(Tasks).store
    assert isinstance(store, InMemoryTaskStore)
    most = 0
    async with connect_tasks() as client:
        for _ in range(100):
            calls = [
                await client.start("tools/call", {"name": "start", "arguments": {"name": "timer"}}) for _ in range(100)
            ]
            answers = {message["id"]: message for message in [await client.receive() for _ in calls]}
            assert all(answers[call]["result"]["resultType"] == "task" for call in calls)
            most = max(most, len(store))
            clock.advance(0.5)
    assert most <= 300
    clock.advance(1)
    assert await store.get("nope", clock.now()) is None
    assert (len(store), store.size) == (0, 0)


async def test_a_full_store_refuses_a_further_task_and_keeps_the_others(
    connect_tasks: ConnectTasks, behaviors: Behaviors, clock: FakeClock, settings: Settings
) -> None:
    settings.process_state.get(Tasks).store = InMemoryTaskStore(most_tasks=2)
    behaviors.add("timer", Timer(1), ttl=10)
    async with connect_tasks() as client:
        first = await client.start_task("timer")
        await client.start_task("timer")
        result = await client.call("start", name="timer")
        assert result["isError"]
        assert "2 tasks are kept already" in result["content"][0]["text"]
        assert (await client.task(first))["status"] == "working"
        clock.advance(10)
        await client.start_task("timer")


async def test_answers_are_bounded_in_bytes(
    connect_tasks: ConnectTasks, behaviors: Behaviors, settings: Settings
) -> None:
    settings.process_state.get(Tasks).store = InMemoryTaskStore(most_bytes=5_000)
    behaviors.add("one", Questions(("only",)))
    async with connect_tasks() as client:
        task_id = await client.start_task("one")
        params = {"taskId": task_id, "inputResponses": {"only": accepted("x" * 10_000)}}
        assert (await client.refused("tasks/update", params))["code"] == -32603
        assert (await client.task(task_id))["status"] == "input_required"
        await client.update(task_id, only=accepted("short"))
        assert (await client.task(task_id))["status"] == "completed"


@pytest.mark.parametrize("ttl", [0, -1, LONGEST_TTL + 1])
async def test_a_lifetime_without_bounds_is_a_mistake_of_the_tool(
    ttl: float, connect_tasks: ConnectTasks, behaviors: Behaviors
) -> None:
    behaviors.add("timer", Timer(1), ttl=ttl)
    async with connect_tasks() as client:
        result = await client.call("start", name="timer")
    assert result["isError"]
    assert result["content"][0]["text"] == "Error executing tool start"


async def test_a_waiter_is_let_go_when_its_task_expires(
    clock: FakeClock, behaviors: Behaviors, connect_tasks: ConnectTasks, settings: Settings
) -> None:
    behaviors.add("timer", Timer(1), ttl=1)
    store = settings.process_state.get(Tasks).store
    async with connect_tasks() as client, anyio.create_task_group() as tasks:
        task_id = await client.start_task("timer")
        record = await store.get(task_id, clock.now())
        assert record is not None
        tasks.start_soon(store.wait_for_change, task_id, record.version)
        await anyio.lowlevel.checkpoint()
        clock.advance(1)
        assert await store.get(task_id, clock.now()) is None
