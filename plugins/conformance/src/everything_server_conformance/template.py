"""`test://template/{id}/data`, for the scenario `resources-templates-read`."""

import json
from collections.abc import Iterator

from everything_server import ResourceTemplateSpec, hookimpl


async def template(id: str) -> str:
    """Data for any id."""
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


@hookimpl
def everything_server_resources() -> Iterator[ResourceTemplateSpec]:
    """Declare the template."""
    yield ResourceTemplateSpec(
        uri_template="test://template/{id}/data", name="Template Resource", fn=template, mime_type="application/json"
    )
