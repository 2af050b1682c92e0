"""`conformance.missing-capability`."""

from everything_server import Era
from harness.client_side import raw_client

PLUGIN = "conformance.missing-capability"
TOOL = "test_missing_capability"


async def test_it_serves_a_client_that_declares_sampling() -> None:
    async with raw_client(PLUGIN, Era.MODERN, {"sampling": {}}) as client:
        assert await client.call_text(TOOL) == "The client has declared sampling."


async def test_another_one_is_told_what_is_missing() -> None:
    async with raw_client(PLUGIN, Era.MODERN) as client:
        error = await client.refused("tools/call", {"name": TOOL})
    assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": {"sampling": {}}})
