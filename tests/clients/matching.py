"""Values that equal more than one other: what a table says about an answer that is not the same each time."""

import base64
import binascii
import gzip
import re
from typing import Any


class Matching:
    """Equal to every text that a regular expression matches whole."""

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(pattern, re.DOTALL)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self._pattern.fullmatch(other) is not None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._pattern.pattern!r})"

    __hash__ = None  # type: ignore[assignment]


class Base64(Matching):
    """Equal to the base64 of every text that a regular expression matches whole."""

    def __eq__(self, other: object) -> bool:
        data = self._decoded(other)
        return data is not None and self._pattern.fullmatch(data.decode("latin-1")) is not None

    def _decoded(self, other: object) -> bytes | None:
        try:
            return base64.b64decode(other, validate=True) if isinstance(other, str) else None
        except binascii.Error:
            return None

    __hash__ = None  # type: ignore[assignment]


class Gzipped(Base64):
    """Equal to the base64 of every text that a regular expression matches whole, once it is compressed."""

    def _decoded(self, other: object) -> bytes | None:
        data = super()._decoded(other)
        try:
            return None if data is None else gzip.decompress(data)
        except (OSError, EOFError):
            return None

    __hash__ = None  # type: ignore[assignment]


class Including:
    """Equal to every object that has these members, and perhaps more."""

    def __init__(self, **members: Any) -> None:
        self._members = members

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict) and all(
            name in other and other[name] == value for name, value in self._members.items()
        )

    def __repr__(self) -> str:
        return f"Including({self._members!r})"

    __hash__ = None  # type: ignore[assignment]


class Beginning:
    """Equal to the first entries of a list, to at least one of them.

    The TypeScript clients deliver a notification a moment after it has arrived, but an answer at once, which takes the
    progress callback away: what arrives together with the answer is lost.
    """

    def __init__(self, *entries: object) -> None:
        self._entries = list(entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and len(other) > 0 and other == self._entries[: len(other)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}{tuple(self._entries)!r}"

    __hash__ = None  # type: ignore[assignment]


class AtLeast(Beginning):
    """Equal to every list that begins with these entries, however many follow."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and other[: len(self._entries)] == self._entries

    __hash__ = None  # type: ignore[assignment]


ANY_TEXT = Matching(r".+")
PNG = Base64(r"\x89PNG\r\n\x1a\n.+IEND.{4}")
