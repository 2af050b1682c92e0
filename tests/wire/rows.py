"""The rows of `calls.json`: each is one call and the answer it must get. CALLS.md says what may stand in a row."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from everything_server import Era
from harness.wire import ALL_CAPABILITIES, LEGACY_VERSION, MODERN_VERSION, Message

TABLE: Final = Path(__file__).with_name("calls.json")

Step = Mapping[str, Any]

VERBS: Final = frozenset(
    {"method", "send", "cancel", "listen", "unlisten", "notify", "await", "alter", "settle", "mark", "sleep"}
)
"""What a step can do; it does one of these."""

DETAILS: Final = frozenset({"params", "answers", "save", "poll", "allow_error", "as", "how", "id", "era", "other"})
"""How a step does it."""

EXPECTATIONS: Final = frozenset(
    {
        "result",
        "error",
        "at",
        "any_of",
        "status",
        "handshake",
        "requests",
        "input_keys",
        "states",
        "notifications",
        "before_reply",
        "notifications_min",
        "no_notifications",
        "no_reply",
        "no_reply_to",
        "min_seconds",
    }
)
"""What a row can expect."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One call, and what must come of it."""

    id: str
    eras: tuple[Era, ...]
    method: str
    expect: Mapping[str, Any]
    params: Message | None = None
    client: Mapping[str, Any] = field(default_factory=dict)
    """The client's `capabilities`, `protocolVersion` and `answers`."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables of the server's environment; such a row runs only where a client starts its server."""
    isolated: bool = False
    """Whether it needs a connection of its own."""
    transports: tuple[str, ...] | None = None
    setup: tuple[Step, ...] = ()
    cleanup: tuple[Step, ...] = ()
    collect: float = 0.0
    """Seconds to go on listening after the answer, for what comes with time."""
    window: str | None = None
    why: str = ""
    """Where the reference answers differently."""
    note: str = ""

    @property
    def area(self) -> str:
        """The first part of the id."""
        return self.id.partition(".")[0]

    def runs_over(self, transport: str, era: Era) -> bool:
        """Whether it applies to a transport in an era."""
        if era not in self.eras or (self.env and transport != "stdio"):
            return False
        return self.transports is None or not {transport, f"{era}-{transport}"}.isdisjoint(self.transports)

    def capabilities(self, era: Era) -> Message:
        """What its client declares."""
        declared = self.client.get("capabilities", "none")
        return {"none": {}, "all": ALL_CAPABILITIES[era]}[declared] if isinstance(declared, str) else declared

    def version(self, era: Era) -> str:
        """The protocol version that its client asks for."""
        return self.client.get("protocolVersion") or (LEGACY_VERSION if era is Era.LEGACY else MODERN_VERSION)


def load_rows(path: Path = TABLE) -> list[Row]:
    """The rows of a table.

    Raises:
        ValueError: A row has members that mean nothing, which would be expectations that nobody checks.
    """
    return [_row(members) for members in json.loads(path.read_text(encoding="utf-8"))]


def _row(members: dict[str, Any]) -> Row:
    _only(members, {item.name for item in fields(Row)}, members)
    _only(members["expect"], EXPECTATIONS, members)
    for expected in members["expect"].get("any_of", ()):
        _only(expected, EXPECTATIONS, members)
    _only(members.get("client", {}), {"capabilities", "protocolVersion", "answers"}, members)
    for step in _steps(members):
        _only(step, VERBS | DETAILS, members)
        if len(VERBS & set(step)) != 1:
            raise ValueError(f"row {members['id']}: a step does one thing, not {sorted(VERBS & set(step))}")
    tuples = {name: tuple(members[name]) for name in ("setup", "cleanup", "transports") if name in members}
    return Row(**{**members, **tuples, "eras": tuple(map(Era, members["eras"]))})


def _steps(members: Mapping[str, Any]) -> Iterator[Step]:
    yield from members.get("setup", ())
    yield from members.get("cleanup", ())


def _only(given: Mapping[str, Any], known: set[str] | frozenset[str], members: Mapping[str, Any]) -> None:
    if unknown := set(given) - known:
        raise ValueError(f"row {members['id']} has unknown members: {', '.join(sorted(unknown))}")
