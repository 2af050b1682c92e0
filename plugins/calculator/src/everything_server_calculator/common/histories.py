"""What was calculated before, by the same client.

A legacy connection has one history, which ends with it. A modern request leaves no connection behind: its result
carries a handle that only its client knows, which the client passes back to go on with the same history. Those are kept
for the process, for a while after their last use, within bounds of number and size.
"""

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Final

from everything_server import Context, Era, InvalidArgumentError
from pydantic import Field

from everything_server_calculator.common.numbers import as_json
from everything_server_calculator.common.operations import Outcome

MOST_CALCULATIONS: Final = 100
"""How many a history keeps; the oldest makes room."""

MOST_HISTORIES: Final = 1000
"""How many are kept for modern clients; the one that was not used for the longest time makes room."""

MOST_BYTES: Final = 16 * 1024 * 1024
"""How much text they may hold together."""

LIFETIME: Final = 600.0
"""Seconds that one of them is kept after its last use."""

HistoryHandle = Annotated[
    str | None,
    Field(
        max_length=200,
        description="The historyHandle of an earlier result, to go on with its history; of use where there is no "
        "session, and results therefore carry one",
    ),
]


@dataclass(frozen=True, slots=True)
class Calculation:
    """One entry of a history."""

    id: str
    outcome: Outcome
    made_at: datetime

    @property
    def size(self) -> int:
        """Bytes of its text, about."""
        return len(self.outcome.expression.encode()) + 200

    def as_json(self) -> dict[str, Any]:
        """The entry for structured content and resources."""
        outcome = self.outcome
        return {
            "id": self.id,
            "operation": outcome.operation,
            "expression": outcome.expression,
            "result": as_json(outcome.result),
            "value": as_json(outcome.value),
            "text": outcome.text,
            "madeAt": self.made_at.isoformat(),
        }


@dataclass
class History:
    """The calculations of one client, the oldest first."""

    kept: deque[Calculation] = field(default_factory=deque[Calculation])
    counts: Counter[str] = field(default_factory=Counter[str])
    """How many there were of each operation, those that are not kept any more included."""
    size: int = 0

    def add(self, outcome: Outcome, now: datetime) -> Calculation:
        """Keep a calculation, under the next id."""
        self.counts[outcome.operation] += 1
        made = Calculation(f"calc-{self.counts.total()}", outcome, now)
        self.kept.append(made)
        self.size += made.size
        if len(self.kept) > MOST_CALCULATIONS:
            self.size -= self.kept.popleft().size
        return made

    def find(self, identifier: str) -> Calculation | None:
        """The calculation with an id, if it is still kept."""
        return next((made for made in self.kept if made.id == identifier), None)


@dataclass
class _ModernHistories:
    """Those of all modern clients by their handles, the one that was used last at the end."""

    kept: OrderedDict[str, History] = field(default_factory=OrderedDict[str, History])
    used_at: dict[str, float] = field(default_factory=dict[str, float])

    def find(self, handle: str, now: float) -> History | None:
        self._expire(now)
        if handle in self.kept:
            self.kept.move_to_end(handle)
            self.used_at[handle] = now
        return self.kept.get(handle)

    def begin(self, handle: str, now: float) -> History:
        self._expire(now)
        self.kept[handle] = History()
        self.used_at[handle] = now
        self.make_room()
        return self.kept[handle]

    def make_room(self) -> None:
        """Drop what has waited longest, until the rest is within the bounds."""
        size = sum(history.size for history in self.kept.values())
        while len(self.kept) > MOST_HISTORIES or (size > MOST_BYTES and len(self.kept) > 1):
            size -= self._drop_oldest().size

    def _expire(self, now: float) -> None:
        while self.kept and now - self.used_at[next(iter(self.kept))] >= LIFETIME:
            self._drop_oldest()

    def _drop_oldest(self) -> History:
        handle, history = self.kept.popitem(last=False)
        del self.used_at[handle]
        return history


def remember(ctx: Context, outcomes: list[Outcome], handle: str | None) -> tuple[list[Calculation], str | None]:
    """Add calculations to the client's history; gives the entries, and the handle that a modern client needs.

    Args:
        ctx: The request.
        outcomes: What was calculated.
        handle: What the client passed back; None begins a new history where there is no session.

    Raises:
        InvalidArgumentError: The handle belongs to no history, or to none that is still kept.
    """
    history, handle = _history_to_add_to(ctx, handle)
    made = [history.add(outcome, ctx.server.clock.now()) for outcome in outcomes]
    if handle is not None:
        ctx.server.process_state.get(_ModernHistories).make_room()
    return made, handle


def check_handle(ctx: Context, handle: str | None) -> None:
    """Find a handle that belongs to nothing before any work is done for it.

    Raises:
        InvalidArgumentError: See `remember`.
    """
    if handle is not None:
        known_history(ctx, handle)


def known_history(ctx: Context, handle: str | None) -> History:
    """The history of a client, to read from; an empty one where it has none yet.

    Raises:
        InvalidArgumentError: The handle belongs to no history, or to none that is still kept.
    """
    if handle is None:
        return ctx.server.state.get(History)  # in the modern era a fresh one, that of this request
    histories = ctx.server.process_state.get(_ModernHistories)
    history = histories.find(handle, ctx.server.clock.monotonic())
    if history is None:
        problem = f"belongs to no history, or to one that was not used for {LIFETIME / 60:g} minutes"
        raise InvalidArgumentError("historyHandle", f"{problem}; leave it out to begin a new one")
    return history


def _history_to_add_to(ctx: Context, handle: str | None) -> tuple[History, str | None]:
    if handle is None and ctx.era is Era.MODERN:
        handle = ctx.server.randomness.token()
        return ctx.server.process_state.get(_ModernHistories).begin(handle, ctx.server.clock.monotonic()), handle
    return known_history(ctx, handle), handle
