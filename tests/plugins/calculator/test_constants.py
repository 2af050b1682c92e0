"""`calculator.constants`."""

import math
from typing import Any

from everything_server import Era
from harness import Connect
from harness.client_side import text_of

PLUGIN = "calculator.constants"
URI = "calculator://constants"


async def test_each_constant_has_its_value_and_says_what_it_is(connect: Connect, read_json: Any) -> None:
    async with connect(PLUGIN) as client:
        constants = await read_json(client, URI)
    assert (constants["pi"]["value"], constants["e"]["value"]) == (math.pi, math.e)
    assert all(entry["description"] for entry in constants.values())


async def test_what_it_calls_usable_in_expressions_is(connect: Connect, read_json: Any) -> None:
    async with connect(f"{PLUGIN},calculator.advanced") as client:
        for name, entry in (await read_json(client, URI)).items():
            result = await client.call_tool("advanced_calculate", {"expression": name, "precision": 15})
            assert bool(result.is_error) is not entry["usableInExpressions"]
            assert result.is_error or text_of(result).startswith(f"{name} = ")


async def test_modern_clients_may_keep_it_for_an_hour(connect: Connect, era: Era) -> None:
    async with connect(PLUGIN) as client:
        result = await client.read_resource(URI)
    if era is Era.MODERN:
        assert (result.ttl_ms, result.cache_scope) == (3_600_000, "public")


async def test_alone_it_is_all_there_is(offer_of: Any) -> None:
    assert await offer_of(PLUGIN) == {"resources": [URI], "capabilities": ["resources"]}


async def test_disabled_it_leaves_no_trace(lost_without: Any) -> None:
    assert await lost_without(PLUGIN, among="calculator") == {"resources": [URI]}
