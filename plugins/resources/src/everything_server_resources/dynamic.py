"""`demo://resource/dynamic/…`: two templates, for text and for binary resources, made when they are read."""

from collections.abc import Awaitable, Callable, Iterator, Mapping

from everything_server import Context, ResourceNotFoundError, ResourceTemplateSpec, hookimpl
from everything_server.content.dynamic_resources import (
    MIME_TYPES,
    URI_TEMPLATES,
    Kind,
    complete_resource_id,
    dynamic_content,
    dynamic_uri,
    is_resource_id,
)
from mcp_types import BlobResourceContents, TextResourceContents

Contents = list[TextResourceContents | BlobResourceContents]


async def read_text(resourceId: str, ctx: Context) -> Contents:
    """A text that tells when it was made; any positive whole number names one."""
    return _read("Text", resourceId, ctx)


async def read_blob(resourceId: str, ctx: Context) -> Contents:
    """Binary data that tells when it was made; any positive whole number names one."""
    return _read("Blob", resourceId, ctx)


def complete_id(value: str, settled: Mapping[str, str]) -> list[str]:
    """Complete a resource id."""
    return complete_resource_id(value)


def _read(kind: Kind, resource_id: str, ctx: Context) -> Contents:
    # Each resource has one URI: a percent-encoded digit would be another spelling of the same.
    if not is_resource_id(resource_id) or dynamic_uri(kind, resource_id) != ctx.uri:
        raise ResourceNotFoundError(ctx.uri)
    return [dynamic_content(kind, resource_id, ctx.server.clock)]


@hookimpl
def everything_server_resources() -> Iterator[ResourceTemplateSpec]:
    """Declare both templates."""
    yield _template("Text", read_text)
    yield _template("Blob", read_blob)


def _template(kind: Kind, read: Callable[..., Awaitable[Contents]]) -> ResourceTemplateSpec:
    return ResourceTemplateSpec(
        uri_template=URI_TEMPLATES[kind],
        name=f"Dynamic {kind} Resource",
        fn=read,
        mime_type=MIME_TYPES[kind],
        completions={"resourceId": complete_id},
    )
