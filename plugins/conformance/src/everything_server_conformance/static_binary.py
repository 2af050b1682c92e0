"""`test://static-binary`, for the scenario `resources-read-binary`."""

import base64
from collections.abc import Iterator

from everything_server import ResourceSpec, hookimpl
from everything_server.content.tiny_image import TINY_IMAGE


async def static_binary() -> bytes:
    """An image that never changes."""
    return base64.b64decode(TINY_IMAGE)


@hookimpl
def everything_server_resources() -> Iterator[ResourceSpec]:
    """Declare the resource."""
    yield ResourceSpec(
        uri="test://static-binary", name="Static Binary Resource", fn=static_binary, mime_type="image/png"
    )
