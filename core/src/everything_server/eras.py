"""The two protocol eras, and which revisions belong to each."""

from collections.abc import Collection
from enum import StrEnum
from typing import Final

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS


class Era(StrEnum):
    """How a client opens a conversation: with a handshake, or with self-contained requests."""

    LEGACY = "legacy"
    """Revisions up to 2025-11-25: `initialize`, sessions, requests from the server to the client."""

    MODERN = "modern"
    """2026-07-28 on: no handshake; every request carries its version and the client's capabilities."""


BOTH_ERAS: Final = frozenset(Era)


def era_of(version: str) -> Era:
    """The era of a protocol revision; a revision we do not know is legacy, as the handshake negotiates it down."""
    return Era.MODERN if version in MODERN_PROTOCOL_VERSIONS else Era.LEGACY


def versions_of(eras: Collection[Era]) -> list[str]:
    """The protocol revisions that a process serving `eras` supports, newest first.

    This is `supportedVersions` of `server/discover` and `data.supported` of error -32022 (2026-07-28 basic/versioning).
    """
    known = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)
    return [version for version in reversed(known) if era_of(version) in eras]
