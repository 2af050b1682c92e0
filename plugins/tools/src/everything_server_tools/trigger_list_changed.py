"""`trigger-list-changed`: really changes a list, and says so."""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from everything_server import Context, InvalidArgumentError, PromptSpec, ResourceSpec, ToolSpec, hookimpl
from mcp_types import ToolAnnotations
from pydantic import Field

List = Literal["tools", "prompts", "resources"]


async def added_tool() -> str:
    """A tool that comes and goes."""
    return "This tool was added by trigger-list-changed."


async def added_prompt() -> str:
    """A prompt that comes and goes."""
    return "This prompt was added by trigger-list-changed."


async def added_resource() -> str:
    """A resource that comes and goes."""
    return "This resource was added by trigger-list-changed."


ADDED: Final[dict[List, ToolSpec | PromptSpec | ResourceSpec]] = {
    "tools": ToolSpec(name="added-tool", title="Added Tool", fn=added_tool),
    "prompts": PromptSpec(name="added-prompt", title="Added Prompt", fn=added_prompt),
    "resources": ResourceSpec(uri="demo://resource/added", name="Added Resource", fn=added_resource),
}


async def trigger_list_changed(
    ctx: Context,
    list: Annotated[List, Field(description="Which list to change")],
) -> str:
    """Add an entry to a list, or take it away again if it is there, and announce the change.

    In the legacy era the list is this session's own; in the modern era it is the same for every client.
    """
    if not ctx.server.features.serves(list):
        raise InvalidArgumentError("list", f"no plugin of this server has {list}, so there is no such list")
    entry = ADDED[list]
    removed = ctx.server.features.remove(entry)
    if not removed:
        ctx.server.features.add(entry)
    match list:
        case "tools":
            await ctx.notify_tools_changed()
        case "prompts":
            await ctx.notify_prompts_changed()
        case "resources":
            await ctx.notify_resources_changed()
    return (
        f"Took the added entry away from the list of {list}." if removed else f"Added an entry to the list of {list}."
    )


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="trigger-list-changed",
        title="Trigger List Changed Tool",
        fn=trigger_list_changed,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
    )


@hookimpl
def everything_server_instructions() -> str:
    """Say that the change is real."""
    return "trigger-list-changed really adds an entry to a list, or takes it away again: list after each call."
