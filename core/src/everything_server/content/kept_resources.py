"""Resources that a tool call leaves behind for its client to read.

A legacy connection keeps its own, in its list, under names that later calls may reuse. A modern request leaves no
connection behind: what it makes is kept for the process, unlisted, under a URI that only its client knows, for a while.
"""

import base64
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

from mcp.server.mcpserver.resources.templates import DEFAULT_RESOURCE_SECURITY
from mcp_types import BlobResourceContents

from everything_server.context import Context
from everything_server.eras import Era
from everything_server.errors import InvalidArgumentError, ResourceNotFoundError, ToolError
from everything_server.specs import ResourceSpec, ResourceTemplateSpec

MIME_TYPE: Final = "application/octet-stream"
"""Of templates whose resources have types of their own."""

SESSION_URI_TEMPLATE: Final = "demo://resource/session/{name}"
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
    if not 0 < len(name) <= 255 or name == "." or DEFAULT_RESOURCE_SECURITY.validate({"name": name}) is not None:
        raise InvalidArgumentError("name", "must have 1 to 255 characters and must not lead out of a folder")
    server = ctx.server
    resource = _Kept(name, mime_type, data, server.clock.monotonic())
    if server.era is Era.MODERN:
        minted = server.process_state.get(_MintedResources)
        minted.expire(resource.kept_at)
        uri = _minted_uri(server.randomness.uuid(), name)
        minted.put(uri, resource)
        return uri
    uri = _session_uri(name)
    for gone in server.state.get(_SessionResources).put(uri, resource):
        server.features.remove(_listed(gone, resource))
    server.features.add(_listed(uri, resource))
    await ctx.notify_resources_changed()
    return uri


def kept_resources() -> Iterator[ResourceTemplateSpec]:
    """The templates that serve what was kept, one for each era; whoever calls `keep_resource` declares them."""
    yield ResourceTemplateSpec(
        uri_template=SESSION_URI_TEMPLATE,
        name="Session Resource",
        fn=_read_session,
        description="A resource that a tool made in this session; listed, too",
        mime_type=MIME_TYPE,
        eras=frozenset({Era.LEGACY}),
    )
    yield ResourceTemplateSpec(
        uri_template=MINTED_URI_TEMPLATE,
        name="Minted Resource",
        fn=_read_minted,
        description="A resource that a tool made; its URI came with the tool's result and serves for ten minutes",
        mime_type=MIME_TYPE,
        eras=frozenset({Era.MODERN}),
    )


def _session_uri(name: str) -> str:
    return SESSION_URI_TEMPLATE.replace("{name}", quote(name, safe=""))


def _minted_uri(identifier: str, name: str) -> str:
    return MINTED_URI_TEMPLATE.replace("{id}", identifier).replace("{name}", quote(name, safe=""))


def _listed(uri: str, resource: _Kept) -> ResourceSpec:
    return ResourceSpec(
        uri=uri,
        name=resource.name,
        fn=_read_listed,
        description="Made by a tool in this session",
        mime_type=resource.mime_type,
        size=len(resource.data),
    )


async def _read_listed(ctx: Context) -> list[BlobResourceContents]:
    return _read(ctx, ctx.uri or "")


async def _read_session(ctx: Context, name: str) -> list[BlobResourceContents]:
    return _read(ctx, _session_uri(name))


def _read(ctx: Context, uri: str) -> list[BlobResourceContents]:
    resource = ctx.server.state.get(_SessionResources).kept.get(uri)
    if resource is None:
        raise ResourceNotFoundError(f"no resource {uri} in this session")
    return [_contents(ctx.uri or uri, resource)]


async def _read_minted(ctx: Context, id: str, name: str) -> list[BlobResourceContents]:
    minted = ctx.server.process_state.get(_MintedResources)
    minted.expire(ctx.server.clock.monotonic())
    uri = _minted_uri(id, name)
    if uri not in minted.kept:
        raise ResourceNotFoundError(f"no minted resource {id}/{name}")
    return [_contents(ctx.uri or uri, minted.kept[uri])]


def _contents(uri: str, resource: _Kept) -> BlobResourceContents:
    return BlobResourceContents(uri=uri, mime_type=resource.mime_type, blob=base64.b64encode(resource.data).decode())
