"""`subscriptions/listen` over HTTP: an honest acknowledgement, then what was asked for and nothing else."""

from typing import Any

import anyio
import pytest
from everything_server import ResourceSpec, ServingContext, ToolSpec
from everything_server.serving import modern as modern_serving
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from harness.asgi import AsgiClient, Reply, running
from harness.plugins import factory_of, plugin
from harness.raw_http import GUARD, SUBSCRIPTION_ID, call, listen, modern, modern_call, request
from harness.stage import OTHER_RESOURCE, RESOURCE, Stage
from harness.wire import Message

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
CHANGED = "notifications/tools/list_changed"
UPDATED = "notifications/resources/updated"
ALL = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}


async def subscribe(client: AsgiClient, request_id: int | str = 1, /, **notifications: Any) -> Reply:
    """Open a subscription, up to its acknowledgement."""
    stream = await client.send(listen(request_id, **notifications))
    assert (stream.status, stream.headers.media_type) == (200, "text/event-stream")
    message = await stream.message()
    assert message["method"] == ACKNOWLEDGED
    assert tag(message) == request_id
    return stream


async def acknowledgement(client: AsgiClient, **notifications: Any) -> Message:
    stream = await client.send(listen(**notifications))
    return (await stream.message())["params"]["notifications"]


def tag(message: Message) -> Any:
    return message["params"]["_meta"][SUBSCRIPTION_ID]


async def change(client: AsgiClient) -> None:
    assert await (await client.send(modern_call("change"))).text() == "changed"


async def update(client: AsgiClient, uri: str) -> None:
    assert await (await client.send(modern_call("update", {"uri": uri}))).text() == "updated"


# ---------------------------------------------------------------- the acknowledgement


async def test_the_acknowledgement_names_what_will_be_delivered() -> None:
    async with running(Stage().http()) as client:
        # The stage has no prompts.
        assert await acknowledgement(client, **ALL) == {"toolsListChanged": True, "resourcesListChanged": True}
        assert await acknowledgement(client, toolsListChanged=True, resourcesListChanged=False) == {
            "toolsListChanged": True
        }
        assert await acknowledgement(client, resourceSubscriptions=[RESOURCE, "stage://never"]) == {
            "resourceSubscriptions": [RESOURCE, "stage://never"]
        }
        assert await acknowledgement(client) == {}


async def test_what_no_active_plugin_offers_is_not_acknowledged() -> None:
    async def nothing() -> None:
        """Nothing."""

    tools_only = factory_of(plugin("fake.tool", ToolSpec(name="nothing", fn=nothing)))
    async with running(StreamableHttpApp(tools_only, HttpSettings())) as client:
        assert await acknowledgement(client, **ALL, resourceSubscriptions=[RESOURCE]) == {"toolsListChanged": True}

    resources_only = factory_of(plugin("fake.resource", ResourceSpec(uri=RESOURCE, name="one", fn=nothing)))
    async with running(StreamableHttpApp(resources_only, HttpSettings())) as client:
        assert await acknowledgement(client, **ALL, resourceSubscriptions=[RESOURCE]) == {
            "resourcesListChanged": True,
            "resourceSubscriptions": [RESOURCE],
        }


async def test_keys_that_nobody_knows_are_dropped() -> None:
    async with running(Stage().http()) as client:
        assert await acknowledgement(client, toolsListChanged=True, somethingElse=[1]) == {"toolsListChanged": True}


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"notifications": None},
        {"notifications": []},
        {"notifications": {"toolsListChanged": "yes"}},
        {"notifications": {"toolsListChanged": 1}},
        {"notifications": {"resourceSubscriptions": RESOURCE}},
        {"notifications": {"resourceSubscriptions": [5]}},
    ],
)
async def test_a_filter_that_is_none_is_refused_and_no_stream_is_left_open(params: Message) -> None:
    async with running(Stage().http()) as client:
        refused = await client.send(modern("subscriptions/listen", params, request_id="L"))
        answer = await refused.answer()
        assert (answer["error"]["code"], answer["id"]) == (-32602, "L")
        assert refused.ended


# ---------------------------------------------------------------- what is delivered


@pytest.mark.parametrize("request_id", [0, 7, "7", "", "sub-1"], ids=repr)
async def test_every_message_carries_the_id_of_its_subscription_in_value_and_type(request_id: int | str) -> None:
    app = Stage().http()
    async with running(app) as client:
        stream = await subscribe(client, request_id, toolsListChanged=True)
        await change(client)
        message = await stream.message()
        assert message["method"] == CHANGED
        assert tag(message) == request_id
        assert type(tag(message)) is type(request_id)
        await app.close()
        (answer,) = await stream.messages()
        assert answer["id"] == request_id
        assert answer["result"]["resultType"] == "complete"
        assert answer["result"]["_meta"][SUBSCRIPTION_ID] == request_id
        assert type(answer["result"]["_meta"][SUBSCRIPTION_ID]) is type(request_id)


async def test_only_what_was_asked_for_is_delivered() -> None:
    async with running(Stage().http()) as client:
        tools = await subscribe(client, 1, toolsListChanged=True)
        one = await subscribe(client, 2, resourceSubscriptions=[RESOURCE])
        nothing = await subscribe(client, 3)
        for uri in (OTHER_RESOURCE, f"{RESOURCE}/child", RESOURCE[:-1], RESOURCE.upper(), f"{RESOURCE}/", RESOURCE):
            await update(client, uri)
        await change(client)
        await update(client, RESOURCE)  # the last one of its kind shows that nothing came between
        messages = [await one.message(), await one.message()]
        assert [(message["method"], message["params"]["uri"]) for message in messages] == [(UPDATED, RESOURCE)] * 2
        assert (await tools.message())["method"] == CHANGED
        assert tools.waiting() == one.waiting() == nothing.waiting() == []


