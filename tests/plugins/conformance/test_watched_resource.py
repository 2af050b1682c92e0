"""`conformance.watched-resource`."""

from everything_server import Era
from harness import Connect
from harness.client_side import raw_client

PLUGIN = "conformance.watched-resource"
URI = "test://watched-resource"


async def test_it_is_listed_and_read(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        assert [resource.uri for resource in (await client.list_resources()).resources] == [URI]
        assert len((await client.read_resource(URI)).contents) == 1


async def test_legacy_it_can_be_subscribed_to_and_unsubscribed_from() -> None:
    async with raw_client(PLUGIN, Era.LEGACY) as client:
        for method in ("resources/subscribe", "resources/unsubscribe"):
            assert await client.request(method, {"uri": URI}) == {}


async def test_modern_it_can_be_listened_for() -> None:
    async with raw_client(PLUGIN, Era.MODERN) as client:
        await client.start("subscriptions/listen", {"notifications": {"resourceSubscriptions": [URI]}})
        acknowledged = await client.receive()
    assert acknowledged["params"]["notifications"] == {"resourceSubscriptions": [URI]}
