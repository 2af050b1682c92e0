"""`extras.numbered-resources`."""

from typing import Any

import pytest
from everything_server import Era, Settings
from harness import Connect
from harness.client_side import raw_client
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextResourceContents

PLUGIN = "extras.numbered-resources"
URIS = [f"demo://resource/numbered/{number:02}" for number in range(1, 26)]


async def _pages(client: Client) -> list[list[str]]:
    """All pages, as a client gets them that follows the cursors."""
    pages: list[list[str]] = []
    cursor: str | None = None
    while cursor is not None or not pages:
        result = await client.list_resources(cursor=cursor)
        pages.append([resource.uri for resource in result.resources])
        cursor = result.next_cursor
    return pages


@pytest.mark.parametrize(
    ("size", "lengths"),
    [(None, [25]), (10, [10, 10, 5]), (5, [5] * 5), (24, [24, 1]), (25, [25]), (26, [25]), (1, [1] * 25)],
    ids=str,
)
async def test_the_pages_are_the_whole_list_in_order(connect: Connect, size: int | None, lengths: list[int]) -> None:
    async with connect(PLUGIN, settings=Settings(page_size=size)) as client:
        pages = await _pages(client)
    assert [len(page) for page in pages] == lengths
    assert sum(pages, []) == URIS


async def test_only_the_last_page_has_no_cursor(era: Era) -> None:
    async with raw_client(PLUGIN, era, settings=Settings(page_size=10)) as client:
        first = await client.request("resources/list")
        second = await client.request("resources/list", {"cursor": first["nextCursor"]})
        third = await client.request("resources/list", {"cursor": second["nextCursor"]})
        error = await client.refused("resources/list", {"cursor": "not-ours"})
    assert "nextCursor" not in third
    assert error["code"] == -32602


async def test_each_says_its_number(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        for number, uri in enumerate(URIS, 1):
            [content] = (await client.read_resource(uri)).contents
            assert isinstance(content, TextResourceContents)
            assert content.text == f"This is resource {number} of 25."


@pytest.mark.parametrize("number", ["0", "00", "1", "26", "001"])
async def test_there_is_no_other(connect: Connect, number: str) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError):
            await client.read_resource(f"demo://resource/numbered/{number}")


async def test_alone_they_are_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"resources": URIS, "capabilities": ["resources"]}


async def test_disabled_they_leave_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"resources": URIS}


async def test_disabled_they_are_unknown_resources(connect: Connect, era: Era) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(URIS[0])
    assert refusal.value.code == (-32002 if era is Era.LEGACY else -32602)
