"""Extensions over HTTP: their routing headers, their refusals, and their notifications on a listen stream."""

from typing import Any

import anyio
import pytest
from everything_server import ExtensionSpec, MethodBinding, SendNotification, SubscriptionSpec
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from harness.asgi import AsgiClient, running
from harness.plugins import factory_of, plugin
from harness.raw_http import GUARD, SUBSCRIPTION_ID, HttpRequest, listen, modern
from harness.wire import Message
from mcp_types import Notification, NotificationParams, RequestParams, Result

IDENTIFIER = "com.example/bell"
DECLARED = {"extensions": {IDENTIFIER: {}}}


class BellParams(RequestParams):
    bell: str


class Rung(Notification[NotificationParams, str]):
    method: str = "notifications/bell/rung"


class Belfry:
    """An extension with a method that is routed by the name of a bell, and a notification for those who listen."""

    def __init__(self) -> None:
        self.rings = anyio.Event()
        self.left = anyio.Event()

    async def ring(self, ctx: Any, params: BellParams) -> Result:
        self.rings.set()
        return Result()

    async def accept(self, ctx: Any, wanted: Any) -> Any:
        return [bell for bell in wanted if bell == "tenor"] or None

    async def deliver(self, ctx: Any, bells: list[str], send: SendNotification) -> None:
        try:
            await self.rings.wait()
            await send(Rung(params=NotificationParams(_meta={"bells": bells})))
            await anyio.sleep_forever()
        finally:
            self.left.set()

    def app(self) -> StreamableHttpApp:
        spec = ExtensionSpec(
            identifier=IDENTIFIER,
            methods=(MethodBinding("bell/ring", BellParams, self.ring),),
            name_headers={"bell/ring": "bell"},
            subscriptions=(SubscriptionSpec(key="bells", accept=self.accept, deliver=self.deliver),),
        )
        return StreamableHttpApp(factory_of(plugin("fake.belfry", spec)), HttpSettings(keep_alive=0))


async def ring(client: AsgiClient, name: str | None, capabilities: Message = DECLARED) -> tuple[int, Message]:
    request = modern("bell/ring", {"bell": "tenor"}, capabilities=capabilities)
    reply = await client.send(request.having({"Mcp-Name": name}))
    return reply.status, await reply.answer()


def listening(bells: list[str]) -> HttpRequest:
    params = {"notifications": {"bells": bells}}
    return modern("subscriptions/listen", params, request_id="L", capabilities=DECLARED)


@pytest.mark.parametrize("name", ["tenor", "=?base64?dGVub3I=?="])
async def test_a_request_whose_name_header_repeats_its_params_is_served(name: str) -> None:
    async with running(Belfry().app()) as client:
        status, answer = await ring(client, name)
    assert (status, answer["result"]["resultType"]) == (200, "complete")


@pytest.mark.parametrize("name", [None, "treble", "TENOR", "=?base64?%%%?="])
async def test_a_name_header_that_does_not_is_a_mismatch(name: str | None) -> None:
    belfry = Belfry()
    async with running(belfry.app()) as client:
        status, answer = await ring(client, name)
    assert (status, answer["error"]["code"], answer["id"]) == (400, -32020, 1)
    assert "params.bell" in answer["error"]["message"]
    assert not belfry.rings.is_set()


async def test_a_client_that_did_not_declare_the_extension_is_told_so() -> None:
    async with running(Belfry().app()) as client:
        status, answer = await ring(client, "tenor", {"extensions": {"com.example/other": {}}})
    assert (status, answer["error"]["code"]) == (400, -32021)
    assert answer["error"]["data"] == {"requiredCapabilities": {"extensions": {IDENTIFIER: {}}}}


async def test_a_listener_gets_what_the_extension_sends_after_the_acknowledgement() -> None:
    belfry = Belfry()
    async with running(belfry.app()) as client:
        stream = await client.send(listening(["tenor", "treble"]))
        acknowledged = await stream.message()
        assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
        assert acknowledged["params"]["notifications"] == {"bells": ["tenor"]}
        await ring(client, "tenor")
        told = await stream.message()
        assert told["method"] == "notifications/bell/rung"
        assert told["params"]["_meta"] == {"bells": ["tenor"], SUBSCRIPTION_ID: "L"}
        stream.leave()
        with anyio.fail_after(GUARD):
            await belfry.left.wait()


async def test_what_the_extension_does_not_agree_to_is_not_acknowledged() -> None:
    async with running(Belfry().app()) as client:
        stream = await client.send(listening(["treble"]))
        assert (await stream.message())["params"]["notifications"] == {}


async def test_a_listener_that_did_not_declare_the_extension_is_refused() -> None:
    async with running(Belfry().app()) as client:
        reply = await client.send(listen("L", bells=["tenor"]))
        assert (reply.status, (await reply.error())["code"]) == (400, -32021)
