"""`extras.annotated-resources`."""

from datetime import UTC, datetime
from typing import Any

import pytest
from everything_server import Era
from harness import Connect
from harness.client_side import raw_client
from mcp.shared.exceptions import MCPError
from mcp_types import TextResourceContents

PLUGIN = "extras.annotated-resources"
PREFIX = "demo://resource/annotated/"
ANNOTATIONS: dict[str, dict[str, Any]] = {
    f"{PREFIX}for-user": {"audience": ["user"], "priority": 1, "lastModified": "2026-07-28T12:00:00Z"},
    f"{PREFIX}for-assistant": {"audience": ["assistant"], "priority": 0.5, "lastModified": "2025-11-25T08:30:00Z"},
    f"{PREFIX}for-both": {"audience": ["user", "assistant"], "priority": 0, "lastModified": "2024-11-05T00:00:00Z"},
}


async def test_each_resource_is_listed_with_all_three_annotations(era: Era) -> None:
    """A priority of zero is one, too."""
    async with raw_client(PLUGIN, era) as client:
        listed = (await client.request("resources/list"))["resources"]
    assert {entry["uri"]: entry["annotations"] for entry in listed} == ANNOTATIONS


async def test_the_client_reads_them(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        listed = (await client.list_resources()).resources
    annotations = [resource.annotations for resource in listed]
    assert [found and found.priority for found in annotations] == [1, 0.5, 0]
    moments = [datetime.fromisoformat((found and found.last_modified) or "") for found in annotations]
    assert moments == sorted(moments, reverse=True)
    assert all(moment.tzinfo == UTC for moment in moments)


@pytest.mark.parametrize("uri", ANNOTATIONS)
async def test_each_says_how_it_is_annotated(connect: Connect, uri: str) -> None:
    async with connect(PLUGIN) as client:
        [content] = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert (content.uri, content.mime_type) == (uri, "text/plain")
    expected = ANNOTATIONS[uri]
    assert " and ".join(expected["audience"]) in content.text
    assert f"priority {expected['priority']}," in content.text
    assert content.text.endswith(expected["lastModified"])


async def test_there_is_no_other(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError):
            await client.read_resource(f"{PREFIX}for-nobody")


async def test_alone_they_are_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"resources": sorted(ANNOTATIONS), "capabilities": ["resources"]}


async def test_disabled_they_leave_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"resources": sorted(ANNOTATIONS)}


async def test_disabled_they_are_unknown_resources(connect: Connect, era: Era) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(f"{PREFIX}for-user")
    assert refusal.value.code == (-32002 if era is Era.LEGACY else -32602)
