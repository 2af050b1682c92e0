"""Icons on the server, a tool, a prompt, a resource, a template and a link to a resource."""

import base64
from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal

from everything_server import (
    Context,
    PromptSpec,
    ResourceNotFoundError,
    ResourceSpec,
    ResourceTemplateSpec,
    ToolSpec,
    hookimpl,
)
from everything_server.content.tiny_image import TINY_IMAGE
from mcp_types import ContentBlock, Icon, ResourceLink, TextContent, ToolAnnotations
from pydantic import Field

Theme = Literal["light", "dark"]

PNG: Final = base64.b64decode(TINY_IMAGE)
RESOURCE_URI: Final = "demo://resource/icon/image"
URI_TEMPLATE: Final = "demo://resource/icon/theme/{theme}"


def _svg(colour: str) -> str:
    circle = f'<circle cx="12" cy="12" r="10" fill="{colour}"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">{circle}</svg>'


# A theme is that of the background, so the icon for the light one is dark.
DRAWINGS: Final[Mapping[str, str]] = {"light": _svg("#1f3a5f"), "dark": _svg("#9fd0ff")}


def _drawn(theme: Theme) -> Icon:
    data = base64.b64encode(DRAWINGS[theme].encode()).decode()
    return Icon(src=f"data:image/svg+xml;base64,{data}", mime_type="image/svg+xml", sizes=["any"], theme=theme)


ICONS: Final = (
    Icon(src=f"data:image/png;base64,{TINY_IMAGE}", mime_type="image/png", sizes=["32x32"]),
    _drawn("light"),
    _drawn("dark"),
)
"""One for any theme, of one size, and one for each theme, of any size."""


async def get_icons() -> list[ContentBlock]:
    """Get a link to a resource that has icons, as this tool has."""
    return [
        TextContent(type="text", text="This tool has icons, and so has this resource:"),
        ResourceLink(
            type="resource_link",
            uri=RESOURCE_URI,
            name="Icon Resource",
            mime_type="image/png",
            size=len(PNG),
            icons=list(ICONS),
        ),
    ]


async def read_image() -> bytes:
    """The picture that is one of this resource's own icons."""
    return PNG


async def read_drawing(
    theme: Annotated[str, Field(description="Of the background: light or dark")], ctx: Context
) -> str:
    """The drawing that is the icon for a theme: light or dark."""
    drawing = DRAWINGS.get(theme)
    if drawing is None or URI_TEMPLATE.replace("{theme}", theme) != ctx.uri:
        raise ResourceNotFoundError(ctx.uri)
    return drawing


async def icons_prompt() -> str:
    """A prompt with icons."""
    return "Which icon of this prompt do you see?"


@hookimpl
def everything_server_icons() -> Iterator[Icon]:
    """Declare the server's: only the drawings, because a modern server sends its own icons with every result."""
    yield from ICONS[1:]


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="get-icons",
        title="Get Icons Tool",
        fn=get_icons,
        icons=ICONS,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


@hookimpl
def everything_server_resources() -> Iterator[ResourceSpec | ResourceTemplateSpec]:
    """Declare the resource and the template."""
    yield ResourceSpec(
        uri=RESOURCE_URI, name="Icon Resource", fn=read_image, mime_type="image/png", size=len(PNG), icons=ICONS
    )
    yield ResourceTemplateSpec(
        uri_template=URI_TEMPLATE, name="Icon by Theme", fn=read_drawing, mime_type="image/svg+xml", icons=ICONS
    )


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(name="icons-prompt", title="Icons Prompt", fn=icons_prompt, icons=ICONS)
