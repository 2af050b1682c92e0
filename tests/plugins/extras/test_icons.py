"""`extras.icons`."""

import base64
from typing import Any

import pytest
from everything_server import Era
from harness import Connect
from harness.client_side import raw_client
from harness.plugins import Message
from mcp.shared.exceptions import MCPError
from mcp_types import BlobResourceContents, ResourceLink, TextContent, TextResourceContents

PLUGIN = "extras.icons"
TOOL = "get-icons"
PROMPT = "icons-prompt"
RESOURCE = "demo://resource/icon/image"
TEMPLATE = "demo://resource/icon/theme/{theme}"

LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


def _decoded(icon: Message) -> bytes:
    header, _, data = icon["src"].partition(",")
    assert header == f"data:{icon['mimeType']};base64"
    return base64.b64decode(data, validate=True)


@pytest.mark.parametrize(("method", "kind"), LISTS.items())
async def test_every_kind_of_list_shows_icons_of_several_kinds(era: Era, method: str, kind: str) -> None:
    async with raw_client(PLUGIN, era) as client:
        [entry] = (await client.request(method))[kind]
    image, light, dark = entry["icons"]
    assert {name: value for name, value in image.items() if name != "src"} == {
        "mimeType": "image/png",
        "sizes": ["32x32"],
    }
    for icon, theme in ((light, "light"), (dark, "dark")):
        assert {name: value for name, value in icon.items() if name != "src"} == {
            "mimeType": "image/svg+xml",
            "sizes": ["any"],
            "theme": theme,
        }
        assert _decoded(icon).startswith(b"<svg ")
    png = _decoded(image)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (32, 32)  # as its sizes say
    assert _decoded(light) != _decoded(dark)


async def test_the_server_has_icons_wherever_it_names_itself(era: Era) -> None:
    async with raw_client(PLUGIN, era) as client:
        if era is Era.LEGACY:
            shown = [client.initialize_result["serverInfo"]]
        else:
            results = [await client.request("server/discover"), await client.request("tools/list")]
            shown = [result["_meta"]["io.modelcontextprotocol/serverInfo"] for result in results]
    for info in shown:
        assert [(icon["theme"], _decoded(icon)[:5]) for icon in info["icons"]] == [
            ("light", b"<svg "),
            ("dark", b"<svg "),
        ]


async def test_disabled_the_server_has_none(connect: Connect) -> None:
    async with connect(disable=PLUGIN) as client:
        assert client.server_info is not None
        assert client.server_info.icons is None


async def test_the_tool_gives_a_link_that_has_icons_too(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        result = await client.call_tool(TOOL)
        [tool] = (await client.list_tools()).tools
        [resource] = (await client.list_resources()).resources
    text, link = result.content
    assert isinstance(text, TextContent)
    assert isinstance(link, ResourceLink)
    assert link.icons == tool.icons
    assert (link.uri, link.name, link.mime_type, link.size, link.icons) == (
        resource.uri,
        resource.name,
        resource.mime_type,
        resource.size,
        resource.icons,
    )


async def test_the_resource_is_a_picture_of_the_size_that_is_listed(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        [content] = (await client.read_resource(RESOURCE)).contents
        [resource] = (await client.list_resources()).resources
    assert isinstance(content, BlobResourceContents)
    assert (content.uri, content.mime_type) == (RESOURCE, "image/png")
    assert len(base64.b64decode(content.blob)) == resource.size


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_the_template_has_the_icon_of_each_theme(connect: Connect, theme: str) -> None:
    async with connect(PLUGIN) as client:
        [content] = (await client.read_resource(TEMPLATE.format(theme=theme))).contents
        [template] = (await client.list_resource_templates()).resource_templates
    assert isinstance(content, TextResourceContents)
    assert content.mime_type == "image/svg+xml"
    [icon] = [icon for icon in template.icons or () if icon.theme == theme]
    assert base64.b64decode(icon.src.partition(",")[2]).decode() == content.text


@pytest.mark.parametrize("theme", ["blue", "Light", "ligh%74", "light/"])
async def test_another_theme_is_an_unknown_resource(connect: Connect, era: Era, theme: str) -> None:
    uri = TEMPLATE.format(theme=theme)
    async with connect(PLUGIN) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(uri)
    assert refusal.value.code == (-32002 if era is Era.LEGACY else -32602)
    assert refusal.value.data == {"uri": uri}


async def test_the_prompt_is_rendered(connect: Connect) -> None:
    async with connect(PLUGIN) as client:
        [message] = (await client.get_prompt(PROMPT)).messages
    assert isinstance(message.content, TextContent)


async def test_the_tool_takes_no_argument(connect: Connect, refused: Any) -> None:
    async with connect(PLUGIN) as client:
        assert refused(await client.call_tool(TOOL, {"theme": "dark"})) == ["theme"]


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {
        "tools": [TOOL],
        "resources": [RESOURCE],
        "templates": [TEMPLATE],
        "prompts": [PROMPT],
        "capabilities": ["prompts", "resources", "tools"],
    }


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN) == {
        "tools": [TOOL],
        "resources": [RESOURCE],
        "templates": [TEMPLATE],
        "prompts": [PROMPT],
    }