async def test_a_change_reaches_every_listener_whichever_request_caused_it() -> None:
    async with running(Stage().http()) as client:
        streams = [await subscribe(client, number, toolsListChanged=True) for number in range(3)]
        streams.append(await subscribe(client, 1, toolsListChanged=True, resourceSubscriptions=[RESOURCE]))
        await change(client)
        assert [tag(await stream.message()) for stream in streams] == [0, 1, 2, 1]


async def test_a_change_is_not_on_the_stream_of_the_request_that_caused_it() -> None:
    async with running(Stage().http()) as client:
        await subscribe(client, 1, toolsListChanged=True)
        assert len(await (await client.send(modern_call("change"))).messages()) == 1


async def test_changes_of_a_legacy_session_are_its_own() -> None:
    async with running(Stage().http()) as client:
        stream = await subscribe(client, 1, toolsListChanged=True, resourceSubscriptions=[RESOURCE])
        session = await client.open_session()
        standalone = await session.get()
        assert await (await session.post(call("change", {}, 1))).text() == "changed"
        assert await (await session.post(request("resources/subscribe", {"uri": RESOURCE}, 2))).result() == {}
        assert await (await session.post(call("update", {"uri": RESOURCE}, 3))).text() == "updated"
        assert [(await standalone.message())["method"] for _ in range(2)] == [CHANGED, UPDATED]
        await change(client)
        assert (await stream.message())["method"] == CHANGED
        assert stream.waiting() == standalone.waiting() == []


async def test_subscriptions_with_the_same_id_are_independent() -> None:
    async with running(Stage().http()) as client:
        first, second = [await subscribe(client, 1, toolsListChanged=True) for _ in range(2)]
        first.leave()
        await first.done()
        await change(client)
        assert (await second.message())["method"] == CHANGED


# ---------------------------------------------------------------- the end


async def test_a_client_that_leaves_is_unsubscribed() -> None:
    composed = Stage().factory()
    publish: list[Any] = []

    def factory(context: ServingContext) -> Any:
        publish.append(context.publish)
        return composed(context)

    async with running(StreamableHttpApp(factory, HttpSettings(max_subscriptions=2))) as client:
        for number in range(5):  # or the third one would be refused
            stream = await subscribe(client, number, toolsListChanged=True)
            stream.leave()
            await stream.done()
        await change(client)


async def test_over_the_limit_a_subscription_is_refused_before_it_is_acknowledged() -> None:
    async with running(Stage().http(max_subscriptions=2)) as client:
        first, _ = [await subscribe(client, number, toolsListChanged=True) for number in range(2)]
        refused = await client.send(listen("third", toolsListChanged=True))
        answer = await refused.answer()
        assert (answer["error"]["code"], answer["id"]) == (-32603, "third")
        first.leave()
        await first.done()
        await subscribe(client, "fourth", toolsListChanged=True)


async def test_silent_subscriptions_get_comments() -> None:
    async with running(Stage().http(keep_alive=0.02)) as client:
        stream = await subscribe(client, 1, toolsListChanged=True)
        for _ in range(3):
            event = await stream.event()
            assert event is not None
            assert (event.comment is not None, event.data) == (True, None)


async def test_a_client_that_does_not_read_is_cut_off_and_holds_up_nobody() -> None:
    async with running(Stage().http(max_subscriptions=2)) as client:
        stalled = await subscribe(client, 1, toolsListChanged=True)
        other = await subscribe(client, 2, toolsListChanged=True)
        stalled.stall()
        for _ in range(30):
            assert await (await client.send(modern_call("flood", {"times": 100}))).text() == "flooded"
            assert [(await other.message())["method"] for _ in range(100)] == [CHANGED] * 100
        await subscribe(client, 3, toolsListChanged=True)  # its place is free already
        stalled.resume()
        messages = await stalled.messages()
        assert 0 < len(messages) < 2000


async def test_nothing_comes_after_the_server_has_closed_a_subscription() -> None:
    app = Stage().http()
    async with running(app) as client:
        streams = [await subscribe(client, number, toolsListChanged=True) for number in range(5)]
        await app.close()
        for number, stream in enumerate(streams):
            (answer,) = await stream.messages()
            assert (answer["id"], answer["result"]["resultType"]) == (number, "complete")
        refused = await client.send(listen(9, toolsListChanged=True))
        assert refused.status == 503
        assert (await refused.error())["code"] == -32603


async def test_what_was_published_before_the_end_is_delivered_before_it() -> None:
    app = Stage().http()
    async with running(app) as client:
        stream = await subscribe(client, 1, toolsListChanged=True)
        assert await (await client.send(modern_call("flood", {"times": 5}))).text() == "flooded"
        await app.close()
        messages = await stream.messages()
        assert [message.get("method") for message in messages] == [CHANGED] * 5 + [None]


async def test_a_client_that_does_not_read_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modern_serving, "CLOSING", 0.05)
    app = Stage().http()
    async with running(app) as client:
        stalled = await subscribe(client, 1, toolsListChanged=True)
        stalled.stall()
        assert await (await client.send(modern_call("flood", {"times": 5}))).text() == "flooded"
        with anyio.fail_after(GUARD):
            await app.close()
        stalled.leave()
