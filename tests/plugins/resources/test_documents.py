"""`resources.documents`."""

from typing import Any

import pytest
from everything_server import Era
from harness import Connect
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextResourceContents

PLUGIN = "resources.documents"

NAMES = ["architecture", "extension", "features", "how-it-works", "instructions", "startup", "structure"]
PREFIX = "demo://resource/static/document/"
URIS = [f"{PREFIX}{name}.md" for name in NAMES]
NOT_FOUND = {Era.LEGACY: -32002, Era.MODERN: -32602}


async def _read(client: Client, uri: str) -> str:
    result = await client.read_resource(uri)
    [contents] = result.contents
    assert isinstance(contents, TextResourceContents)
    assert (contents.uri, contents.mime_type) == (uri, "text/markdown")
    return contents.text


async def test_every_document_is_listed_with_what_it_is(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        resources = (await client.list_resources()).resources
    assert sorted((entry.uri, entry.name, entry.mime_type) for entry in resources) == [
        (uri, f"{name}.md", "text/markdown") for name, uri in zip(NAMES, URIS, strict=True)
    ]
    assert all(entry.description for entry in resources)


@pytest.mark.parametrize("uri", URIS)
async def test_every_document_can_be_read_and_says_something(connect: Connect, uri: str) -> None:
    async with connect(PLUGIN) as client:
        text = await _read(client, uri)
    heading, _, body = text.partition("\n")
    assert heading.startswith("# ")
    assert body.strip()


@pytest.mark.parametrize("uri", URIS)
async def test_a_document_may_be_kept_for_an_hour(connect: Connect, era: Era, uri: str) -> None:
    async with connect(PLUGIN) as client:
        result = await client.read_resource(uri)
    if era is Era.MODERN:
        assert (result.ttl_ms, result.cache_scope) == (3_600_000, "public")
    else:  # whose results have no such members, so that these are the client's own
        assert (result.ttl_ms, result.cache_scope) == (0, "private")


async def test_the_instructions_are_those_that_the_server_gives_its_clients(connect: Connect, era: Era) -> None:
    async with connect(PLUGIN) as client:
        text = await _read(client, f"{PREFIX}instructions.md")
        if era is Era.LEGACY:
            instructions = client.instructions
        else:
            instructions = (await client.session.send_discover(client.protocol_version))["instructions"]
    assert instructions
    assert instructions in text


async def test_the_instructions_lead_to_the_documents(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        text = await _read(client, f"{PREFIX}instructions.md")
    assert f"{PREFIX}features.md" in text


async def test_the_document_of_features_names_every_feature(connect: Connect) -> None:
    async with connect("tools,resources,prompts") as client:
        text = await _read(client, f"{PREFIX}features.md")
        names = [
            *(tool.name for tool in (await client.list_tools()).tools),
            *(template.uri_template for template in (await client.list_resource_templates()).resource_templates),
            *(prompt.name for prompt in (await client.list_prompts()).prompts),
        ]
    assert [name for name in names if name not in text] == []


@pytest.mark.parametrize(
    "uri",
    [
        f"{PREFIX}nope.md",
        f"{PREFIX}",
        f"{PREFIX}Features.md",
        f"{PREFIX}..%2Ffeatures.md",
        f"{PREFIX}../document/features.md",
        f"{PREFIX}features.md?x=1",
        "demo://resource/unknown",
        "file:///etc/hostname",
    ],
)
async def test_what_is_no_document_is_not_found(connect: Connect, era: Era, uri: str) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(uri)
    assert refusal.value.code == NOT_FOUND[era]
    assert refusal.value.data == {"uri": uri}


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"resources": URIS, "capabilities": ["resources"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"resources": URIS}


async def test_disabled_it_is_neither_served_nor_pointed_to(connect: Connect, era: Era) -> None:
    async with connect(disable=PLUGIN) as client:
        if era is Era.LEGACY:
            instructions = client.instructions
        else:
            instructions = (await client.session.send_discover(client.protocol_version)).get("instructions")
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(URIS[0])
    assert refusal.value.code == NOT_FOUND[era]
    assert PREFIX not in (instructions or "")
