"""Reads the tables; README.md explains their notation."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from harness.raw_http import BOTH_TYPES, VERSION, HttpRequest, envelope
from harness.wire import MODERN_VERSION, Message

TABLE: Final = Path(__file__).with_name("table.json")
MOUNTS: Final = Path(__file__).with_name("mounts.json")

POSTURES: Final = ("stateless", "reject")
"""How a handler may serve legacy traffic."""

NAMED_BY: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


@dataclass(frozen=True)
class Step:
    """One thing that is done to a mount, and what is to come of it."""

    action: str
    """Its first member: `send`, `open`, `read`, `leave`, `start`, `join`, `notify`, `close`, `release` or `until`."""
    argument: Any
    members: Mapping[str, Any]

    @property
    def expected(self) -> Message | None:
        """What is checked, if anything is."""
        return self.members.get("expect")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One request and its answer, or some steps."""

    id: str
    title: str
    source: str
    """What the expectation rests on."""
    mount: str = ""
    """The handler it is played against, in the table that names one."""
    send: Message = field(default_factory=dict)
    expect: Message = field(default_factory=dict)
    """What every posture answers; or `stateless` and `reject` with what each of these does."""
    steps: Sequence[Message] = ()
    note: str = ""

    @property
    def request(self) -> HttpRequest:
        """The request."""
        return http_request(self.send)

    @property
    def depends_on_posture(self) -> bool:
        """Whether its answer differs with how legacy traffic is served."""
        return set(self.expect) <= set(POSTURES)

    def expected(self, posture: str) -> Message:
        """What a handler of this posture answers."""
        return self.expect[posture] if self.depends_on_posture else self.expect

    def all_steps(self) -> Iterator[Step]:
        """The steps; a row with one request has just one."""
        for members in self.steps or [{"send": self.send, "expect": self.expect}]:
            action, argument = next(iter(members.items()))
            yield Step(action, argument, members)


def load(path: Path) -> list[Row]:
    """All rows of a table."""
    return [Row(**members) for members in json.loads(path.read_text(encoding="utf-8"))]


def http_request(send: Message) -> HttpRequest:
    """The request that a row describes."""
    headers: dict[str, str | Sequence[str] | None] = {}
    if "method" not in send:
        headers = {"Content-Type": "application/json", "Accept": BOTH_TYPES}
    if "modern" in send:
        headers |= _routing(send["modern"])
    headers |= send.get("headers", {})
    lines = [
        (name, value)
        for name, values in headers.items()
        for value in ([values] if isinstance(values, str) else values or ())
    ]
    return HttpRequest(
        method=send.get("method", "POST"),
        headers=tuple(lines),
        body=_body(send),
        chunked=send.get("chunked", False),
    )


def _routing(message: Message) -> dict[str, str]:
    """The headers that repeat what a modern message says."""
    version = MODERN_VERSION
    method, params = message["method"], message.get("params", {})
    headers = {VERSION: version, "Mcp-Method": method}
    named_by = NAMED_BY.get(method, "")
    return {**headers, "Mcp-Name": params[named_by]} if named_by in params else headers


def _body(send: Message) -> bytes:
    if "hex" in send:
        return bytes.fromhex(send["hex"])
    if "text" in send:
        return str(send["text"]).encode()
    if "json" in send:
        return json.dumps(send["json"]).encode()
    if "modern" in send:
        return _padded(_modern(send["modern"]), send.get("bytes"))
    if "legacy" in send:
        legacy = send["legacy"]
        if isinstance(legacy, list):
            return json.dumps([{"jsonrpc": "2.0", **element} for element in legacy]).encode()
        if "times" in send:
            copies = [{"jsonrpc": "2.0", "id": number + 1, **legacy} for number in range(send["times"])]
            return json.dumps(copies).encode()
        return json.dumps({"jsonrpc": "2.0", **legacy}).encode()
    return b""


def _modern(message: Message) -> Message:
    """A message with its envelope; a member of `_meta` that is given as `$none` is left out."""
    params = dict(message.get("params", {}))
    meta = {**envelope(), **params.get("_meta", {})}
    params["_meta"] = {name: value for name, value in meta.items() if value != "$none"}
    return {"jsonrpc": "2.0", **message, "params": params}


def _padded(message: Message, size: int | None) -> bytes:
    """A call of a tool whose argument `message` is so long that the body has this size."""
    if size is None:
        return json.dumps(message).encode()
    arguments = message["params"]["arguments"] = {"message": ""}
    arguments["message"] = "x" * (size - len(json.dumps(message).encode()))
    return json.dumps(message).encode()
