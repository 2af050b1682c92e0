"""`conformance.elicitation-sep1330-enums`."""

import json
from typing import Any

from harness import Connect
from harness.client_side import User, accept, text_of
from mcp_types import ElicitRequestFormParams

FILLED_IN: dict[str, Any] = {
    "untitledSingle": "option1",
    "titledSingle": "value1",
    "legacyEnum": "opt1",
    "untitledMulti": ["option1", "option2"],
    "titledMulti": ["value1", "value3"],
}


async def test_it_asks_for_a_choice_of_each_kind(connect: Connect) -> None:
    user = User(accept(**FILLED_IN))
    async with connect("conformance.elicitation-sep1330-enums", elicitation_callback=user) as client:
        text = text_of(await client.call_tool("test_elicitation_sep1330_enums"))
    heading, _, content = text.partition(", content=")
    assert (heading, json.loads(content)) == ("Elicitation completed: action=accept", FILLED_IN)
    [asked] = user.asked
    assert isinstance(asked, ElicitRequestFormParams)
    fields = asked.requested_schema["properties"]
    assert {name: sorted(field) for name, field in fields.items()} == {
        "untitledSingle": ["enum", "type"],
        "titledSingle": ["oneOf", "type"],
        "legacyEnum": ["enum", "enumNames", "type"],
        "untitledMulti": ["items", "type"],
        "titledMulti": ["items", "type"],
    }
    assert fields["titledSingle"]["oneOf"][0] == {"const": "value1", "title": "First Option"}
    assert fields["titledMulti"]["items"]["anyOf"][2] == {"const": "value3", "title": "Third Choice"}
