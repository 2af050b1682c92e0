"""The rows of `stdio-table.json`: what a client says in steps, and what `serve_stdio` makes of it. See STDIO.md."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from everything_server import Era
from harness.wire import META, Message

TABLE: Final = Path(__file__).with_name("stdio-table.json")

CLIENT_INFO: Final = {"name": "table", "version": "1.0.0"}

SUBSCRIPTION_ID: Final = f"{META}subscriptionId"


@dataclass(frozen=True)
class Step:
    """Lines to send, and a pattern for each message that must come before the next step."""

    lines: tuple[bytes, ...]
    expected: tuple[Message, ...]


@dataclass(frozen=True, kw_only=True)
class StdioRow:
    """A conversation with a server that `serve_stdio` serves."""

    id: str
    title: str
    steps: tuple[Step, ...]
    factory: tuple[Era, ...]
    """The eras that the factory is called for, in order."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of `serve_stdio`, in the spelling of the command line."""
    note: str = ""

    @property
    def arguments(self) -> list[str]:
        """The options for `harness/stdio_server.py`."""
        return [word for name, value in self.options.items() for word in (f"--{name}", str(value))]

    @property
    def keywords(self) -> dict[str, Any]:
        """The options for `serve_stdio` itself."""
        return {name.replace("-", "_"): value for name, value in self.options.items()}


def load_stdio_rows(path: Path = TABLE) -> list[StdioRow]:
    """All rows of the table."""
    return [
        StdioRow(
            **{
                **members,
                "steps": tuple(
                    Step(tuple(map(_line, step["send"])), tuple(step["expect"])) for step in members["steps"]
                ),
                "factory": tuple(map(Era, members["factory"])),
            }
        )
        for members in json.loads(path.read_text(encoding="utf-8"))
    ]


def summary(message: Message) -> Message:
    """What the patterns of the table speak of."""
    params, result = message.get("params", {}), message.get("result", {})
    if "method" in message:
        summed: Message = {"is": message["method"]}
    elif "error" in message:
        summed = {"is": f"error {message['error']['code']}"}
    else:
        era = Era.MODERN if "resultType" in result else Era.LEGACY
        summed = {"is": f"result {era}"}
    members = {
        "id": message.get("id"),
        "protocolVersion": result.get("protocolVersion"),
        "subscriptionId": {**params.get("_meta", {}), **result.get("_meta", {})}.get(SUBSCRIPTION_ID),
    }
    return {**summed, **{name: value for name, value in members.items() if value is not None}}


def check_step(expected: Sequence[Message], messages: Sequence[Message]) -> None:
    """Check that a step got what it had to, in any order but that of a subscription's own messages."""
    seen = [summary(message) for message in messages]
    left = list(seen)
    for pattern in expected:
        fitting = next((item for item in left if _fits(pattern, item)), None)
        assert fitting is not None, f"expected {list(expected)}, got {seen}"
        left.remove(fitting)
    assert not left, f"expected {list(expected)}, got {seen}"
    acknowledged: set[tuple[type, Any]] = set()
    for item in seen:
        if "subscriptionId" in item:
            key = (type(item["subscriptionId"]), item["subscriptionId"])
            if item["is"] == "notifications/subscriptions/acknowledged":
                acknowledged.add(key)
            elif any(pattern["is"] == "notifications/subscriptions/acknowledged" for pattern in expected):
                assert key in acknowledged, f"{item} came before its acknowledgement"


def _fits(pattern: Message, item: Message) -> bool:
    def same(name: str) -> bool:
        wanted, actual = pattern.get(name), item.get(name)
        return wanted == actual and type(wanted) is type(actual)

    kinds = pattern.get("isAnyOf", [pattern.get("is")])
    version = pattern.get("protocolVersion", item.get("protocolVersion"))
    return item["is"] in kinds and same("id") and same("subscriptionId") and version == item.get("protocolVersion")


def _line(notation: Any) -> bytes:
    """A string stands for itself, anything else for its JSON, once its shorthands are written out."""
    text = notation if isinstance(notation, str) else json.dumps(_expand(notation))
    return text.encode() + b"\n"


def _expand(notation: Any) -> Any:
    if isinstance(notation, list):
        return [_expand(item) for item in notation]
    message = {"jsonrpc": "2.0", **notation}
    params = message.get("params")
    if isinstance(params, dict):
        message["params"] = _expand_params(params)
    return message


def _expand_params(params: Message) -> Message:
    expanded = dict(params)
    if "$handshake" in expanded:
        version = expanded.pop("$handshake")
        expanded = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT_INFO, **expanded}
    meta = expanded.get("_meta", {})
    if "$modern" in meta:
        version = meta["$modern"]
        envelope = {
            f"{META}protocolVersion": version,
            f"{META}clientInfo": CLIENT_INFO,
            f"{META}clientCapabilities": {},
        }
        expanded["_meta"] = {**envelope, **{name: value for name, value in meta.items() if name != "$modern"}}
    return expanded
