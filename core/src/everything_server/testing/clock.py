"""Clocks that a test moves, so that it never has to wait for time to pass.

They may be moved and asked from any thread, whichever thread or event loop the server runs in.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

import anyio
import anyio.lowlevel

from everything_server.clock import BEGINNING, Clock

GUARD: Final = 30.0
"""Seconds of real time after which a wait for the server is given up."""

_ROUNDING: Final = 1e-9
"""Steps of a third of a second do not add up to a second."""


class FakeClock:
    """A clock that stands still until a test moves it on. It shows 2026-07-28 12:00 UTC first."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        """How long each sleeper wanted to sleep, in the order in which they lay down."""
        self._passed = 0.0
        self._news = threading.Condition(threading.RLock())
        self._alarms: dict[_Alarm, float] = {}
        self._background: dict[_Alarm, float] = {}
        self._watchers: list[_Alarm] = []

    @property
    def sleepers(self) -> int:
        """How many are asleep."""
        return len(self._alarms)

    @property
    def background(self) -> Clock:
        """The same clock for what always sleeps, such as a server's look for idle sessions; it counts no sleepers."""
        return _Background(self)

    def now(self) -> datetime:
        """The time that is shown."""
        return BEGINNING + timedelta(seconds=self._passed)

    def monotonic(self) -> float:
        """Seconds that the clock was moved by."""
        return self._passed

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has been moved by `seconds`."""
        self.slept.append(seconds)
        await self._sleep(seconds, self._alarms)

    def advance(self, seconds: float) -> None:
        """Let time pass, and wake those who have slept long enough."""
        with self._news:
            self._passed += seconds
            for alarm, due in (*self._alarms.items(), *self._background.items()):
                if due <= self._passed + _ROUNDING:
                    alarm.ring()

    async def until(self, condition: Callable[[Any], bool]) -> None:
        """Wait until `condition` holds for this clock, which is looked at whenever someone lies down or gets up.

        Raises:
            TimeoutError: It does not within `GUARD` seconds.
        """
        with anyio.fail_after(GUARD):
            while True:
                alarm = _Alarm()
                with self._news:
                    if condition(self):
                        return
                    self._watchers.append(alarm)
                await alarm.wait()

    def wait_until(self, condition: Callable[[Any], bool]) -> None:
        """As `until`, for a test that is not `async`: it blocks.

        Raises:
            TimeoutError: See `until`.
        """
        deadline = time.monotonic() + GUARD
        with self._news:
            while not condition(self):
                if not self._news.wait(deadline - time.monotonic()):
                    raise TimeoutError(f"not within {GUARD} seconds; {self.sleepers} are asleep")

    def wait_for_sleepers(self, count: int = 1) -> None:
        """Block until so many are asleep.

        Raises:
            TimeoutError: They are not within `GUARD` seconds.
        """
        self.wait_until(lambda clock: clock.sleepers >= count)

    async def wake_next(self) -> None:
        """Wait until someone is asleep, then let just as much time pass as the first one needs to wake up."""
        while True:
            await self.until(lambda clock: clock.sleepers > 0)
            with self._news:
                if self._alarms:  # another thread may have given up meanwhile
                    awake, sleepers = len(self.slept), self.sleepers
                    self.advance(min(self._alarms.values()) - self._passed)
                    break
        await self.until(lambda clock: clock.sleepers < sleepers or len(clock.slept) > awake)

    async def _sleep(self, seconds: float, alarms: "dict[_Alarm, float]") -> None:
        alarm = _Alarm()
        with self._news:
            alarms[alarm] = self._passed + seconds
            self._changed()
        try:
            await alarm.wait()
        finally:  # also when the sleeper is cancelled
            with self._news:
                del alarms[alarm]
                self._changed()

    def _changed(self) -> None:
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            watcher.ring()
        self._news.notify_all()


class InstantClock(FakeClock):
    """A clock on which every sleep is over at once; time passes by as much."""

    async def sleep(self, seconds: float) -> None:
        """Let `seconds` pass, and give others their turn."""
        self.slept.append(seconds)
        self.advance(seconds)
        await anyio.lowlevel.checkpoint()


class _Background:
    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        return self._clock.now()

    def monotonic(self) -> float:
        return self._clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        await self._clock._sleep(seconds, self._clock._background)  # pyright: ignore[reportPrivateUsage]


class _Alarm:
    """Wakes a task of the event loop in which it was made, from any thread."""

    def __init__(self) -> None:
        self._event = anyio.Event()
        self._loop = asyncio.get_running_loop()

    async def wait(self) -> None:
        await self._event.wait()

    def ring(self) -> None:
        try:
            here = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        if here is self._loop:
            self._event.set()
            return
        with suppress(RuntimeError):  # the loop is closed: nobody is waiting there
            self._loop.call_soon_threadsafe(self._event.set)
