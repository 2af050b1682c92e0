"""`conformance.static-binary`."""

import base64

from harness import Connect
from mcp_types import BlobResourceContents

URI = "test://static-binary"


async def test_it_is_listed_and_read(connect: Connect) -> None:
    async with connect("conformance.static-binary") as client:
        [listed] = (await client.list_resources()).resources
        [contents] = (await client.read_resource(URI)).contents
    assert (listed.uri, listed.mime_type) == (URI, "image/png")
    assert isinstance(contents, BlobResourceContents)
    assert base64.b64decode(contents.blob).startswith(b"\x89PNG")
