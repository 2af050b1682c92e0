"""`conformance.mirrored-argument`."""

from everything_server import Era
from everything_server.transports.streamable_http import HttpSettings, StreamableHttpApp
from harness.asgi import running
from harness.client_side import factory_with, raw_client
from harness.raw_http import modern_call

PLUGIN = "conformance.mirrored-argument"
CALL = modern_call("test_mirrored_argument", {"region": "eu"})


async def test_the_schema_names_the_header() -> None:
    async with raw_client(PLUGIN, Era.MODERN) as client:
        [tool] = (await client.request("tools/list"))["tools"]
    assert tool["inputSchema"]["properties"]["region"]["x-mcp-header"] == "Region"


async def test_the_header_must_agree_with_the_argument() -> None:
    app = StreamableHttpApp(factory_with(PLUGIN), HttpSettings(keep_alive=0))
    async with running(app) as client:
        assert await (await client.send(CALL.having({"Mcp-Param-Region": "eu"}))).text() == "Region: eu"
        refused = await client.send(CALL.having({"Mcp-Param-Region": "us"}))
        assert (refused.status, (await refused.error())["code"]) == (400, -32020)
