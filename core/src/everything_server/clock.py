"""Time, as a value that a test can replace."""

import time
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

import anyio

BEGINNING: Final = datetime(2026, 7, 28, 12, 0, tzinfo=UTC)
"""What clocks show first that do not show the machine's time."""


class Clock(Protocol):
    """What the server asks about time; everything that waits or stamps goes through one of these."""

    def now(self) -> datetime:
        """The current time, with its time zone."""
        ...

    def monotonic(self) -> float:
        """Seconds that only ever grow, for measuring spans."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait `seconds`; cancelled with the task that waits."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The current time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait `seconds` of real time."""
        await anyio.sleep(seconds)


class SteppingClock:
    """The time of a conversation, which is the same whenever the conversation is repeated.

    It stands still but for a second with each request that arrives, and for what somebody has slept. Sleeping takes
    real time.
    """

    def __init__(self) -> None:
        self._passed = 0.0

    def now(self) -> datetime:
        """The time of the conversation."""
        return BEGINNING + timedelta(seconds=self._passed)

    def monotonic(self) -> float:
        """Seconds since the conversation began."""
        return self._passed

    def step(self) -> None:
        """Let a second pass."""
        self._passed += 1

    async def sleep(self, seconds: float) -> None:
        """Wait `seconds` of real time, after which it is so much later here, too."""
        due = self._passed + seconds
        await anyio.sleep(seconds)
        self._passed = max(self._passed, due)
