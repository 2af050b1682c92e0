"""Plays rows against a server, over any transport, and compares what comes with what they expect."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from everything_server import Era
from harness.wire import Client, Message, RequestId, Stdio, WireTimeout, answers_to, is_notification, is_request
from wire.answers import Answerer, answerers
from wire.patterns import Known, Mismatch, lookup, match, mentions
from wire.protocol import check_message
from wire.rows import Row, Step

Open = Callable[[Row, Era, Mapping[str, Answerer]], Client]
"""Opens a connection, and with it the conversation, for a client like a row's."""

MODERN_MEMBERS: Final = ("_meta", "resultType", "ttlMs", "cacheScope")
"""Members of a modern result that do not count unless a pattern names them."""

MAX_ROUNDS: Final = 8
"""How often one call is repeated with answers to what the server asked."""

LISTEN_ID: Final = "listen"
"""The id of a subscription that names none."""


@dataclass
class Exchange:
    """What came of one call."""

    reply: Message | None
    questions: list[Message] = field(default_factory=list)
    """What the server asked: its requests in the legacy era, those in `inputRequests` in the modern one."""
    keys: list[str] = field(default_factory=list)
    """The keys of the modern ones."""
    states: list[str | None] = field(default_factory=list)
    """The `requestState` of each modern round."""


class Runner:
    """Plays rows of one era over one transport; rows that can share a connection do.

    Args:
        era: The era.
        open_connection: Opens a connection.
        has_statuses: Whether answers come with an HTTP status.
    """

    def __init__(self, era: Era, open_connection: Open, *, has_statuses: bool = False) -> None:
        self.era = era
        self.has_statuses = has_statuses
        self._open = open_connection
        self._shared: dict[str, Client] = {}

    def run(self, row: Row) -> None:
        """Play a row.

        Raises:
            Mismatch: Something is not as expected.
            WireTimeout: Something did not come.
        """
        known = Known()
        client = self._connection(row, known)
        try:
            attempt = _Attempt(self, row, client, known)
            attempt.play()
        finally:
            if row.isolated:
                client.close()

    def close(self) -> None:
        """Close the shared connections."""
        for client in self._shared.values():
            if isinstance(client, Stdio):
                client.end_input()  # all processes end at the same time
        for client in self._shared.values():
            client.close()

    def open(self, row: Row, known: Known) -> Client:
        """Open another connection for a row's client."""
        answers = answerers(row.client.get("answers"), known) if self.era is Era.LEGACY else {}
        return self._open(row, self.era, answers)

    def _connection(self, row: Row, known: Known) -> Client:
        if row.isolated:
            return self.open(row, known)
        declared = [row.capabilities(self.era), row.client.get("protocolVersion")]
        key = json.dumps([dict(row.env), declared if self.era is Era.LEGACY else None], sort_keys=True)
        client = self._shared.get(key)
        if client is None or client.gone():
            client = self._shared[key] = self.open(row, known)
        if self.era is Era.MODERN:  # where each request says anew who its client is
            client.capabilities, client.version = row.capabilities(self.era), row.version(self.era)
        return client


