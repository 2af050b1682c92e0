"""The clocks of the public testing package, which the tests of this repository use too."""

from everything_server.clock import BEGINNING as START
from everything_server.testing.clock import GUARD, FakeClock, InstantClock

__all__ = ["GUARD", "START", "FakeClock", "InstantClock"]
