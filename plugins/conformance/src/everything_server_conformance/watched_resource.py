"""`test://watched-resource`, for the scenarios `resources-subscribe` and `resources-unsubscribe`."""

from collections.abc import Iterator

from everything_server import ResourceSpec, hookimpl


async def watched_resource() -> str:
    """A text that can be subscribed to."""
    return "This is the content of the watched resource."


@hookimpl
def everything_server_resources() -> Iterator[ResourceSpec]:
    """Declare the resource."""
    yield ResourceSpec(uri="test://watched-resource", name="Watched Resource", fn=watched_resource)
