"""The `demo://resource/dynamic/…` resources: made when they are read, one for every number."""

import base64
import re
from typing import Final, Literal, get_args

from mcp_types import BlobResourceContents, TextResourceContents

from everything_server.clock import Clock

Kind = Literal["Text", "Blob"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

URI_TEMPLATES: Final[dict[Kind, str]] = {
    "Text": "demo://resource/dynamic/text/{resourceId}",
    "Blob": "demo://resource/dynamic/blob/{resourceId}",
}
MIME_TYPES: Final[dict[Kind, str]] = {"Text": "text/plain", "Blob": "application/octet-stream"}

_PLAIN_DECIMAL = re.compile("[1-9][0-9]*")


def is_resource_id(text: str) -> bool:
    """Whether a text is the id of a dynamic resource: a plain decimal without sign, blanks or leading zeros."""
    return _PLAIN_DECIMAL.fullmatch(text) is not None


def complete_resource_id(text: str) -> list[str]:
    """Every number is an id, so what is an id already is its own only completion."""
    return [text] if is_resource_id(text) else []


def complete_kind(text: str) -> list[str]:
    """The kinds that begin with `text`, in this spelling."""
    return [kind for kind in KINDS if kind.startswith(text)]


def dynamic_uri(kind: Kind, resource_id: str) -> str:
    """The URI of a dynamic resource."""
    return URI_TEMPLATES[kind].replace("{resourceId}", resource_id)


def dynamic_content(kind: Kind, resource_id: str, clock: Clock) -> TextResourceContents | BlobResourceContents:
    """The content of a dynamic resource at this moment."""
    made = clock.now().isoformat(timespec="milliseconds")
    uri, mime_type = dynamic_uri(kind, resource_id), MIME_TYPES[kind]
    if kind == "Text":
        text = f"Resource {resource_id}: This is a plaintext resource created at {made}"
        return TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    data = f"Resource {resource_id}: This is a base64 blob created at {made}".encode()
    return BlobResourceContents(uri=uri, mime_type=mime_type, blob=base64.b64encode(data).decode())
