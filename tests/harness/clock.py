"""Clocks that tests hand to a server, so that no test has to wait for time to pass."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

import anyio
import anyio.lowlevel

START: Final = datetime(2026, 7, 28, 12, 0, tzinfo=UTC)
"""What a fake clock shows first."""

GUARD: Final = 30.0
"""Seconds of real time after which a wait for the server is given up."""


class FakeClock:
    """A clock that stands still until a test moves it on."""

    def __init__(self) -> None:
        self._passed = 0.0
        self._alarms: dict[anyio.Event, float] = {}
        self._change = anyio.Event()
        self.slept: list[float] = []
        """How long each sleeper wanted to sleep, in the order in which they lay down."""

    @property
    def sleepers(self) -> int:
        """How many are asleep."""
        return len(self._alarms)

    def now(self) -> datetime:
        return START + timedelta(seconds=self._passed)

    def monotonic(self) -> float:
        return self._passed

    async def sleep(self, seconds: float) -> None:
        alarm = anyio.Event()
        self._alarms[alarm] = self._passed + seconds
        self.slept.append(seconds)
        self._changed()
        try:
            await alarm.wait()
        finally:
            del self._alarms[alarm]  # also when the sleeper is cancelled
            self._changed()

    def advance(self, seconds: float) -> None:
        """Let time pass, and wake those who have slept long enough."""
        self._passed += seconds
        for alarm, due in self._alarms.items():
            if due <= self._passed + 1e-9:  # steps of a third of a second do not add up to a second
                alarm.set()

    async def until(self, condition: Callable[["FakeClock"], bool]) -> None:
        """Wait until `condition` holds for this clock, which is looked at whenever someone lies down or gets up."""
        with anyio.fail_after(GUARD):
            while not condition(self):
                await self._change.wait()

    async def wake_next(self) -> None:
        """Wait until someone is asleep, then let just as much time pass as the first one needs to wake up."""
        await self.until(lambda clock: clock.sleepers > 0)
        awake = len(self.slept)
        due = min(self._alarms.values())
        sleepers = self.sleepers
        self.advance(due - self._passed)
        await self.until(lambda clock: clock.sleepers < sleepers or len(clock.slept) > awake)

    def _changed(self) -> None:
        self._change.set()
        self._change = anyio.Event()


class InstantClock(FakeClock):
    """A clock on which every sleep is over at once; time passes by as much."""

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._passed += seconds
        await anyio.lowlevel.checkpoint()
