"""`json_schema_2020_12_tool`, for the scenario `json-schema-2020-12`."""

import json
from collections.abc import Iterator
from typing import Any, Final, Literal

from everything_server import ToolSpec, hookimpl

INPUT_SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
"""Keywords of every kind that a server must not drop (SEP-1613, SEP-2106)."""


async def json_schema_2020_12_tool(
    name: str | None = None,
    address: dict[str, Any] | None = None,
    contactMethod: Literal["phone", "email"] | None = None,
    phone: str | None = None,
    email: str | None = None,
) -> str:
    """Give back what was sent, once it fits a schema that uses much of JSON Schema 2020-12."""
    sent = {"name": name, "address": address, "contactMethod": contactMethod, "phone": phone, "email": email}
    return json.dumps({key: value for key, value in sent.items() if value is not None})


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(name="json_schema_2020_12_tool", fn=json_schema_2020_12_tool, input_schema=INPUT_SCHEMA)
