"""`conformance.prompt-with-embedded-resource`."""

from harness import Connect
from mcp_types import EmbeddedResource, TextContent


async def test_the_resource_has_the_uri_that_was_asked_for(connect: Connect) -> None:
    async with connect("conformance.prompt-with-embedded-resource") as client:
        arguments = {"resourceUri": "test://example-resource"}
        prompt = await client.get_prompt("test_prompt_with_embedded_resource", arguments)
    resource, text = (message.content for message in prompt.messages)
    assert isinstance(resource, EmbeddedResource)
    assert (resource.resource.uri, resource.resource.mime_type) == ("test://example-resource", "text/plain")
    assert text == TextContent(type="text", text="Please process the embedded resource above.")
