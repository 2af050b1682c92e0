"""Checks that what a server sends is what its protocol version knows: shape, required members, and no null."""

from collections.abc import Mapping
from typing import Any, Final

from harness.wire import Message, RequestId, is_answer, is_request
from mcp_types.methods import (
    SERVER_RESULTS,
    parse_server_notification,
    parse_server_request,
    validate_server_result,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

MODERN_ONLY: Final = ("resultType", "ttlMs", "cacheScope")
"""Members that the result of a legacy request never has."""

CACHEABLE: Final = frozenset(
    {
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
    }
)
"""Methods whose modern results say how long they may be kept (2026-07-28 server/utilities/caching)."""

NULLABLE: Final = (".ttlMs", ".default")
"""Members that may be null: a task's time to live, and the default in a JSON Schema."""


class ProtocolError(AssertionError):
    """A message that the protocol does not know."""


def check_message(message: Message, methods: Mapping[RequestId, str], version: str) -> None:
    """Check one message from a server.

    Args:
        message: The message.
        methods: The methods of the client's requests, by id.
        version: The protocol version that the conversation has agreed on, or that the request named.

    Raises:
        ProtocolError: It is none of that version.
        pydantic.ValidationError: Its shape is another one; says where.
    """
    _need(message.get("jsonrpc") == "2.0", "jsonrpc is not 2.0", message)
    _need(null_at(message) is None, f"there is a null at {null_at(message)}", message)
    if is_answer(message):
        _check_answer(message, methods, version)
        return
    _need(set(message) <= {"jsonrpc", "id", "method", "params"}, "unknown members", message)
    parse = parse_server_request if is_request(message) else parse_server_notification
    try:
        parse(message["method"], version, message.get("params"))
    except KeyError:
        raise ProtocolError(f"{version} has no {message['method']} from the server: {message}") from None


def null_at(value: Any, place: str = "") -> str | None:
    """Where there is a null that the schemas do not allow."""
    if value is None:
        return None if place.endswith(NULLABLE) else place
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = (null_at(item, f"{place}.{name}") for name, item in inner if name != "structuredContent")
    return next((where for where in found if where is not None), None)


def _check_answer(message: Message, methods: Mapping[RequestId, str], version: str) -> None:
    _need(set(message) <= {"jsonrpc", "id", "result", "error"}, "unknown members", message)
    _need(("result" in message) != ("error" in message), "neither a result nor an error, or both", message)
    if "error" in message:
        error = message["error"]
        _need(set(error) <= {"code", "message", "data"}, "unknown members of the error", message)
        _need(type(error["code"]) is int and isinstance(error["message"], str), "a malformed error", message)
        return
    _need(message["id"] in methods, "a result for no request of this client", message)
    method, result = methods[message["id"]], message["result"]
    known = version if (method, version) in SERVER_RESULTS else None
    if known is not None and result.get("resultType") != "task":  # extensions have schemas of their own
        validate_server_result(method, known, result)
    if version not in MODERN_PROTOCOL_VERSIONS:
        _need(not set(MODERN_ONLY) & set(result), "members of a modern result", message)
        return
    _need("resultType" in result, "no resultType", message)
    if method in CACHEABLE and result["resultType"] == "complete":
        _need(type(result.get("ttlMs")) is int and result["ttlMs"] >= 0, "no ttlMs", message)
        _need(result.get("cacheScope") in ("public", "private"), "no cacheScope", message)


def _need(condition: bool, problem: str, message: Message) -> None:
    if not condition:
        raise ProtocolError(f"{problem}: {str(message)[:1000]}")
