"""`conformance.input-required-result-list-roots`."""

import pytest
from everything_server import Era
from harness import connector
from harness.client_side import text_of
from mcp.client import ClientRequestContext
from mcp_types import ListRootsResult, Root
from pydantic import FileUrl


@pytest.mark.parametrize(
    ("uris", "shown"), [(["file:///a", "file:///b"], "file:///a, file:///b"), ([], "none")], ids=["two", "none"]
)
async def test_it_shows_the_roots(uris: list[str], shown: str) -> None:
    async def list_roots(context: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FileUrl(uri)) for uri in uris])

    plugin = "conformance.input-required-result-list-roots"
    async with connector(Era.MODERN)(plugin, list_roots_callback=list_roots) as client:
        text = text_of(await client.call_tool("test_input_required_result_list_roots"))
    assert text == f"The client's roots: {shown}"
