"""Compares an answer with what a row of the tables expects; README.md explains the notation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from harness.raw_http import Headers
from harness.wire import Message

MISSING: Final = object()
"""Stands for what is not there."""

MEDIA_TYPES: Final = {"json": "application/json", "stream": "text/event-stream"}

TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "$string": str,
    "$number": (int, float),
    "$array": list,
    "$object": dict,
}

KINDS: Final[Mapping[str, Message]] = {
    "result": {
        "legacy": False,
        "status": 200,
        "type": "json",
        "error": None,
        "id": 1,
        "message": {"result": {"resultType": "complete"}},
    },
    "legacy result": {
        "legacy": True,
        "status": 200,
        "type": "stream",
        "error": None,
        "id": 1,
        "frames": ["result"],
        "end": "closed",
        "message": {"result": {"resultType": "$absent"}},
    },
    "legacy error": {
        "legacy": True,
        "status": 200,
        "type": "stream",
        "id": 1,
        "frames": ["error"],
        "end": "closed",
    },
    "not served": {
        "legacy": True,
        "status": 400,
        "type": "json",
        "error": {"$oneOf": [-32022, -32020]},
        "id": 1,
        "message": {"error": {"data": {"supported": {"$includes": "2026-07-28"}}}},
    },
    "refusal": {"legacy": False, "status": 400, "type": "json", "id": 1},
    "accepted": {"status": 202, "empty": True},
    "not allowed": {"legacy": True, "status": 405, "headers": {"allow": "$present"}},
    "acknowledged": {
        "legacy": False,
        "status": 200,
        "type": "stream",
        "error": None,
        "frames": ["notifications/subscriptions/acknowledged"],
        "end": "open",
    },
}
"""What a row may expect by name, as `as`."""


@dataclass
class Seen:
    """What came of a request, or of reading on."""

    status: int = 200
    headers: Headers = field(default_factory=lambda: Headers(()))
    messages: list[Message] = field(default_factory=list)
    comments: int = 0
    end: Literal["open", "closed"] = "closed"

    @property
    def last(self) -> Any:
        """The last message."""
        return self.messages[-1] if self.messages else MISSING

    @property
    def frames(self) -> list[str]:
        """Each message in a word: the method, `result` or `error`."""
        return [message.get("method") or ("error" if "error" in message else "result") for message in self.messages]

    @property
    def error(self) -> int | None:
        """The code of the error that the last message is."""
        return self.last["error"]["code"] if "error" in self.frames[-1:] else None


def spelled_out(expected: Message) -> Message:
    """An expectation with the one it refers to by name filled in."""
    if "as" not in expected:
        return expected
    return _merged(KINDS[expected["as"]], {name: value for name, value in expected.items() if name != "as"})


def check(expected: Message, seen: Seen) -> None:
    """Compare everything that an expectation mentions."""
    problems = [problem for name, wanted in spelled_out(expected).items() for problem in _compare(name, wanted, seen)]
    assert not problems, f"{'; '.join(problems)}\nseen: {seen}"


def differences(pattern: Any, value: Any, path: str = "") -> Iterator[str]:
    """Where a value is not what a pattern wants: an object may have more members, all else is compared as it is."""
    if pattern == "$absent":
        fits = value is MISSING
    elif pattern == "$present":
        fits = value is not MISSING
    elif pattern == "$none":
        fits = value is MISSING or value is None
    elif isinstance(pattern, str) and pattern in TYPES:
        fits = isinstance(value, TYPES[pattern])
    elif isinstance(pattern, dict) and "$oneOf" in pattern:
        fits = any(not list(differences(option, value)) for option in pattern["$oneOf"])
    elif isinstance(pattern, dict) and "$includes" in pattern:
        fits = isinstance(value, list) and pattern["$includes"] in value
    elif isinstance(pattern, dict):
        for name, inner in pattern.items():
            yield from differences(inner, _member(value, name), f"{path}/{name}")
        return
    else:
        fits = type(value) is type(pattern) and value == pattern  # 1 is not true
    if not fits:
        shown = "nothing" if value is MISSING else repr(value)[:300]
        yield f"{path or 'value'}: expected {pattern!r}, got {shown}"


def _compare(name: str, wanted: Any, seen: Seen) -> Iterator[str]:
    match name:
        case "legacy" | "factory":
            pass  # not to be seen in the answer
        case "status":
            yield from differences(wanted, seen.status, name)
        case "type":
            yield from differences(wanted and MEDIA_TYPES[wanted], seen.headers.media_type, name)
        case "error":
            yield from differences(wanted, seen.error, name)
        case "id":
            yield from differences(wanted, _member(seen.last, "id"), name)
        case "frames":
            yield from differences(wanted, seen.frames, name)
        case "end":
            yield from differences(wanted, seen.end, name)
        case "empty":
            yield from differences([], seen.messages, name)
        case "comments":
            if seen.comments < wanted:
                yield f"comments: expected {wanted} or more, got {seen.comments}"
        case "message":
            yield from differences(wanted, seen.last, name)
        case "headers":
            for header, rule in wanted.items():
                values = seen.headers.all(header)
                yield from differences(rule, values[0] if values else MISSING, f"header {header}")
        case _:
            raise ValueError(f"an expectation knows no {name!r}")


def _member(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return value.get(name, MISSING)
    if isinstance(value, list) and name.isdigit() and int(name) < len(value):
        return value[int(name)]
    return MISSING


def _merged(base: Message, more: Message) -> Message:
    """Two expectations in one; what both say, the second one does."""
    merged = dict(base)
    for name, value in more.items():
        both = isinstance(value, dict) and isinstance(base.get(name), dict) and not _is_operator(value)
        merged[name] = _merged(base[name], value) if both else value
    return merged


def _is_operator(pattern: Message) -> bool:
    return any(name.startswith("$") for name in pattern)
