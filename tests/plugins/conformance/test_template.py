"""`conformance.template`."""

import json

from harness import Connect
from mcp_types import TextResourceContents


async def test_the_id_in_the_uri_is_in_the_contents(connect: Connect) -> None:
    async with connect("conformance.template") as client:
        [template] = (await client.list_resource_templates()).resource_templates
        uri = template.uri_template.replace("{id}", "123")
        [contents] = (await client.read_resource(uri)).contents
    assert uri == "test://template/123/data"
    assert isinstance(contents, TextResourceContents)
    assert (contents.uri, contents.mime_type) == (uri, "application/json")
    assert json.loads(contents.text) == {"id": "123", "templateTest": True, "data": "Data for ID: 123"}
