"""`test_prompt_with_embedded_resource`, for the scenario `prompts-get-embedded-resource`."""

from collections.abc import Iterator
from typing import Annotated

from everything_server import PromptSpec, hookimpl
from mcp_types import ContentBlock, EmbeddedResource, TextContent, TextResourceContents
from pydantic import Field


async def prompt_with_embedded_resource(
    resourceUri: Annotated[str, Field(description="The URI that the embedded resource is to have")],
) -> list[ContentBlock]:
    """A prompt with a resource in it, under any URI."""
    contents = TextResourceContents(
        uri=resourceUri, mime_type="text/plain", text="Embedded resource content for testing."
    )
    return [
        EmbeddedResource(type="resource", resource=contents),
        TextContent(type="text", text="Please process the embedded resource above."),
    ]


@hookimpl
def everything_server_prompts() -> Iterator[PromptSpec]:
    """Declare the prompt."""
    yield PromptSpec(name="test_prompt_with_embedded_resource", fn=prompt_with_embedded_resource)
