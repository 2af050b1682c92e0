"""`conformance.simple-text`."""

from harness import Connect
from harness.client_side import text_of


async def test_it_gives_the_text_of_the_scenario(connect: Connect) -> None:
    async with connect("conformance.simple-text") as client:
        text = text_of(await client.call_tool("test_simple_text"))
    assert text == "This is a simple text response for testing."
