"""The event store behind resumable streams: bounded, and never crossing from one stream to another."""

from everything_server.serving.event_store import Event, EventStore


def numbers(store: EventStore, stream: str, after: int = 0) -> list[int]:
    return [event.number for event in store.after(stream, after)]


def test_events_come_back_in_order_from_after_a_number() -> None:
    store = EventStore()
    for number in range(1, 6):
        store.append("a", number, b"%d" % number)
    assert store.after("a", 3) == [Event(4, b"4"), Event(5, b"5")]
    assert list(store.after("a", 5)) == []
    assert list(store.after("a", 99)) == []


def test_streams_are_kept_apart() -> None:
    store = EventStore()
    store.append("a", 1, b"of a")
    store.append("b", 1, b"of b")
    assert store.after("b", 0) == [Event(1, b"of b")]
    assert list(store.after("c", 0)) == []


def test_the_oldest_events_of_all_streams_are_forgotten_first() -> None:
    store = EventStore(max_events=4)
    for number in range(1, 4):
        store.append("a", number, b"x")
        store.append("b", number, b"x")
    assert numbers(store, "a") == [2, 3]
    assert numbers(store, "b") == [2, 3]


def test_the_bytes_of_all_events_are_bounded() -> None:
    store = EventStore(max_bytes=10)
    for number in range(1, 6):
        store.append("a", number, b"1234")
    assert numbers(store, "a") == [4, 5]


def test_an_event_that_is_larger_than_all_may_be_is_not_kept() -> None:
    store = EventStore(max_bytes=10)
    store.append("a", 1, b"x")
    store.append("a", 2, b"x" * 11)
    assert numbers(store, "a") == []
    store.append("a", 3, b"x" * 10)
    assert numbers(store, "a") == [3]


def test_a_forgotten_stream_makes_room() -> None:
    store = EventStore(max_events=2)
    store.append("a", 1, b"x")
    store.append("a", 2, b"x")
    store.forget("a")
    assert numbers(store, "a") == []
    store.append("b", 1, b"x")
    store.append("b", 2, b"x")
    assert numbers(store, "b") == [1, 2]
    store.append("b", 3, b"x")
    assert numbers(store, "b") == [2, 3]


def test_forgetting_what_is_not_there_changes_nothing() -> None:
    store = EventStore()
    store.append("a", 1, b"x")
    store.forget("b")
    assert numbers(store, "a") == [1]


def test_many_streams_that_come_and_go_do_not_take_the_place_of_those_that_stay() -> None:
    store = EventStore(max_events=3)
    store.append("stays", 1, b"x")
    for number in range(100):
        store.append(f"goes {number}", 1, b"x")
        store.forget(f"goes {number}")
    assert numbers(store, "stays") == [1]
    store.append("late", 1, b"x")
    store.append("late", 2, b"x")
    store.append("late", 3, b"x")
    assert numbers(store, "stays") == []
    assert numbers(store, "late") == [1, 2, 3]


def test_it_does_not_grow_with_the_number_of_streams_there_ever_were() -> None:
    store = EventStore(max_events=10)
    for number in range(1000):
        store.append(f"forgotten {number}", 1, b"x")
        store.forget(f"forgotten {number}")
        store.append(f"left {number}", 1, b"x")
    held = sum(len(part) for part in vars(store).values() if hasattr(part, "__len__"))
    assert held < 200
