"""Time, as a value that a test can replace."""

import time
from datetime import UTC, datetime
from typing import Protocol

import anyio


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
