"""`conformance.elicitation-sep1034-defaults`."""

from harness import Connect
from harness.client_side import User, accept, text_of
from mcp_types import ElicitRequestFormParams

DEFAULTS = {"name": "John Doe", "age": 30, "score": 95.5, "status": "active", "verified": True}


async def test_each_field_of_the_form_has_its_default(connect: Connect) -> None:
    user = User(accept(name="Ada", verified=False))
    async with connect("conformance.elicitation-sep1034-defaults", elicitation_callback=user) as client:
        text = text_of(await client.call_tool("test_elicitation_sep1034_defaults"))
    assert text == 'Elicitation completed: action=accept, content={"name": "Ada", "verified": false}'
    [asked] = user.asked
    assert isinstance(asked, ElicitRequestFormParams)
    assert {name: field["default"] for name, field in asked.requested_schema["properties"].items()} == DEFAULTS
