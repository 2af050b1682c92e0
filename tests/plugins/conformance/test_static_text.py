"""`conformance.static-text`."""

from harness import Connect
from mcp_types import TextResourceContents

URI = "test://static-text"


async def test_it_is_listed_and_read(connect: Connect) -> None:
    async with connect("conformance.static-text") as client:
        [listed] = (await client.list_resources()).resources
        [contents] = (await client.read_resource(URI)).contents
    assert (listed.uri, listed.mime_type) == (URI, "text/plain")
    text = "This is the content of the static text resource."
    assert contents == TextResourceContents(uri=URI, mime_type="text/plain", text=text)
