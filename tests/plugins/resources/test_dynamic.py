"""`resources.dynamic`."""

import base64
from typing import Any

import pytest
from everything_server import Era, Settings
from harness import Connect
from harness.clock import FakeClock
from mcp.shared.exceptions import MCPError
from mcp_types import BlobResourceContents, ResourceTemplateReference, TextResourceContents

PLUGIN = "resources.dynamic"

TEMPLATES = {
    "text": "demo://resource/dynamic/text/{resourceId}",
    "blob": "demo://resource/dynamic/blob/{resourceId}",
}
NOT_FOUND = {Era.LEGACY: -32002, Era.MODERN: -32602}

IDS = ["1", "42", "1000", "9007199254740993", "9" * 60]
NO_IDS = [
    "0",
    "-1",
    "+1",
    "1.5",
    "1.0",
    "abc",
    "Infinity",
    "NaN",
    "01",
    "1e3",
    "0x10",
    "²",
    "１",
    "1 ",
    " 1",
    "1,2",
    "_1",
]


@pytest.mark.parametrize("number", IDS)
async def test_a_text_tells_its_number_and_when_it_was_made(connect: Connect, number: str) -> None:
    async with connect(PLUGIN, settings=Settings(clock=FakeClock())) as client:
        result = await client.read_resource(f"demo://resource/dynamic/text/{number}")
    made = "2026-07-28T12:00:00.000+00:00"
    assert result.contents == [
        TextResourceContents(
            uri=f"demo://resource/dynamic/text/{number}",
            mime_type="text/plain",
            text=f"Resource {number}: This is a plaintext resource created at {made}",
        )
    ]


@pytest.mark.parametrize("number", IDS)
async def test_a_blob_holds_the_same_as_base64(connect: Connect, number: str) -> None:
    async with connect(PLUGIN, settings=Settings(clock=FakeClock())) as client:
        result = await client.read_resource(f"demo://resource/dynamic/blob/{number}")
    [contents] = result.contents
    assert isinstance(contents, BlobResourceContents)
    assert contents.uri == f"demo://resource/dynamic/blob/{number}"
    assert contents.mime_type == "application/octet-stream"
    made = "2026-07-28T12:00:00.000+00:00"
    data = base64.b64decode(contents.blob, validate=True)
    assert data.decode() == f"Resource {number}: This is a base64 blob created at {made}"


async def test_a_resource_is_made_anew_at_every_read(connect: Connect) -> None:
    clock = FakeClock()
    async with connect(PLUGIN, settings=Settings(clock=clock)) as client:
        [before] = (await client.read_resource("demo://resource/dynamic/text/1")).contents
        clock.advance(1.25)
        [after] = (await client.read_resource("demo://resource/dynamic/text/1")).contents
    assert isinstance(before, TextResourceContents)
    assert isinstance(after, TextResourceContents)
    assert before.text.endswith("created at 2026-07-28T12:00:00.000+00:00")
    assert after.text.endswith("created at 2026-07-28T12:00:01.250+00:00")


@pytest.mark.parametrize("kind", TEMPLATES)
async def test_a_client_must_not_keep_what_it_read(connect: Connect, kind: str) -> None:
    async with connect(PLUGIN) as client:
        result = await client.read_resource(f"demo://resource/dynamic/{kind}/1")
    assert (result.ttl_ms, result.cache_scope) == (0, "private")


@pytest.mark.parametrize("kind", TEMPLATES)
@pytest.mark.parametrize("number", [*NO_IDS, "", "1/2", "1/", "%31", "1%20", "..", "1?x=1", "1#x"])
async def test_a_resource_has_one_spelling_and_no_other(connect: Connect, era: Era, kind: str, number: str) -> None:
    uri = f"demo://resource/dynamic/{kind}/{number}"
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(uri)
    assert refusal.value.code == NOT_FOUND[era]
    assert refusal.value.data == {"uri": uri}


@pytest.mark.parametrize(
    "uri", ["demo://resource/dynamic/TEXT/1", "demo://resource/dynamic/1", "DEMO://resource/dynamic/text/1"]
)
async def test_what_no_template_stands_for_is_not_found(connect: Connect, era: Era, uri: str) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(uri)
    assert (refusal.value.code, refusal.value.data) == (NOT_FOUND[era], {"uri": uri})


@pytest.mark.parametrize("kind", TEMPLATES)
@pytest.mark.parametrize("number", IDS)
async def test_an_id_completes_to_itself(connect: Connect, kind: str, number: str) -> None:
    async with connect(PLUGIN) as client:
        reference = ResourceTemplateReference(type="ref/resource", uri=TEMPLATES[kind])
        result = await client.complete(reference, {"name": "resourceId", "value": number})
    assert (result.completion.values, result.completion.total, result.completion.has_more) == ([number], 1, False)


@pytest.mark.parametrize("kind", TEMPLATES)
@pytest.mark.parametrize("text", ["", *NO_IDS])
async def test_what_is_no_id_completes_to_nothing(connect: Connect, kind: str, text: str) -> None:
    async with connect(PLUGIN) as client:
        reference = ResourceTemplateReference(type="ref/resource", uri=TEMPLATES[kind])
        result = await client.complete(reference, {"name": "resourceId", "value": text})
    assert (result.completion.values, result.completion.total, result.completion.has_more) == ([], 0, False)


async def test_an_argument_that_a_template_has_not_got_completes_to_nothing(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        reference = ResourceTemplateReference(type="ref/resource", uri=TEMPLATES["text"])
        result = await client.complete(reference, {"name": "other", "value": "12"})
    assert (result.completion.values, result.completion.has_more) == ([], False)


@pytest.mark.parametrize("uri", ["demo://nope/{x}", "demo://resource/dynamic/text/1"])
async def test_an_unknown_template_completes_nothing(connect: Connect, uri: str) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError) as refusal:
            await client.complete(ResourceTemplateReference(type="ref/resource", uri=uri), {"name": "x", "value": "1"})
    assert refusal.value.code == -32602


async def test_the_templates_say_what_they_stand_for(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        templates = (await client.list_resource_templates()).resource_templates
    assert [(entry.uri_template, entry.name, entry.mime_type) for entry in templates] == [
        (TEMPLATES["text"], "Dynamic Text Resource", "text/plain"),
        (TEMPLATES["blob"], "Dynamic Blob Resource", "application/octet-stream"),
    ]
    assert all(entry.description for entry in templates)


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {
        "templates": sorted(TEMPLATES.values()),
        "capabilities": ["completions", "resources"],
    }


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"templates": sorted(TEMPLATES.values())}


@pytest.mark.parametrize("kind", TEMPLATES)
async def test_disabled_it_is_neither_read_nor_completed(connect: Connect, era: Era, kind: str) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(f"demo://resource/dynamic/{kind}/1")
        assert refusal.value.code == NOT_FOUND[era]
        reference = ResourceTemplateReference(type="ref/resource", uri=TEMPLATES[kind])
        with pytest.raises(MCPError) as refusal:
            await client.complete(reference, {"name": "resourceId", "value": "1"})
        assert refusal.value.code == -32602
