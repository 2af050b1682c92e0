"""Checks that what travels is what its protocol version knows: shape, required members, no unknown one, and no null.

The models of `mcp_types` are generated from the official `schema.json` of each era, but are lenient towards what the
schema does not name. Here their JSON schemas are *closed*: an object may have the members that the schema lists, and
others only where the schema says so.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal

from harness.wire import META, Message, RequestId, is_answer, is_request
from jsonschema_rs import Draft202012Validator
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    LOG_LEVEL_META_KEY,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    PROTOCOL_VERSION_META_KEY,
    SERVER_INFO_META_KEY,
    UNSUPPORTED_PROTOCOL_VERSION,
    URL_ELICITATION_REQUIRED,
)
from mcp_types.methods import (
    CACHEABLE_METHODS,
    CLIENT_NOTIFICATIONS,
    CLIENT_REQUESTS,
    CLIENT_RESULTS,
    SERVER_NOTIFICATIONS,
    SERVER_REQUESTS,
    SERVER_RESULTS,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter

Sender = Literal["server", "client"]

Schemas = Mapping[tuple[str, str], Any]

REQUESTS: Final[Mapping[Sender, Schemas]] = {"server": SERVER_REQUESTS, "client": CLIENT_REQUESTS}
NOTIFICATIONS: Final[Mapping[Sender, Schemas]] = {"server": SERVER_NOTIFICATIONS, "client": CLIENT_NOTIFICATIONS}
RESULTS: Final[Mapping[Sender, Schemas]] = {"server": SERVER_RESULTS, "client": CLIENT_RESULTS}
"""What each side may send, by method and version; results by the method that they answer."""

EXTENSIONS: Final = ("tasks/", "notifications/tasks")
"""How the methods of extensions begin; those have schemas of their own."""

TASK_MEMBERS: Final = frozenset({"taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"})
"""What every task has."""

TASK_DETAILS: Final[Mapping[Any, frozenset[str]]] = {
    "working": frozenset(),
    "input_required": frozenset({"inputRequests"}),
    "completed": frozenset({"result"}),
    "failed": frozenset({"error"}),
    "cancelled": frozenset(),
}
"""What a task of each status has beside that, wherever its details are told."""

TIMESTAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")

MODERN_ONLY: Final = ("resultType", "ttlMs", "cacheScope")
"""Members that the result of a legacy request never has."""

NULLABLE: Final = (".ttlMs", ".default")
"""Members that may be null: a task's time to live, and the default in a JSON Schema."""

META_KEYS: Final = frozenset(
    {
        CLIENT_CAPABILITIES_META_KEY,
        CLIENT_INFO_META_KEY,
        LOG_LEVEL_META_KEY,
        PROTOCOL_VERSION_META_KEY,
        SERVER_INFO_META_KEY,
        f"{META}subscriptionId",
        f"{META}related-task",
    }
)
"""Keys under a prefix of the protocol's own that it defines, for the modern era."""

BARE_META_KEYS: Final = frozenset({"progressToken", "traceparent", "tracestate", "baggage"})
"""Keys without a prefix that the protocol defines."""

_LABEL: Final = r"[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_META_KEY: Final = re.compile(rf"(?:({_LABEL}(?:\.{_LABEL})*)/)?(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)?", re.ASCII)
_RESERVED_LABELS: Final = frozenset({"modelcontextprotocol", "mcp"})


class ProtocolError(AssertionError):
    """A message that the protocol does not know."""


def check_message(message: Message, methods: Mapping[RequestId, str], version: str, sender: Sender = "server") -> None:
    """Check one message.

    Args:
        message: The message.
        methods: The methods of the requests that the other side has sent, by id.
        version: The protocol version that the conversation has agreed on, or that the request named.
        sender: Who has sent it.

    Raises:
        ProtocolError: It is none of that version; says where.
    """
    _need(message.get("jsonrpc") == "2.0", "jsonrpc is not 2.0", message)
    _need(null_at(message) is None, f"there is a null at {null_at(message)}", message)
    _need(type(message.get("id", "")) in (int, str), "the id is neither a number nor a text", message)
    _check_meta(message, message, version)
    if is_answer(message):
        _check_answer(message, methods, version, sender)
        return
    _need(set(message) <= {"jsonrpc", "id", "method", "params"}, "unknown members", message)
    method: str = message["method"]
    schema = (REQUESTS if is_request(message) else NOTIFICATIONS)[sender].get((method, version))
    if schema is None:
        _need(method.startswith(EXTENSIONS), f"{version} has no {method} from the {sender}", message)
        if method == "notifications/tasks":
            _check_task(message["params"], message, detailed=True)
        return
    _fit(_without_task_ids(message), schema, message)


def null_at(value: Any, place: str = "") -> str | None:
    """Where there is a null that the schemas do not allow."""
    if value is None:
        return None if place.endswith(NULLABLE) else place
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = (null_at(item, f"{place}.{name}") for name, item in inner if name != "structuredContent")
    return next((where for where in found if where is not None), None)


def closed(schema: Any) -> Any:
    """A JSON schema made from a model, without the leniency of models.

    Objects may have only the members that it names, unless it says otherwise, and what may be left out may not be null.
    """
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    tight = {name: closed(item) for name, item in schema.items() if name != "default"}
    if "default" in schema and schema["default"] is None and "anyOf" in tight:
        choices = [choice for choice in tight.pop("anyOf") if choice != {"type": "null"}]
        tight |= choices[0] if len(choices) == 1 else {"anyOf": choices}
    if schema.get("type") == "object" and "properties" in schema:
        is_result = str(schema.get("title", "")).endswith("Result")
        tight["additionalProperties"] = False if is_result else tight.get("additionalProperties", False)
    return tight


