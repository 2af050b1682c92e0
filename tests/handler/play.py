"""Plays the rows of the tables against a server that listens."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from handler.expectation import Seen, check, differences, spelled_out
from handler.rows import Row, Step, http_request
from harness.raw_http import Exchange, HttpRequest
from harness.wire import Message


@dataclass(frozen=True)
class Mount:
    """A handler that `harness/http_server.py` has mounted, and what controls it."""

    server: str
    """The server's address."""
    name: str

    def exchange(self, sent: HttpRequest) -> Exchange:
        """Send a request to the handler."""
        return Exchange(self.server, sent.having(path=f"/{self.name}/mcp"))

    def is_legacy(self, sent: HttpRequest) -> bool:
        """The verdict of `is_legacy_request` on a request."""
        with Exchange(self.server, sent.having(path=f"/{self.name}/is-legacy")) as asked:
            return json.loads(asked.body())["legacy"]

    def control(self, action: str, body: Mapping[str, Any] | None = None) -> Message:
        """Have something done to the handler; gives its state."""
        sent = HttpRequest(path=f"/{self.name}/{action}", body=json.dumps(body or {}).encode())
        with Exchange(self.server, sent) as asked:
            assert asked.status == 200, asked.body()
            return json.loads(asked.body())


def answer_to(exchange: Exchange, expected: Message) -> Seen:
    """Read an answer, up to its end or up to where the row says that it stays open."""
    seen = Seen(exchange.status, exchange.headers)
    if exchange.headers.media_type == "text/event-stream":
        return read_on(exchange, expected, seen)
    seen.messages = _messages(exchange.body())
    return seen


def read_on(exchange: Exchange, expected: Message, seen: Seen | None = None) -> Seen:
    """Read as much of an event stream as the row mentions: so many messages, so many comments, up to the end."""
    seen = seen or Seen(exchange.status, exchange.headers)
    expected = spelled_out(expected)
    to_the_end = expected.get("end") != "open"
    frames, comments = len(expected.get("frames", ())), expected.get("comments", 0)
    while to_the_end or len(seen.messages) < frames or seen.comments < comments:
        event = exchange.event()
        if event is None:
            seen.end = "closed"
            return seen
        if event.comment is not None:
            seen.comments += 1
        else:
            seen.messages.append(event.message)
    seen.end = "open"
    return seen


class Player:
    """Takes the steps of one row.

    Args:
        mount: The handler, made anew.
    """

    def __init__(self, mount: Mount) -> None:
        self._mount = mount
        self._open: dict[str, Exchange] = {}
        self._saved: dict[str, Any] = {}

    def play(self, row: Row) -> None:
        """Take all steps; each must come out as the row says."""
        try:
            for step in row.all_steps():
                self._take(step)
        finally:
            for exchange in self._open.values():
                exchange.close()

    def _take(self, step: Step) -> None:
        expected = step.expected or {}
        match step.action:
            case "send":
                with self._mount.exchange(self._request(step)) as exchange:
                    self._check(step, answer_to(exchange, expected))
            case "start":
                self._open[step.members["as"]] = self._mount.exchange(self._request(step))
            case "open":
                exchange = self._open[step.members["as"]] = self._mount.exchange(self._request(step))
                self._check(step, answer_to(exchange, expected))
            case "join":
                self._check(step, answer_to(self._open[step.argument], expected))
            case "read":
                self._check(step, read_on(self._open[step.argument], expected))
            case "leave":
                self._open.pop(step.argument).close()
            case "notify" | "close" | "release":
                self._mount.control(step.action, step.argument)
            case "until":
                state = self._mount.control("until", step.argument)
                assert not list(differences(step.argument, state)), state
            case _:
                raise ValueError(f"a step knows no {step.action!r}")

    def _request(self, step: Step) -> HttpRequest:
        return http_request(self._filled_in(step.argument))

    def _check(self, step: Step, seen: Seen) -> None:
        check(step.expected or {}, seen)
        for name, path in step.members.get("save", {}).items():
            value = seen.last
            for member in path:
                value = value[member]
            self._saved[name] = value

    def _filled_in(self, value: Any) -> Any:
        """A value with `${name}` replaced by what was saved under that name."""
        if isinstance(value, dict):
            return {name: self._filled_in(inner) for name, inner in value.items()}
        if isinstance(value, str) and (match := re.fullmatch(r"\$\{(\w+)\}", value)):
            return self._saved[match[1]]
        return value


def _messages(body: bytes) -> list[Message]:
    """What a body that is no event stream holds; something that is no JSON object stands for no message."""
    try:
        value = json.loads(body)
    except ValueError:
        return []
    return [value] if isinstance(value, dict) else []
