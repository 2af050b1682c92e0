"""`conformance.json-schema-2020-12-tool`."""

from typing import Any

import pytest
from everything_server import Era
from everything_server_conformance.json_schema_2020_12_tool import INPUT_SCHEMA
from harness import Connect
from harness.client_side import problem_in, raw_client, text_of

PLUGIN = "conformance.json-schema-2020-12-tool"
TOOL = "json_schema_2020_12_tool"


async def test_every_keyword_of_the_schema_is_listed(era: Era) -> None:
    async with raw_client(PLUGIN, era) as client:
        [tool] = (await client.request("tools/list"))["tools"]
    assert tool["inputSchema"] == INPUT_SCHEMA


async def test_arguments_that_fit_come_back(connect: Connect) -> None:
    arguments: dict[str, Any] = {"phone": "1", "contactMethod": "phone", "address": {"city": "Paris"}}
    async with connect(PLUGIN) as client:
        text = text_of(await client.call_tool(TOOL, arguments))
    assert text == '{"address": {"city": "Paris"}, "contactMethod": "phone", "phone": "1"}'


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "arguments"),
        ({"contactMethod": "phone", "email": "a@b"}, "phone"),
        ({"phone": "1"}, "email"),
        ({"email": "a@b", "address": {"street": 1}}, "address.street"),
        ({"email": "a@b", "age": 3}, "age"),
    ],
    ids=str,
)
async def test_arguments_are_checked_by_those_keywords(connect: Connect, arguments: dict[str, Any], named: str) -> None:
    async with connect(PLUGIN) as client:
        assert f"\n- {named}: " in problem_in(await client.call_tool(TOOL, arguments))
