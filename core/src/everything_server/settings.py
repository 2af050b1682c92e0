"""What is decided once, by whoever starts a process, for all the servers that it makes."""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from mcp.server.request_state import RequestStateSecurity

from everything_server.clock import Clock, SteppingClock, SystemClock
from everything_server.context import State
from everything_server.eras import BOTH_ERAS, Era
from everything_server.randomness import Randomness
from everything_server.request_state import repeatable_sealing, sealing_by


@dataclass(frozen=True)
class Settings:
    """What whoever starts the process decides for all of its servers."""

    page_size: int | None = None
    """Entries on a page of a list; None puts all on one."""
    eras: Collection[Era] = BOTH_ERAS
    """The eras that this process serves, which decides the versions it names."""
    clock: Clock = field(default_factory=SystemClock)
    randomness: Randomness = field(default_factory=Randomness)
    """Where ids and random choices come from."""
    request_state: RequestStateSecurity | None = None
    """Seals the state of calls that ask the client; by default with a key of this process, for ten minutes."""
    process_state: State = field(default_factory=State)
    """What outlives a modern request."""

    @cached_property
    def sealing(self) -> RequestStateSecurity:
        """What seals the state of calls that ask the client."""
        return self.request_state or sealing_by(self.clock)

    @classmethod
    def repeatable(cls, seed: int, clock: Clock | None = None, **others: Any) -> Self:
        """Settings with which the same conversation is the same to the byte, from run to run; for tests only.

        Args:
            seed: Decides every id, every random choice and the key that seals states, all of which can be guessed.
            clock: What time it is; by default one that the conversation moves, see `SteppingClock`.
            others: Further settings.
        """
        randomness, clock = Randomness(seed), clock or SteppingClock()
        sealing = repeatable_sealing(Randomness(seed), clock)
        return cls(clock=clock, randomness=randomness, request_state=sealing, **others)
