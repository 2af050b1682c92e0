"""`tools.get-resource-links`."""

from typing import Any

import pytest
from harness import Connect
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ResourceLink, TextContent

TOOL = "get-resource-links"


def _links(result: CallToolResult) -> list[ResourceLink]:
    """The links, which a text announces."""
    assert not result.is_error
    heading, *links = result.content
    assert isinstance(heading, TextContent)
    assert str(len(links)) in heading.text
    assert all(isinstance(link, ResourceLink) for link in links)
    return links  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("arguments", "count"), [(None, 3), ({}, 3), ({"count": 1}, 1), ({"count": 10}, 10), ({"count": 2.0}, 2)], ids=str
)
async def test_there_are_as_many_links_as_asked_for(
    connect: Connect, arguments: dict[str, Any] | None, count: int
) -> None:
    async with connect("tools.get-resource-links") as client:
        result = await client.call_tool(TOOL, arguments)
    assert len(_links(result)) == count


async def test_blobs_and_texts_alternate_and_say_what_they_are(connect: Connect) -> None:
    async with connect("tools.get-resource-links") as client:
        links = _links(await client.call_tool(TOOL, {"count": 4}))
    assert [(link.uri, link.name, link.mime_type) for link in links] == [
        ("demo://resource/dynamic/blob/1", "Blob Resource 1", "application/octet-stream"),
        ("demo://resource/dynamic/text/2", "Text Resource 2", "text/plain"),
        ("demo://resource/dynamic/blob/3", "Blob Resource 3", "application/octet-stream"),
        ("demo://resource/dynamic/text/4", "Text Resource 4", "text/plain"),
    ]
    descriptions = [link.description or "" for link in links]
    assert all(str(number) in text for number, text in enumerate(descriptions, start=1))
    assert ["plain text" in text for text in descriptions] == [False, True, False, True]


async def test_the_links_lead_to_resources_where_those_are_served(connect: Connect) -> None:
    async with connect("tools.get-resource-links,resources.dynamic") as client:
        for link in _links(await client.call_tool(TOOL, {"count": 10})):
            [contents] = (await client.read_resource(link.uri)).contents
            assert (contents.uri, contents.mime_type) == (link.uri, link.mime_type)


@pytest.mark.parametrize("count", [0, -1, 11, 2.5, "3", None, True, 10**30], ids=repr)
async def test_a_count_outside_of_the_limits_is_refused(connect: Connect, refused: Any, count: object) -> None:
    async with connect("tools.get-resource-links") as client:
        result = await client.call_tool(TOOL, {"count": count})
    assert refused(result) == ["count"]


async def test_an_undeclared_argument_is_refused(connect: Connect, refused: Any) -> None:
    async with connect("tools.get-resource-links") as client:
        result = await client.call_tool(TOOL, {"counts": 3})
    assert refused(result) == ["counts"]


async def test_the_schema_states_limits_and_default(connect: Connect) -> None:
    async with connect("tools.get-resource-links") as client:
        [tool] = (await client.list_tools()).tools
    assert tool.title == "Get Resource Links Tool"
    count = tool.input_schema["properties"]["count"]
    assert (count["type"], count["minimum"], count["maximum"], count["default"]) == ("integer", 1, 10, 3)
    assert "required" not in tool.input_schema


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of("tools.get-resource-links") == {"tools": [TOOL], "capabilities": ["tools"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without("tools.get-resource-links") == {"tools": [TOOL]}


async def test_disabled_it_is_an_unknown_tool(connect: Connect) -> None:
    async with connect(disable="tools.get-resource-links") as client:
        with pytest.raises(MCPError, match=f"Unknown tool: {TOOL}") as refusal:
            await client.call_tool(TOOL)
    assert refusal.value.code == -32602
