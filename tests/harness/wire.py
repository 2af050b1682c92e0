"""Raw JSON-RPC clients of servers in other processes: a test sees and sends exactly what is on the wire.

`Client` is what the transports share, `Stdio` a client that starts its server; those that speak HTTP are in
`wire.http_clients`. In the legacy era `start` makes the handshake; in the modern era every request carries the envelope
in its `_meta`.
"""

import json
import os
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, Final, Self, TypeVar

from everything_server import Era

from harness.forking import COMMAND as COMMAND
from harness.forking import start

Message = dict[str, Any]
RequestId = str | int
T = TypeVar("T")

GUARD: Final = 30.0
"""Seconds after which a wait for a message is given up; the machine may be busy with other things."""

END_GUARD: Final = 10.0
"""Seconds after which a process that should have ended is taken for one that never will."""

LEGACY_VERSION: Final = "2025-11-25"
MODERN_VERSION: Final = "2026-07-28"

META: Final = "io.modelcontextprotocol/"
CLIENT_INFO: Final = {"name": "wire", "version": "1.0.0"}

ALL_CAPABILITIES: Final[Mapping[Era, Message]] = {
    Era.LEGACY: {
        "roots": {"listChanged": True},
        "sampling": {"tools": {}, "context": {}},
        "elicitation": {"form": {}, "url": {}},
    },
    Era.MODERN: {"roots": {}, "sampling": {"tools": {}, "context": {}}, "elicitation": {"form": {}, "url": {}}},
}
"""Everything that a client of an era can declare, extensions aside."""

Answer = Message | Callable[[Message], Message]
"""A result, `{"$error": …}` for an error, `SILENCE` for no answer, or a function that gives one of these."""

SILENCE: Final[Message] = {"$silence": True}


class WireTimeout(AssertionError):
    """What was waited for did not come."""


