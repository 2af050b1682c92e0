"""`prompts.resource`."""

import base64
from typing import Any

import pytest
from everything_server import Settings
from harness import Connect
from harness.clock import FakeClock
from mcp.shared.exceptions import MCPError
from mcp_types import BlobResourceContents, EmbeddedResource, PromptReference, TextContent, TextResourceContents

PLUGIN = "prompts.resource"
PROMPT = "resource-prompt"
REFERENCE = PromptReference(type="ref/prompt", name=PROMPT)
MADE = "2026-07-28T12:00:00.000+00:00"
"""What the fake clock shows."""


@pytest.mark.parametrize("number", ["1", "8", "9007199254740993"])
@pytest.mark.parametrize("kind", ["Text", "Blob"])
async def test_the_resource_follows_a_message_about_it(connect: Connect, kind: str, number: str) -> None:
    async with connect(PLUGIN, settings=Settings(clock=FakeClock())) as client:
        result = await client.get_prompt(PROMPT, {"resourceType": kind, "resourceId": number})
    text, embedded = (message.content for message in result.messages)
    assert [message.role for message in result.messages] == ["user", "user"]
    assert isinstance(text, TextContent)
    assert number in text.text
    assert isinstance(embedded, EmbeddedResource)
    if kind == "Text":
        assert embedded.resource == TextResourceContents(
            uri=f"demo://resource/dynamic/text/{number}",
            mime_type="text/plain",
            text=f"Resource {number}: This is a plaintext resource created at {MADE}",
        )
    else:
        data = f"Resource {number}: This is a base64 blob created at {MADE}".encode()
        assert embedded.resource == BlobResourceContents(
            uri=f"demo://resource/dynamic/blob/{number}",
            mime_type="application/octet-stream",
            blob=base64.b64encode(data).decode(),
        )


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"resourceType": "text", "resourceId": "2"}, "resourceType"),
        ({"resourceType": "Binary", "resourceId": "2"}, "resourceType"),
        ({"resourceType": "", "resourceId": "2"}, "resourceType"),
        ({"resourceType": "Text", "resourceId": "0"}, "resourceId"),
        ({"resourceType": "Text", "resourceId": "abc"}, "resourceId"),
        ({"resourceType": "Text", "resourceId": "-3"}, "resourceId"),
        ({"resourceType": "Text", "resourceId": "1.0"}, "resourceId"),
        ({"resourceType": "Text", "resourceId": "01"}, "resourceId"),
        ({"resourceType": "Text", "resourceId": " 1"}, "resourceId"),
        ({"resourceType": "Text", "resourceId": ""}, "resourceId"),
        ({"resourceType": "Text"}, "resourceId"),
        ({"resourceId": "1"}, "resourceType"),
        ({"resourceType": "Text", "resourceId": "1", "size": "2"}, "size"),
    ],
    ids=str,
)
async def test_what_names_no_resource_is_refused(connect: Connect, arguments: dict[str, str], argument: str) -> None:
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError, match=f"{argument}: .+") as refusal:
            await client.get_prompt(PROMPT, arguments)
    assert refusal.value.code == -32602
    assert "pydantic" not in refusal.value.message


@pytest.mark.parametrize(
    ("argument", "typed", "found"),
    [
        ("resourceType", "", ["Text", "Blob"]),
        ("resourceType", "T", ["Text"]),
        ("resourceType", "b", []),
        ("resourceId", "", []),
        ("resourceId", "1", ["1"]),
        ("resourceId", "250", ["250"]),
        ("resourceId", "0", []),
        ("resourceId", "01", []),
        ("resourceId", "1.0", []),
        ("resourceId", "1e3", []),
        ("resourceId", "abc", []),
        ("nope", "1", []),
    ],
)
async def test_both_arguments_are_completed(connect: Connect, argument: str, typed: str, found: list[str]) -> None:
    async with connect(PLUGIN) as client:
        completion = (await client.complete(REFERENCE, {"name": argument, "value": typed})).completion
    assert (completion.values, completion.total, completion.has_more) == (found, len(found), False)


async def test_the_list_tells_its_title_and_arguments(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        [prompt] = (await client.list_prompts()).prompts
    assert (prompt.name, prompt.title) == (PROMPT, "Resource Prompt")
    assert prompt.arguments is not None
    assert [(argument.name, argument.required) for argument in prompt.arguments] == [
        ("resourceType", True),
        ("resourceId", True),
    ]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"prompts": [PROMPT], "capabilities": ["completions", "prompts"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {"prompts": [PROMPT]}


async def test_disabled_it_is_an_unknown_prompt(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        with pytest.raises(MCPError, match=f"Unknown prompt: {PROMPT}") as refusal:
            await client.get_prompt(PROMPT, {"resourceType": "Text", "resourceId": "1"})
    assert refusal.value.code == -32602
