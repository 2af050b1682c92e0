"""`demo://resource/annotated/…`: resources with `audience`, `priority` and `lastModified`."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Final

from everything_server import ResourceSpec, hookimpl
from mcp_types import Annotations

URI_PREFIX: Final = "demo://resource/annotated/"

RESOURCES: Final[Mapping[str, Annotations]] = {
    "for-user": Annotations(audience=["user"], priority=1.0, last_modified="2026-07-28T12:00:00Z"),
    "for-assistant": Annotations(audience=["assistant"], priority=0.5, last_modified="2025-11-25T08:30:00Z"),
    "for-both": Annotations(audience=["user", "assistant"], priority=0.0, last_modified="2024-11-05T00:00:00Z"),
}
"""From the most to the least important, which is also from the newest to the oldest."""


def _reader(name: str, annotations: Annotations) -> Callable[[], Awaitable[str]]:
    async def read_annotated() -> str:
        audience = " and ".join(annotations.audience or ())
        return f"{name}: for {audience}, priority {annotations.priority:g}, last modified {annotations.last_modified}"

    return read_annotated


@hookimpl
def everything_server_resources() -> Iterator[ResourceSpec]:
    """Declare a resource for each audience."""
    for name, annotations in RESOURCES.items():
        yield ResourceSpec(
            uri=URI_PREFIX + name,
            name=name,
            fn=_reader(name, annotations),
            description="A text that says how it is annotated",
            annotations=annotations,
        )
