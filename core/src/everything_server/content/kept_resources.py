"""Resources that a tool call leaves behind for its client to read.

A legacy connection keeps its own, in its list, under names that later calls may reuse. A modern request leaves no
connection behind: what it makes is kept for the process, unlisted, under a URI that only its client knows, for a while.
"""

import base64
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

from mcp.server.mcpserver.resources.templates import DEFAULT_RESOURCE_SECURITY
from mcp_types import BlobResourceContents

from everything_server.context import Context
from everything_server.eras import Era
from everything_server.errors import InvalidArgumentError, ResourceNotFoundError, ToolError
from everything_server.specs import ResourceSpec, ResourceTemplateSpec

MINTED_URI_TEMPLATE: Final = "demo://resource/minted/{id}/{name}"
MINTED_LIFETIME: Final = 600.0
"""Seconds that a minted resource is kept."""

MOST_RESOURCES: Final = 256
"""How many are kept in one place; the oldest makes room."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""How many bytes are kept in one place; the oldest make room."""


@dataclass(frozen=True, slots=True)
class _Kept:
    name: str
    mime_type: str
    data: bytes
    kept_at: float


@dataclass
class _Shelf:
    """Kept resources by their URI, the oldest first, within the bounds."""

    kept: OrderedDict[str, _Kept] = field(default_factory=OrderedDict[str, _Kept])
    size: int = 0

    def put(self, uri: str, resource: _Kept) -> list[str]:
        """Keep a resource, in place of the one at its URI; gives the URIs of those that had to go.

        Raises:
            ToolError: It is larger than everything that may be kept.
        """
        if len(resource.data) > MOST_BYTES:
            raise ToolError(f"The resource would have {len(resource.data)} bytes; at most {MOST_BYTES} are kept.")
        self.drop(uri)
        self.kept[uri] = resource
        self.size += len(resource.data)
        gone: list[str] = []
        while len(self.kept) > MOST_RESOURCES or self.size > MOST_BYTES:
            gone.append(next(iter(self.kept)))
            self.drop(gone[-1])
        return gone

    def drop(self, uri: str) -> None:
        if resource := self.kept.pop(uri, None):
            self.size -= len(resource.data)


class _SessionResources(_Shelf):
    """Those of one legacy connection."""


class _MintedResources(_Shelf):
    """Those of all modern requests."""

    def expire(self, now: float) -> None:
        """Forget what has been kept long enough."""
        while self.kept:
            uri, resource = next(iter(self.kept.items()))
            if now - resource.kept_at < MINTED_LIFETIME:
                return
            self.drop(uri)


async def keep_resource(ctx: Context, name: str, mime_type: str, data: bytes) -> str:
    """Keep `data` for the client of this request to read; gives its URI.

    Legacy: listed, announced, and in place of the connection's earlier one of this name.

    Raises:
        InvalidArgumentError: `name` is one that no template would serve again.
        ToolError: The data are too large.
    """
    if not 0 < len(name) <= 255 or DEFAULT_RESOURCE_SECURITY.validate({"name": name}) is not None:
        raise InvalidArgumentError("name", "must be a plain file name of 1 to 255 characters, not a path")
    server = ctx.server
    resource = _Kept(name, mime_type, data, server.clock.monotonic())
    encoded = quote(name, safe="")
    if server.era is Era.MODERN:
        minted = server.process_state.get(_MintedResources)
        minted.expire(resource.kept_at)
        uri = f"demo://resource/minted/{uuid.uuid4()}/{encoded}"
        minted.put(uri, resource)
        return uri
    uri = f"demo://resource/session/{encoded}"
    for gone in server.state.get(_SessionResources).put(uri, resource):
        server.features.remove(_listed(gone, resource))
    server.features.add(_listed(uri, resource))
    await ctx.notify_resources_changed()
    return uri


def minted_resources() -> ResourceTemplateSpec:
    """The template that serves what modern requests have kept; whoever calls `keep_resource` declares it."""
    return ResourceTemplateSpec(
        uri_template=MINTED_URI_TEMPLATE,
        name="Minted Resource",
        fn=_read_minted,
        description="A resource that a tool made; its URI came with the tool's result and serves for ten minutes",
        mime_type="application/octet-stream",
        eras=frozenset({Era.MODERN}),
    )


def _listed(uri: str, resource: _Kept) -> ResourceSpec:
    return ResourceSpec(
        uri=uri,
        name=resource.name,
        fn=_read_session,
        description="Made by a tool in this session",
        mime_type=resource.mime_type,
        size=len(resource.data),
    )


async def _read_session(ctx: Context) -> list[BlobResourceContents]:
    uri = ctx.uri or ""
    return [_contents(uri, ctx.server.state.get(_SessionResources).kept[uri])]


async def _read_minted(ctx: Context, id: str, name: str) -> list[BlobResourceContents]:
    minted = ctx.server.process_state.get(_MintedResources)
    minted.expire(ctx.server.clock.monotonic())
    uri = f"demo://resource/minted/{id}/{quote(name, safe='')}"
    if uri not in minted.kept:
        raise ResourceNotFoundError(f"no minted resource {id}/{name}")
    return [_contents(ctx.uri or uri, minted.kept[uri])]


def _contents(uri: str, resource: _Kept) -> BlobResourceContents:
    return BlobResourceContents(uri=uri, mime_type=resource.mime_type, blob=base64.b64encode(resource.data).decode())
