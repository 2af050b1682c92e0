"""Keeps what was sent on event streams for a while, so that a client can resume one after its connection broke."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

MAX_EVENTS: Final = 10_000
MAX_BYTES: Final = 64 << 20


@dataclass(frozen=True)
class Event:
    """One server-sent event, as it was written."""

    number: int
    data: bytes


class EventStore:
    """The latest events of all sessions of a process, the oldest forgotten first.

    An event's id names its stream and its place there; replaying never crosses from one stream to another (2025-11-25
    basic/transports, Resumability and Redelivery).

    Args:
        max_events: How many are kept.
        max_bytes: How many bytes they may have together.
    """

    def __init__(self, max_events: int = MAX_EVENTS, max_bytes: int = MAX_BYTES) -> None:
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._streams: dict[str, deque[Event]] = {}
        self._oldest_first: deque[str] = deque()
        self._bytes = 0
        self._events = 0

    def append(self, stream: str, number: int, data: bytes) -> None:
        """Keep the event with this number of a stream; numbers of a stream only grow."""
        self._streams.setdefault(stream, deque()).append(Event(number, data))
        self._oldest_first.append(stream)
        self._events += 1
        self._bytes += len(data)
        while self._events > self._max_events or self._bytes > self._max_bytes:
            self._forget_oldest()

    def after(self, stream: str, number: int) -> Sequence[Event]:
        """The events of a stream that came after the one with this number and are still kept."""
        return [event for event in self._streams.get(stream, ()) if event.number > number]

    def forget(self, stream: str) -> None:
        """Drop all events of a stream that nobody can resume any more."""
        for event in self._streams.pop(stream, ()):
            self._events -= 1
            self._bytes -= len(event.data)
        # Its places in the order stay until their turn comes, at most a multiple of what is kept.
        if len(self._oldest_first) > 4 * self._max_events:
            self._oldest_first = deque(name for name in self._oldest_first if name in self._streams)

    def _forget_oldest(self) -> None:
        name = self._oldest_first.popleft()
        events = self._streams.get(name)
        if events:
            event = events.popleft()
            self._events -= 1
            self._bytes -= len(event.data)
            if not events:
                del self._streams[name]
