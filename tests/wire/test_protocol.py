"""What `wire.protocol` lets pass, and what it finds."""

from typing import Any

import pytest
from harness.wire import LEGACY_VERSION, META, MODERN_VERSION, Message
from wire.protocol import ProtocolError, Sender, check_message

METHODS = {1: "tools/list", 2: "tools/call", 3: "elicitation/create", 4: "ping", 5: "tasks/get"}
SERVER_INFO = {f"{META}serverInfo": {"name": "s", "version": "1"}}
ENVELOPE = {
    f"{META}protocolVersion": MODERN_VERSION,
    f"{META}clientInfo": {"name": "c", "version": "1"},
    f"{META}clientCapabilities": {},
}
CACHE = {"ttlMs": 0, "cacheScope": "private"}
TEXT = {"type": "text", "text": "hi"}
TOOL = {"name": "t", "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False}}


def result(request_id: Any, version: str = LEGACY_VERSION, /, **members: Any) -> tuple[Message, str]:
    complete = {"resultType": "complete"} if version == MODERN_VERSION else {}
    return {"jsonrpc": "2.0", "id": request_id, "result": {**complete, **members}}, version


def error(code: int, data: Any = None, **members: Any) -> tuple[Message, str]:
    error = {"code": code, "message": "no", **members} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": 1, "error": error}, MODERN_VERSION


def sent(method: str, params: Any = None, version: str = LEGACY_VERSION, /, **members: Any) -> tuple[Message, str]:
    message = {"jsonrpc": "2.0", "method": method, **members}
    return (message if params is None else {**message, "params": params}), version


FORM = {"message": "?", "mode": "form", "requestedSchema": {"type": "object", "properties": {}}}
PROGRESS = {"progressToken": 0, "progress": 1}
MOMENT = "2026-07-28T12:00:00.000Z"
TASK: Message = {"taskId": "t", "status": "working", "createdAt": MOMENT, "lastUpdatedAt": MOMENT, "ttlMs": None}

ACCEPTED: list[tuple[Sender, tuple[Message, str]]] = [
    ("server", result(1, tools=[TOOL])),
    ("server", result(1, MODERN_VERSION, tools=[TOOL], _meta=SERVER_INFO, **CACHE)),
    ("server", result(2, content=[TEXT], isError=True)),
    ("server", result(2, MODERN_VERSION, content=[TEXT], structuredContent=[None, 1])),
    ("server", result(2, MODERN_VERSION, resultType="input_required", requestState="x")),
    ("server", result(2, MODERN_VERSION, resultType="task", **TASK)),
    ("server", result(2, MODERN_VERSION, resultType="task", **{**TASK, "ttlMs": 1, "pollIntervalMs": 1})),
    ("server", result(5, MODERN_VERSION, **{**TASK, "status": "completed", "result": {}})),
    ("server", sent("notifications/tasks", {**TASK, "status": "failed", "error": {}}, MODERN_VERSION)),
    ("server", result(4)),
    ("server", error(-32021, {"requiredCapabilities": {"sampling": {}}})),
    ("server", error(-32022, {"supported": [MODERN_VERSION], "requested": "x"})),
    ("server", sent("elicitation/create", FORM, id="q")),
    ("server", sent("notifications/progress", PROGRESS)),
    ("server", sent("notifications/tools/list_changed", {"_meta": {f"{META}subscriptionId": 1}}, MODERN_VERSION)),
    ("server", sent("notifications/tools/list_changed", {"_meta": {"com.example.a-b/c.d_e": 1, "traceparent": "t"}})),
    ("server", sent("notifications/tasks/working", {"anything": 1}, MODERN_VERSION)),
    ("client", result(3, action="accept", content={"name": "x"})),
    ("client", sent("tools/call", {"name": "t", "arguments": {"_meta": 1}, "_meta": {"progressToken": 0}}, id=7)),
    ("client", sent("tools/list", {"_meta": ENVELOPE}, MODERN_VERSION, id=7)),
    ("client", sent("notifications/initialized")),
]

REFUSED: list[tuple[Sender, tuple[Message, str], str]] = [
    ("server", ({"jsonrpc": "1.0", "id": 4, "result": {}}, LEGACY_VERSION), "jsonrpc"),
    ("server", ({"jsonrpc": "2.0", "id": 4, "result": {}, "error": {}}, LEGACY_VERSION), "or both"),
    ("server", ({"jsonrpc": "2.0", "id": 4, "result": {}, "extra": 1}, LEGACY_VERSION), "unknown members"),
    ("server", ({"jsonrpc": "2.0", "id": True, "result": {}}, LEGACY_VERSION), "id is neither"),
    ("server", ({"jsonrpc": "2.0", "id": 1.5, "result": {}}, LEGACY_VERSION), "id is neither"),
    ("server", result(9), "no request"),
    ("server", result(4, extra=1), "extra"),
    ("server", result(1, tools=[TOOL], nextCursor=None), "null at .result.nextCursor"),
    ("server", result(1, tools=[{**TOOL, "extra": 1}]), "extra"),
    ("server", result(1, tools=[{**TOOL, "title": 1}]), "string"),
    ("server", result(1, tools=[{"name": "t"}]), "inputSchema"),
    ("server", result(1, tools=[{"name": "t", "inputSchema": {"type": "array"}}]), "object"),
    ("server", result(1, tools=[TOOL], resultType="complete"), "resultType"),
    ("server", result(1, tools=[TOOL], ttlMs=1), "ttlMs"),
    ("server", result(1, MODERN_VERSION, tools=[TOOL]), "ttlMs"),
    ("server", result(1, MODERN_VERSION, tools=[TOOL], ttlMs=-1, cacheScope="public"), "ttlMs|minimum"),
    ("server", result(1, MODERN_VERSION, tools=[TOOL], ttlMs=1.5, cacheScope="public"), "ttlMs|integer"),
    ("server", result(1, MODERN_VERSION, tools=[TOOL], ttlMs=1, cacheScope="all"), "public"),
    ("server", result(2, MODERN_VERSION, content=[TEXT], **CACHE), "anyOf|cache hints"),
    ("server", result(2, MODERN_VERSION, resultType="task", **{**TASK, "status": "busy"}), "no status"),
    ("server", result(2, MODERN_VERSION, resultType="task", **TASK, result={}), "a task has"),
    ("server", result(2, MODERN_VERSION, resultType="task", **{**TASK, "createdAt": "now"}), "no timestamp"),
    ("server", result(2, MODERN_VERSION, resultType="task", **{**TASK, "ttlMs": 0}), "no duration"),
    ("server", result(5, MODERN_VERSION, **{**TASK, "status": "completed"}), "a task has"),
    ("server", result(5, MODERN_VERSION, **{**TASK, "status": "input_required", "inputRequests": {}}), "is asked"),
    ("server", sent("notifications/tasks", {**TASK, "status": "failed"}, MODERN_VERSION), "a task has"),
    ("server", result(2, content=[TEXT], structuredContent=[1]), "object"),
    ("server", result(2, content=[{**TEXT, "annotations": {"audience": ["cat"]}}]), "cat|anyOf"),
    ("server", ({"jsonrpc": "2.0", "id": 2, "result": {"content": [TEXT]}}, MODERN_VERSION), "resultType|anyOf"),
    ("server", error(-32000, extra=1), "unknown members of the error"),
    ("server", ({"jsonrpc": "2.0", "id": 1, "error": {"code": "-1", "message": "no"}}, LEGACY_VERSION), "malformed"),
    ("server", error(-32021, {"needed": {}}), "capabilities are missing"),
    ("server", error(-32022, {"supported": [MODERN_VERSION]}), "versions are missing"),
    ("server", sent("elicitation/create", FORM, MODERN_VERSION, id="q"), "has no elicitation/create"),
    ("server", sent("elicitation/create", {**FORM, "extra": 1}, id="q"), "anyOf|extra"),
    ("server", sent("notifications/progress", {"progressToken": 0}), "progress"),
    ("server", sent("notifications/message", {"level": "loud", "data": 1}), "loud"),
    ("server", sent("notifications/roots/list_changed"), "from the server"),
    ("server", sent("notifications/tools/list_changed", {"_meta": {f"{META}subscriptionId": 1}}), "modern era"),
    ("server", sent("notifications/tools/list_changed", {"_meta": {f"{META}made-up": 1}}, MODERN_VERSION), "reserved"),
    ("server", sent("notifications/tools/list_changed", {"_meta": {"mine": 1}}), "means nothing"),
    ("server", sent("notifications/tools/list_changed", {"_meta": {"-a/b": 1}}), "no key"),
    ("server", result(2, content=[{**TEXT, "_meta": {"mine": 1}}]), "means nothing"),
    ("client", result(3, action="maybe"), "maybe"),
    ("client", result(3, action="accept", content={"name": {}}), "content"),
    ("client", sent("tools/list", {}, MODERN_VERSION, id=7), "_meta"),
    ("client", sent("initialize", {}, MODERN_VERSION, id=7), "has no initialize"),
    ("client", sent("tools/call", {"arguments": {}}, id=7), "name"),
]


@pytest.mark.parametrize(("sender", "message"), ACCEPTED, ids=lambda value: str(value)[:70])
def test_what_the_protocol_knows_passes(sender: Sender, message: tuple[Message, str]) -> None:
    check_message(message[0], METHODS, message[1], sender)


@pytest.mark.parametrize(("sender", "message", "problem"), REFUSED, ids=lambda value: str(value)[:70])
def test_what_it_does_not_know_is_found(sender: Sender, message: tuple[Message, str], problem: str) -> None:
    with pytest.raises(ProtocolError, match=problem):
        check_message(message[0], METHODS, message[1], sender)