def _check_answer(message: Message, methods: Mapping[RequestId, str], version: str, sender: Sender) -> None:
    _need(set(message) <= {"jsonrpc", "id", "result", "error"}, "unknown members", message)
    _need(("result" in message) != ("error" in message), "neither a result nor an error, or both", message)
    if "error" in message:
        _check_error(message, message["error"])
        return
    _need(message.get("id") in methods, f"a result for no request to this {sender}", message)
    method, result = methods[message["id"]], message["result"]
    schema = RESULTS[sender].get((method, version))
    is_handle = result.get("resultType") == "task"  # a tool's call that a task has taken over
    if is_handle or method == "tasks/get":
        _check_task(result, message, detailed=not is_handle)
    elif schema is not None:
        _fit(result, schema, message)
    if version not in MODERN_PROTOCOL_VERSIONS:
        _need(not set(MODERN_ONLY) & set(result), "members of a modern result", message)
        return
    _need("resultType" in result, "no resultType", message)
    is_cacheable = method in CACHEABLE_METHODS and result["resultType"] == "complete"
    if is_cacheable:
        _need(type(result.get("ttlMs")) is int and result["ttlMs"] >= 0, "no ttlMs", message)
        _need(result.get("cacheScope") in ("public", "private"), "no cacheScope", message)
    elif not is_handle and method != "tasks/get":  # which have a time to live of another kind
        _need(not {"ttlMs", "cacheScope"} & set(result), "cache hints where nothing may be cached", message)


def _check_task(task: Any, message: Message, *, detailed: bool) -> None:
    """Check a task, or a handle, which has no details (ext-tasks tasks, Tasks)."""
    details = TASK_DETAILS.get(task.get("status"))
    _need(details is not None, "no status of a task", message)
    assert details is not None
    wanted = TASK_MEMBERS | (details if detailed else set())
    have = set(task) - {"_meta", "resultType", "statusMessage", "pollIntervalMs"}
    _need(have == wanted, f"a task has {sorted(wanted)}, this one {sorted(have)}", message)
    _need(all(TIMESTAMP.fullmatch(task[name]) for name in ("createdAt", "lastUpdatedAt")), "no timestamp", message)
    for name in ("ttlMs", "pollIntervalMs"):
        _need(task.get(name) is None or (type(task[name]) is int and task[name] > 0), f"{name} is no duration", message)
    if details == {"inputRequests"} and detailed:
        _need(bool(task["inputRequests"]), "nothing is asked", message)


def _without_task_ids(message: Message) -> Message:
    """A message without what the tasks extension adds to the filter of `subscriptions/listen`."""
    params = message.get("params", {})
    filter_of = params.get("notifications")
    if not isinstance(filter_of, dict) or "taskIds" not in filter_of:
        return message
    known = {name: value for name, value in filter_of.items() if name != "taskIds"}
    return {**message, "params": {**params, "notifications": known}}


def _check_error(message: Message, error: Any) -> None:
    _need(
        isinstance(error, dict) and set(error) <= {"code", "message", "data"}, "unknown members of the error", message
    )
    _need(type(error.get("code")) is int and isinstance(error.get("message"), str), "a malformed error", message)
    data = error.get("data", {})
    match error["code"]:
        case code if code == UNSUPPORTED_PROTOCOL_VERSION:
            _need(isinstance(data.get("supported"), list) and "requested" in data, "versions are missing", message)
        case code if code == MISSING_REQUIRED_CLIENT_CAPABILITY:
            _need(isinstance(data.get("requiredCapabilities"), dict), "capabilities are missing", message)
        case code if code == URL_ELICITATION_REQUIRED:
            _need(bool(data.get("elicitations")), "elicitations are missing", message)
        case _:
            pass


def _check_meta(value: Any, message: Message, version: str) -> None:
    """Check the keys of every `_meta` in a message (2026-07-28 basic/index, General fields)."""
    if isinstance(value, list):
        for item in value:
            _check_meta(item, message, version)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name == "_meta":
                _need(isinstance(item, dict), "_meta is no object", message)
                for key in item:
                    _check_meta_key(key, message, version)
            elif name not in ("arguments", "structuredContent"):  # whose members are the features' own
                _check_meta(item, message, version)


def _check_meta_key(key: str, message: Message, version: str) -> None:
    match = _META_KEY.fullmatch(key)
    _need(match is not None, f"{key!r} is no key of _meta", message)
    assert match is not None
    if match[1] is None:
        _need(key in BARE_META_KEYS, f"{key!r} in _meta means nothing", message)
    elif _RESERVED_LABELS & {*match[1].split(".")[1:2]}:
        _need(key in META_KEYS, f"{key!r} in _meta is reserved", message)
        _need(version in MODERN_PROTOCOL_VERSIONS, f"{key!r} in _meta belongs to the modern era", message)


def _fit(value: Any, schema: Any, message: Message) -> None:
    problems = [
        f"{problem.instance_path}: {problem.message[:300]}" for problem in _validator(schema).iter_errors(value)
    ]
    _need(not problems, "; ".join(problems), message)


@cache
def _validator(kind: Any) -> Draft202012Validator:
    return Draft202012Validator(closed(TypeAdapter(kind).json_schema(by_alias=True)))


def _need(condition: bool, problem: str, message: Message) -> None:
    if not condition:
        raise ProtocolError(f"{problem}: {str(message)[:1000]}")