def clean_environment(**variables: str) -> dict[str, str]:
    """This process's environment without what would configure a server that is started in it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EVERYTHING_")}
    return {**kept, **variables}


def is_answer(message: Message) -> bool:
    return "method" not in message and ("result" in message or "error" in message)


def is_request(message: Message) -> bool:
    return "method" in message and "id" in message


def is_notification(message: Message) -> bool:
    return "method" in message and "id" not in message


def answers_to(request_id: RequestId, messages: Sequence[Message]) -> list[Message]:
    """The answers to a request; `5` and `"5"` are different ids."""
    return [
        message
        for message in messages
        if is_answer(message) and message.get("id") == request_id and type(message["id"]) is type(request_id)
    ]


class Client(ABC):
    """What the transports share."""

    def __init__(
        self,
        era: Era,
        *,
        capabilities: Message | None = None,
        version: str | None = None,
        answers: Mapping[str, Answer] | None = None,
    ) -> None:
        self.era = era
        self.capabilities = capabilities or {}
        self.version = version or (LEGACY_VERSION if era is Era.LEGACY else MODERN_VERSION)
        self.answers = dict(answers or {})
        """What the server's requests are answered with, by method; others get -32601, `ping` its result."""
        self.inbox: list[Message] = []
        """Every message from the server, in the order of arrival."""
        self.methods: dict[RequestId, str] = {}
        """The methods of the requests that were sent."""
        self.handshake: Message | None = None
        """The result of `initialize`."""
        self._news = threading.Condition()
        self._last_id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    @abstractmethod
    def _transmit(self, message: Message) -> None:
        """Send one message; may block until the server has answered it."""

    @abstractmethod
    def close(self) -> None:
        """End the connection."""

    def gone(self) -> bool:
        """Whether nothing more can come."""
        return False

    def explain(self) -> str:
        """Something to print beside a failure."""
        return ""

    def start(self) -> Self:
        """Open the conversation."""
        if self.era is Era.LEGACY:
            params = {"protocolVersion": self.version, "capabilities": self.capabilities, "clientInfo": CLIENT_INFO}
            self.handshake = self.result("initialize", params)
            self.notify("notifications/initialized")
        return self

    def envelope(self) -> Message:
        """The `_meta` of a modern request."""
        return {
            f"{META}protocolVersion": self.version,
            f"{META}clientInfo": CLIENT_INFO,
            f"{META}clientCapabilities": self.capabilities,
        }

    def build(self, method: str, params: Message | None = None, request_id: RequestId | None = None) -> Message:
        """A request of this client's era. Members of `_meta` in `params` win over the envelope's."""
        if request_id is None:
            self._last_id += 1
            request_id = self._last_id
        message: Message = {"jsonrpc": "2.0", "id": request_id, "method": method}
        if self.era is Era.MODERN:
            params = dict(params or {})
            params["_meta"] = {**self.envelope(), **params.get("_meta", {})}
        return message if params is None else {**message, "params": params}

    def send(self, method: str, params: Message | None = None, request_id: RequestId | None = None) -> RequestId:
        """Send a request without waiting for its answer; gives its id."""
        message = self.build(method, params, request_id)
        self.methods[message["id"]] = method
        self._transmit_aside(message)
        return message["id"]

    def request(
        self,
        method: str,
        params: Message | None = None,
        request_id: RequestId | None = None,
        *,
        timeout: float = GUARD,
    ) -> Message:
        """Send a request and wait for its answer, a result or an error."""
        message = self.build(method, params, request_id)
        self.methods[message["id"]] = method
        since = len(self.inbox)
        self._transmit(message)
        return self.answer(message["id"], since=since, timeout=timeout)

    def result(self, method: str, params: Message | None = None, **options: Any) -> Message:
        """The result of a request, which must have one."""
        reply = self.request(method, params, **options)
        assert "result" in reply, reply
        return reply["result"]

    def error(self, method: str, params: Message | None = None, **options: Any) -> Message:
        """The error of a request, which must be refused."""
        reply = self.request(method, params, **options)
        assert "error" in reply, reply
        return reply["error"]

    def call(self, tool: str, arguments: Message | None = None, **meta: Any) -> Message:
        """The result of a tool; keyword arguments go into `_meta`."""
        return self.result("tools/call", _call_params(tool, arguments, meta))

    def send_call(
        self, tool: str, arguments: Message | None = None, request_id: RequestId | None = None, **meta: Any
    ) -> RequestId:
        """Call a tool without waiting for the answer; gives the id."""
        return self.send("tools/call", _call_params(tool, arguments, meta), request_id)

    def notify(self, method: str, params: Message | None = None) -> None:
        """Send a notification."""
        message: Message = {"jsonrpc": "2.0", "method": method}
        self._transmit(message if params is None else {**message, "params": params})

    def cancel(self, request_id: RequestId) -> None:
        """Give up a request."""
        self.notify("notifications/cancelled", {"requestId": request_id})

    def answer(self, request_id: RequestId, *, since: int = 0, timeout: float = GUARD) -> Message:
        """Wait for the answer to a request."""
        return self.wait(
            lambda messages: next(iter(answers_to(request_id, messages)), None),
            f"an answer to {request_id!r}",
            since=since,
            timeout=timeout,
        )

    def notification(self, method: str, *, since: int = 0, timeout: float = GUARD) -> Message:
        """Wait for the first notification of a method."""
        return self.wait(
            lambda messages: next((m for m in messages if is_notification(m) and m["method"] == method), None),
            method,
            since=since,
            timeout=timeout,
        )

    def server_request(self, method: str, *, since: int = 0, timeout: float = GUARD) -> Message:
        """Wait for the first request of a method from the server."""
        return self.wait(
            lambda messages: next((m for m in messages if is_request(m) and m["method"] == method), None),
            f"a request {method}",
            since=since,
            timeout=timeout,
        )

    def wait(
        self, look: Callable[[Sequence[Message]], T | None], what: str, *, since: int = 0, timeout: float = GUARD
    ) -> T:
        """Wait until `look` finds something in the messages from number `since` on."""
        deadline = time.monotonic() + timeout
        with self._news:
            while True:
                gone = self.gone()  # before looking, so that nothing can slip in between
                found = look(self.inbox[since:])
                if found is not None:
                    return found
                left = deadline - time.monotonic()
                if gone or left <= 0:
                    why = "the server ended" if gone else f"not within {timeout} s"
                    seen = json.dumps(self.inbox[since:])[:1000]
                    raise WireTimeout(f"waited for {what}: {why}; messages seen: {seen}; {self.explain()}")
                self._news.wait(min(left, 0.2))

    def settle(self) -> None:
        """Make a round trip, so that what the server had to say by now is in the inbox.

        That holds for what travels on the same stream as the answer, which over stdio is everything.
        """
        self.request("ping" if self.era is Era.LEGACY else "server/discover")

    def _transmit_aside(self, message: Message) -> None:
        """Send without waiting for whatever the transport waits for."""
        threading.Thread(target=self._transmit, args=(message,), daemon=True).start()

    def _deliver(self, message: Message) -> None:
        with self._news:
            self.inbox.append(message)
            self._news.notify_all()
        if is_request(message):
            self._answer(message)

    def _answer(self, request: Message) -> None:
        answer = self.answers.get(request["method"])
        if callable(answer):
            answer = answer(request)
        if answer is SILENCE:
            return
        reply: Message = {"jsonrpc": "2.0", "id": request["id"]}
        if answer is None and request["method"] == "ping":
            reply["result"] = {}
        elif answer is None:
            reply["error"] = {"code": -32601, "message": "Method not found"}
        elif "$error" in answer:
            reply["error"] = answer["$error"]
        else:
            reply["result"] = answer
        # Not on this thread: it reads, and the server may have to be read from before it reads on itself.
        threading.Thread(target=self._transmit, args=(reply,), daemon=True).start()


