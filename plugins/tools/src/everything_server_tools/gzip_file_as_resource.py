"""`gzip-file-as-resource`: makes a resource, and gives it or a link to it."""

import base64
import logging
import math
import os
import zlib
from collections.abc import Iterator
from typing import Annotated, Final, Literal

from anyio.to_thread import run_sync
from everything_server import Context, Era, InvalidArgumentError, ResourceTemplateSpec, ToolSpec, hookimpl
from everything_server.content.fetching import FetchError, Limits, fetch
from everything_server.content.kept_resources import MOST_BYTES, keep_resource, kept_resources
from mcp_types import BlobResourceContents, ContentBlock, EmbeddedResource, ResourceLink, ToolAnnotations
from pydantic import Field

MIME_TYPE: Final = "application/gzip"

DEFAULT_DATA: Final = "data:text/markdown,%23%20everything-server"
"""A file that needs no network."""

DEFAULT_MOST_BYTES: Final = 10 * 1024 * 1024
DEFAULT_MOST_MILLISECONDS: Final = 30_000
MOST_MILLISECONDS: Final = 3_600_000
"""However much the owner allows."""

logger = logging.getLogger(__name__)

_GZIP_FORMAT: Final = 16 + zlib.MAX_WBITS


async def gzip_file_as_resource(
    ctx: Context,
    data: Annotated[
        str,
        Field(
            description="A data: URI, or the URL of a file on a host that the server's owner allows",
            json_schema_extra={"format": "uri"},
        ),
    ] = DEFAULT_DATA,
    name: Annotated[str, Field(description="Name of the resource")] = "README.md.gz",
    outputType: Annotated[
        Literal["resourceLink", "resource"], Field(description="Whether to get a link to the resource or its content")
    ] = "resourceLink",
) -> ContentBlock:
    """Compress a file with gzip and keep it as a resource, which its client can read for as long as it is kept.

    Files are fetched from allowed hosts only, within limits of size and time.
    """
    compressor = zlib.compressobj(wbits=_GZIP_FORMAT)
    compressed = bytearray()

    async def compress(piece: bytes) -> None:
        compressed.extend(await run_sync(compressor.compress, piece))

    try:
        await fetch(data, _limits(), compress)
    except FetchError as error:
        raise InvalidArgumentError("data", str(error)) from error
    compressed += compressor.flush()
    uri = await keep_resource(ctx, name, MIME_TYPE, bytes(compressed))
    if outputType == "resource":
        blob = base64.b64encode(compressed).decode()
        return EmbeddedResource(type="resource", resource=BlobResourceContents(uri=uri, mime_type=MIME_TYPE, blob=blob))
    return ResourceLink(type="resource_link", uri=uri, name=name, mime_type=MIME_TYPE, size=len(compressed))


def _limits() -> Limits:
    """The owner's, from the environment; a value that is no limit is reported, and the default holds."""
    hosts = os.environ.get("GZIP_ALLOWED_DOMAINS", "").split(",")
    return Limits(
        hosts=frozenset(host.strip().lower() for host in hosts) - {""},
        most_bytes=int(_limit("GZIP_MAX_FETCH_SIZE", DEFAULT_MOST_BYTES, MOST_BYTES)),
        most_seconds=_limit("GZIP_MAX_FETCH_TIME_MILLIS", DEFAULT_MOST_MILLISECONDS, MOST_MILLISECONDS) / 1000,
    )


def _limit(variable: str, default: int, most: int) -> float:
    text = os.environ.get(variable)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if 1 <= value < math.inf:
        return min(value, most)
    logger.warning("%s is not a number of at least 1; %d is used", variable, default)
    return default


@hookimpl
def everything_server_tools() -> Iterator[ToolSpec]:
    """Declare the tool."""
    yield ToolSpec(
        name="gzip-file-as-resource",
        title="GZip File as Resource Tool",
        fn=gzip_file_as_resource,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True
        ),
    )


@hookimpl
def everything_server_resources() -> Iterator[ResourceTemplateSpec]:
    """Declare the templates that serve what it made."""
    yield from kept_resources()


@hookimpl
def everything_server_instructions(era: Era) -> str:
    """Say how long what it makes can be read."""
    return (
        "Read the resources that gzip-file-as-resource makes during this session, under the URIs in its results."
        if era is Era.LEGACY
        else "Read the resources that gzip-file-as-resource makes within ten minutes, under the URIs in its results."
    )