class _Attempt:
    """One row, being played."""

    def __init__(self, runner: Runner, row: Row, client: Client, known: Known) -> None:
        self.runner = runner
        self.era = runner.era
        self.row = row
        self.client = client
        self.known = known
        self.ids: dict[str, RequestId] = {}
        """The ids of requests that were sent without waiting, by the name the row gives them."""
        self.start = 0 if row.isolated else len(client.inbox)
        self.mark = self.start
        self._others: list[Client] = []
        self._listening: list[tuple[Client, RequestId]] = []

    def play(self) -> None:
        try:
            self._play()
            check_messages(self.client, self.start)
        finally:
            for step in self.row.cleanup:
                with suppress(Mismatch, WireTimeout):  # the row is over, this says nothing about it
                    self._step(step)
            for client, request_id in self._listening:
                client.cancel(request_id)
            for client in self._others:
                client.close()

    def _play(self) -> None:
        row, client = self.row, self.client
        answers = answerers(row.client.get("answers"), self.known)
        if self.era is Era.LEGACY and not row.isolated:  # else it has been answering with them from its start
            client.answers = dict(answers)
        for step in row.setup:
            self._step(step)
        self.known.filled.clear()
        want, params = self._insert(row.expect), self._insert(row.params)
        if "handshake" in want:
            match(want["handshake"], client.handshake, self.known, "handshake")
        here = len(client.inbox)
        window_start = {"connection": 0, "mark": self.mark}.get(row.window or "", here)
        began = time.monotonic()
        if want.get("no_reply"):
            self._listen(client, params, LISTEN_ID)
            exchange = Exchange(None)
        else:
            exchange = self._call(client, row.method, params, answers)
        took = time.monotonic() - began
        if row.collect:
            time.sleep(row.collect)
        self._collect(want, window_start)
        window = client.inbox[window_start:]
        if self.era is Era.LEGACY:
            exchange.questions = [message for message in window if is_request(message)]
        self._check(want, exchange, window, took)

    # Steps

    def _step(self, step: Step) -> None:
        if step.get("era", self.era) != self.era:
            return
        client = self._other() if step.get("other") else self.client
        params = self._insert(step.get("params"))
        match step:
            case {"method": method}:
                self._step_call(client, step, method, params)
            case {"send": method, "as": name}:
                self.ids[name] = client.send(method, params)
            case {"cancel": name}:
                client.cancel(self.ids[name])
            case {"listen": wanted}:
                self._listen(client, {"notifications": self._insert(wanted)}, step.get("id", LISTEN_ID))
            case {"unlisten": name}:
                client.cancel(self.ids[name])
                client.settle()
            case {"notify": method}:
                client.notify(method, params)
            case {"await": method}:
                client.wait(
                    lambda messages: next((m for m in messages if m.get("method") == method), None),
                    method,
                    since=self.mark,
                )
            case {"alter": name, "how": how, "as": new_name}:
                self.known.saved[new_name] = alter(self.known.saved[name], how)
            case {"settle": _}:
                client.settle()
            case {"mark": _}:
                self.mark = len(client.inbox)
            case {"sleep": seconds}:
                time.sleep(seconds)
            case _:
                raise ValueError(f"row {self.row.id}: no such step: {step}")

    def _step_call(self, client: Client, step: Step, method: str, params: Message | None) -> None:
        special, usual = answerers(step.get("answers"), self.known), client.answers
        if self.era is Era.LEGACY and special:
            client.answers = dict(special)
        poll = step.get("poll", {})
        deadline = time.monotonic() + poll.get("timeout", 0)
        while True:
            exchange = self._call(client, method, params, special)
            result = (exchange.reply or {}).get("result")
            if (not isinstance(result, dict) or result.get("isError")) and not step.get("allow_error"):
                raise Mismatch(f"setup {method}", "a result", exchange.reply)
            if not poll or lookup(result, poll["path"]) == poll["until"]:
                break
            if time.monotonic() > deadline:
                raise Mismatch(f"setup {method}: {poll['path']} after {poll['timeout']} s", poll["until"], result)
            time.sleep(0.1)
        for name, path in step.get("save", {}).items():
            source = {"$requests": exchange.questions} if path.startswith("$requests") else result
            self.known.saved[name] = lookup(source, path)
        client.answers = usual

    def _listen(self, client: Client, params: Message | None, request_id: RequestId) -> None:
        """Open a subscription; it is open when it has been acknowledged."""
        since = len(client.inbox)
        client.send("subscriptions/listen", params, request_id)
        self.ids[str(request_id)] = request_id
        self._listening.append((client, request_id))
        client.wait(
            lambda messages: (
                answers_to(request_id, messages)
                or next((m for m in messages if m.get("method") == "notifications/subscriptions/acknowledged"), None)
            ),
            "the acknowledgement of a subscription",
            since=since,
        )

    def _call(self, client: Client, method: str, params: Message | None, answers: Mapping[str, Answerer]) -> Exchange:
        """Make a call; in the modern era again and again, as far as there are answers to what the server asks."""
        start = len(client.inbox)
        exchange = Exchange(client.request(method, params))
        if self.era is Era.LEGACY:
            exchange.questions = [message for message in client.inbox[start:] if is_request(message)]
            return exchange
        for _ in range(MAX_ROUNDS):
            result = (exchange.reply or {}).get("result")
            if not isinstance(result, dict) or result.get("resultType") != "input_required" or not answers:
                break
            questions: dict[str, Message] = result.get("inputRequests", {})
            if any(question["method"] not in answers for question in questions.values()):
                break
            exchange.questions += questions.values()
            exchange.keys += questions
            exchange.states.append(result.get("requestState"))
            responses = {key: answers[question["method"]](question) for key, question in questions.items()}
            again = {**(params or {}), "inputResponses": responses}
            if exchange.states[-1] is not None:
                again["requestState"] = exchange.states[-1]
            exchange.reply = client.request(method, again)
        return exchange

    def _other(self) -> Client:
        if not self._others:
            self._others.append(self.runner.open(self.row, self.known))
        return self._others[0]

    def _insert(self, value: Any) -> Any:
        """Put saved values in place of `${name}`, in keys as well."""
        if isinstance(value, str):
            for name, saved in self.known.saved.items():
                mark = f"${{{name}}}"
                if value == mark and saved is not None:
                    return saved
                value = value.replace(mark, str(saved))
            return value
        if isinstance(value, list):
            return [self._insert(item) for item in value]
        if isinstance(value, Mapping):
            return {self._insert(name): self._insert(item) for name, item in value.items()}
        return value

    # What came of it

    def _collect(self, want: Mapping[str, Any], start: int) -> None:
        """Wait for the notifications that are expected, then for whatever else is on its way."""
        expected = [*_listed(want.get("notifications", [])), *want.get("notifications_min", [])]
        methods = {notification["method"] for notification in expected}
        with suppress(WireTimeout):  # what is missing is told by the comparison
            self.client.wait(
                lambda messages: len(_notifications(messages, methods)) >= len(expected) or None,
                "notifications",
                since=start,
            )
        self.client.settle()

    def _check(self, want: Mapping[str, Any], exchange: Exchange, window: Sequence[Message], took: float) -> None:
        if exchange.reply is not None:
            self._check_reply(want, exchange.reply)
            if "status" in want and self.runner.has_statuses and self.era is Era.MODERN:
                statuses: Mapping[RequestId, int] = getattr(self.client, "statuses", {})
                self._match(want["status"], statuses.get(exchange.reply["id"]), "HTTP status")
        if took < want.get("min_seconds", 0):
            raise Mismatch("seconds until the answer", f"at least {want['min_seconds']}", took)
        if "requests" in want:
            self._check_questions(want["requests"], exchange.questions)
        if self.era is Era.MODERN:
            if "input_keys" in want:
                self._match(want["input_keys"], exchange.keys, "keys of inputRequests")
            if "states" in want:
                self._match([{"$re": ".+"}] * want["states"], exchange.states, "requestState of each round")
        self._check_notifications(want, window, exchange.reply)
        if want.get("no_reply") and (replies := answers_to(LISTEN_ID, window)):
            raise Mismatch("the answer", "none yet", replies[0])
        for name in want.get("no_reply_to", ()):
            if replies := answers_to(self.ids[name], self.client.inbox[self.start :]):
                raise Mismatch(f"the answer to {name}", "none", replies[0])

    def _check_reply(self, want: Mapping[str, Any], reply: Message) -> None:
        if "any_of" in want:
            self._check_any(want["any_of"], reply)
        if "error" in want:
            if "error" not in reply:
                raise Mismatch("the answer", {"error": want["error"]}, reply)
            counts = {name: item for name, item in reply["error"].items() if name != "data" or name in want["error"]}
            self._match(want["error"], counts, "error")
        result = reply.get("result")
        if ("result" in want or "at" in want) and not isinstance(result, dict):
            raise Mismatch("the answer", {name: want[name] for name in ("result", "at") if name in want}, reply)
        if "result" in want:
            self._check_result(want["result"], result)
        for path, pattern in want.get("at", {}).items():
            self._match(pattern, lookup(result, path), path)

    def _check_any(self, wants: Sequence[Mapping[str, Any]], reply: Message) -> None:
        for want in wants:
            with suppress(Mismatch):
                self._check_reply(want, reply)
                return
        raise Mismatch("the answer (any of)", wants, reply)

    def _check_result(self, pattern: Any, result: Message) -> None:
        if self.era is Era.MODERN and not mentions(pattern, "resultType"):
            self._match("complete", result.get("resultType"), "result.resultType")
        ignored = MODERN_MEMBERS if self.era is Era.MODERN else ("_meta",)
        counts = {name: item for name, item in result.items() if name not in ignored or mentions(pattern, name)}
        if counts.get("isError") is False:
            del counts["isError"]
        self._match(pattern, counts, "result")

    def _check_questions(self, wants: Sequence[Mapping[str, Any]], questions: Sequence[Message]) -> None:
        methods = {want["method"] for want in wants}
        asked = [question for question in questions if not methods or question["method"] in methods]
        if len(asked) != len(wants):
            raise Mismatch("requests from the server", wants, asked)
        for index, (want, question) in enumerate(zip(wants, asked, strict=True)):
            counts: Message = {"method": question["method"]}
            if "params" in want:
                counts["params"] = question.get("params", {})
            self._match(want, counts, f"request[{index}]")

    def _check_notifications(self, want: Mapping[str, Any], window: Sequence[Message], reply: Message | None) -> None:
        if "notifications" in want:
            pattern = want["notifications"]
            listed = _listed(pattern)
            methods = {notification["method"] for notification in listed}
            with_params = any("params" in notification for notification in listed)
            came = [_plain(notification, with_params) for notification in _notifications(window, methods)]
            self._match(pattern, came, "notifications")
            if want.get("before_reply"):
                after = window[next(index for index, message in enumerate(window) if message is reply) :]
                if late := _notifications(after, methods):
                    raise Mismatch("the order", "notifications before the answer", late[0])
        if "notifications_min" in want:
            patterns = want["notifications_min"]
            came = _notifications(window, {pattern["method"] for pattern in patterns})[: len(patterns)]
            self._match(
                [pattern if "params" in pattern else {"$has": pattern} for pattern in patterns],
                [_plain(notification, True) for notification in came],
                "notifications (at least)",
            )
        for method in want.get("no_notifications", ()):
            if came := _notifications(window, {method}):
                raise Mismatch("notifications", f"no {method}", came[0])

    def _match(self, pattern: Any, value: Any, at: str) -> None:
        match(pattern, value, self.known, at)


def check_messages(client: Client, start: int = 0) -> None:
    """Check that every message a client has got since `start` is one that its protocol version knows."""
    version = client.version
    if client.handshake is not None:
        version = client.handshake["protocolVersion"]
    for message in client.inbox[start:]:
        check_message(message, client.methods, version)


def alter(token: str, how: str) -> str:
    """A text with its last character cut, or with one character changed so that no base64 decoder can miss it."""
    if how == "cut":
        return token[:-1]
    body = token.rstrip("=")
    index = {"start": 0, "middle": len(body) // 2, "end": len(body) - 1}[how]
    other = "A" if token[index] in "ghijklmnopqrstuvwxyz0123456789-_+/" else "g"
    return token[:index] + other + token[index + 1 :]


def _listed(pattern: Any) -> Sequence[Mapping[str, Any]]:
    """The notifications in a pattern for several."""
    return pattern["$set"] if isinstance(pattern, Mapping) else pattern


def _notifications(messages: Sequence[Message], methods: set[str]) -> list[Message]:
    return [message for message in messages if is_notification(message) and message["method"] in methods]


def _plain(notification: Message, with_params: bool) -> Message:
    names = ("method", "params") if with_params else ("method",)
    return {name: notification[name] for name in names if name in notification}