def _call_params(tool: str, arguments: Message | None, meta: Message) -> Message:
    params: Message = {"name": tool, "arguments": arguments or {}}
    return {**params, "_meta": meta} if meta else params


class Stdio(Client):
    """A client that starts its server.

    Args:
        command: The server's command line.
        era: The era that `start` and `build` speak.
        env: The server's environment; by default this process's, without what would configure the server.
        stdin: The server's standard input, when the test writes there by other means.
        start_new_session: Make the server the leader of a session of its own.
        fresh: Load Python and all modules anew; see `harness.forking`.
        **options: Of `Client`.
    """

    def __init__(
        self,
        command: Sequence[str],
        era: Era,
        *,
        env: Mapping[str, str] | None = None,
        stdin: int | None = None,
        start_new_session: bool = False,
        fresh: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(era, **options)
        self.raw: list[bytes] = []
        """Every line of the server's stdout, with its end."""
        self.junk: list[bytes] = []
        """Those that are no JSON object or array of objects."""
        self._stderr = bytearray()
        self._writing = threading.Lock()
        self.process = start(
            command,
            stdin=subprocess.PIPE if stdin is None else stdin,
            env=clean_environment() if env is None else env,
            start_new_session=start_new_session,
            fresh=fresh,
        )
        self._readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self._take), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self._log), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    @property
    def stderr(self) -> str:
        """What the server has written to stderr so far."""
        return self._stderr.decode("utf-8", "backslashreplace")

    def send_bytes(self, data: bytes) -> None:
        """Write to the server's stdin; what a server no longer reads is lost."""
        assert self.process.stdin is not None
        with self._writing, suppress(OSError, ValueError):
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def send_line(self, line: bytes | str) -> None:
        """Write one line, whatever it holds."""
        self.send_bytes((line.encode() if isinstance(line, str) else line) + b"\n")

    def wait_for_log(self, text: str, *, timeout: float = GUARD) -> None:
        """Wait until the server's stderr contains a text."""
        self.wait(lambda _: True if text in self.stderr else None, f"{text!r} on stderr", timeout=timeout)

    def end_input(self) -> None:
        """Close the server's stdin."""
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()

    def end(self, timeout: float = END_GUARD) -> int:
        """End the input, wait for the process, read all it has written, and give its exit status."""
        self.end_input()
        return self.exit_status(timeout)

    def exit_status(self, timeout: float = END_GUARD) -> int:
        """Wait for the process, read all it has written, and give its exit status."""
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise WireTimeout(f"the server is still running after {timeout} s; {self.explain()}") from None
        for reader in self._readers:
            reader.join(timeout)
            assert not reader.is_alive(), "the server has ended, but something still holds its output open"
        return status

    def close(self) -> None:
        """End the process, by force if it does not end with its input."""
        self.end_input()
        try:
            self.process.wait(END_GUARD)
        except subprocess.TimeoutExpired:
            self.kill()
        for reader in self._readers:
            reader.join(1)  # longer only if a child of the server holds the other end

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.wait()
        self.end_input()

    def output_ended(self) -> bool:
        """Whether stdout has been read to its end, which comes when the last copy of it is closed."""
        return not self._readers[0].is_alive()

    def gone(self) -> bool:
        return not any(reader.is_alive() for reader in self._readers)

    def explain(self) -> str:
        parts: list[str] = []
        if self.process.poll() is not None:
            parts.append(f"the process ended with status {self.process.returncode}")
        if self.junk:
            parts.append(f"no JSON on stdout: {self.junk[0][:200]!r}")
        if self._stderr:
            parts.append(f"stderr: {self.stderr[-1500:]}")
        return "; ".join(parts)

    def _transmit(self, message: Message) -> None:
        self.send_line(json.dumps(message))

    def _transmit_aside(self, message: Message) -> None:
        self._transmit(message)  # does not wait for the answer

    def _read(self, stream: IO[bytes], take: Callable[[bytes], None]) -> None:
        with stream:
            for line in stream:
                take(line)
        with self._news:
            self._news.notify_all()

    def _take(self, line: bytes) -> None:
        self.raw.append(line)
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        messages = value if isinstance(value, list) else [value]
        if not messages or not all(isinstance(message, dict) for message in messages):
            self.junk.append(line)
            return
        for message in messages:
            self._deliver(message)

    def _log(self, line: bytes) -> None:
        with self._news:
            self._stderr += line
            self._news.notify_all()
