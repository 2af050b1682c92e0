"""Pages of a list, and the cursors between them."""

import base64
import binascii
from collections.abc import Sequence
from typing import TypeVar

from everything_server.errors import invalid_params

T = TypeVar("T")


def page(items: Sequence[T], kind: str, cursor: str | None, size: int | None) -> tuple[Sequence[T], str | None]:
    """One page of `items` and the cursor of the next one, None on the last (2026-07-28 server/utilities/pagination).

    A cursor says which list it belongs to and where its page starts, so that any process of a deployment can go on
    from it. One that we cannot have issued for this list and page size is refused.

    Args:
        items: The whole list, in its stable order.
        kind: The list's name, such as `tools`.
        cursor: What the client sent; None for the first page.
        size: Entries on a page; None for all on one.

    Raises:
        MCPError: -32602, the cursor is not one of ours.
    """
    start = 0 if cursor is None else _start(kind, cursor)
    if cursor is not None and (size is None or start % size or not 0 < start < len(items)):
        raise invalid_params(f"Invalid cursor: this server did not issue it for {kind}; start again without one")
    if size is None or start + size >= len(items):
        return items[start:], None
    return items[start : start + size], _cursor(kind, start + size)


def _cursor(kind: str, start: int) -> str:
    return base64.urlsafe_b64encode(f"{kind}:{start}".encode()).decode().rstrip("=")


def _start(kind: str, cursor: str) -> int:
    """Where the page of a cursor starts; -1 for a text that is no cursor of this list."""
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, ValueError):
        return -1
    name, _, start = text.partition(":")
    if name != kind or not (start.isascii() and start.isdecimal() and len(start) < 12):
        return -1
    return int(start) if _cursor(kind, int(start)) == cursor else -1  # only in the spelling that we issue
