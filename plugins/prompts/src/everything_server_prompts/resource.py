"""`resource-prompt`: a prompt with a resource embedded in it."""

from collections.abc import Iterator, Mapping
from typing import Annotated

from everything_server import Context, InvalidArgumentError, PromptSpec, hookimpl
from everything_server.content.dynamic_resources import (
    Kind,
    complete_kind,
    complete_resource_id,
    dynamic_content,
    is_resource_id,
)
from mcp_types import ContentBlock, EmbeddedResource, TextContent
from pydantic import Field


async def resource_prompt(
    resourceType: Annotated[Kind, Field(description="Text or Blob")],
    resourceId: Annotated[str, Field(description="The number of the resource")],
    ctx: Context,
) -> list[ContentBlock]:
    """A prompt that embeds a dynamic resource."""
    if not is_resource_id(resourceId):
        raise InvalidArgumentError("resourceId", "must be a positive whole number, such as 1")
    resource = dynamic_content(resourceType, resourceId, ctx.server.clock)
    return [
        TextContent(type="text", text=f"Please look at the {resourceType} resource {resourceId}:"),
        EmbeddedResource(type="resource", resource=resource),
    ]


def complete_type(value: str, settled: Mapping[str, str]) -> list[str]:
    """Complete the kind of resource."""
    return list(complete_kind(value))


def complete_id(value: str, settled: Mapping[str, str]) -> list[str]:
    """Complete the number of the resource."""
    return complete_resource_id(value)


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(
        name="resource-prompt",
        title="Resource Prompt",
        fn=resource_prompt,
        completions={"resourceType": complete_type, "resourceId": complete_id},
    )
