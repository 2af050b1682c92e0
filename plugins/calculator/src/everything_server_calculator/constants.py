"""`calculator://constants`: numbers with names."""

import json
import math
from collections.abc import Iterator
from typing import Final

from everything_server import CacheHint, ResourceSpec, hookimpl

CONSTANTS: Final = {
    "pi": (math.pi, "The circumference of a circle, divided by its diameter", True),
    "e": (math.e, "The base of the natural logarithm", True),
    "tau": (math.tau, "The circumference of a circle, divided by its radius", False),
    "phi": ((1 + math.sqrt(5)) / 2, "The golden ratio", False),
    "sqrt2": (math.sqrt(2), "The diagonal of a square, divided by its side", False),
    "ln2": (math.log(2), "The natural logarithm of two", False),
}
"""By name: the value, what it is, and whether expressions may use the name."""

_HOUR: Final = CacheHint(ttl_ms=3_600_000, scope="public")


async def read_constants() -> str:
    """Constants of mathematics, as JSON."""
    entries = {
        name: {"value": value, "description": description, "usableInExpressions": usable}
        for name, (value, description, usable) in CONSTANTS.items()
    }
    return json.dumps(entries, indent=2)


@hookimpl
def everything_server_resources() -> Iterator[ResourceSpec]:
    """Declare the resource."""
    yield ResourceSpec(
        uri="calculator://constants",
        name="constants",
        title="Mathematical Constants",
        fn=read_constants,
        mime_type="application/json",
        cache=_HOUR,
    )
