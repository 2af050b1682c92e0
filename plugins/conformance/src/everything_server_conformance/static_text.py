"""`test://static-text`, for the scenario `resources-read-text`."""

from collections.abc import Iterator

from everything_server import ResourceSpec, hookimpl


async def static_text() -> str:
    """A text that never changes."""
    return "This is the content of the static text resource."


@hookimpl
def everything_server_resources() -> Iterator[ResourceSpec]:
    """Declare the resource."""
    yield ResourceSpec(uri="test://static-text", name="Static Text Resource", fn=static_text)
