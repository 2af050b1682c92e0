"""Reads and writes JSON-RPC messages as bytes; what cannot be read becomes the error that answers it."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, cast

import pydantic_core
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)
from pydantic import ValidationError


@dataclass(frozen=True)
class Unreadable:
    """Something that is no message, and what is wrong with it."""

    error: ErrorData
    request_id: RequestId | None = None
    """Its id, where that could be read."""

    @property
    def answer(self) -> JSONRPCError:
        """The answer to it; without an id where none could be read, as the schema knows no null there."""
        return error_answer(self.error, self.request_id)


@dataclass(frozen=True)
class Batch:
    """An array of messages, as only revision 2025-03-26 knows it; each element was read on its own."""

    elements: tuple[JSONRPCMessage | Unreadable, ...]


def read_message(data: bytes) -> JSONRPCMessage | Batch | Unreadable:
    """Read one JSON text.

    -32700 when it is not JSON (nested too deep, and numbers JSON does not know, included); -32600 when it is no
    message, with the id where that can be read (JSON-RPC 2.0, sections 4 and 5).
    """
    try:
        value = _parse(data)
    except (ValueError, RecursionError) as error:
        return unreadable(PARSE_ERROR, f"Parse error: {_without_input(error)}")
    return message_of(value)


def message_of(value: object) -> JSONRPCMessage | Batch | Unreadable:
    """The message that a parsed JSON text is; -32600 when it is none."""
    if isinstance(value, list):
        elements = cast("list[object]", value)
        if not elements:
            return unreadable(INVALID_REQUEST, "Invalid request: an empty batch")
        return Batch(tuple(_message(element) for element in elements))
    return _message(value)


def write_message(message: JSONRPCMessage) -> bytes:
    """The JSON text of a message, in UTF-8, on one line."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    except (UnicodeEncodeError, pydantic_core.PydanticSerializationError):
        # A lone surrogate has no UTF-8 but an escape in JSON, which is how it came.
        return json.dumps(message.model_dump(by_alias=True, exclude_unset=True), separators=(",", ":")).encode()


def write_batch(messages: Sequence[JSONRPCMessage]) -> bytes:
    """The JSON text of a batch of answers."""
    return b"[" + b",".join(map(write_message, messages)) + b"]"


def unreadable(code: int, problem: str, request_id: RequestId | None = None) -> Unreadable:
    """Something that is no message, because of `problem`."""
    return Unreadable(ErrorData(code=code, message=problem), request_id)


def error_answer(error: ErrorData, request_id: RequestId | None) -> JSONRPCError:
    """An error as the answer to a request, or to something without a readable id."""
    if request_id is None:
        return JSONRPCError.model_construct({"jsonrpc", "error"}, jsonrpc="2.0", error=error)
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=error)


def _parse(data: bytes) -> Any:
    try:
        return pydantic_core.from_json(data, allow_inf_nan=False)
    except ValueError as error:
        if "recursion limit" in str(error):
            raise
    # The fast parser refuses a lone surrogate and an integer of thousands of digits, which are JSON, and with them
    # the id that asks for an answer.
    return json.loads(data.decode(), parse_constant=_refuse_constant, parse_int=_integer)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _integer(digits: str) -> int | float:
    """An integer; infinite when it is too long to be converted, as a double with such an exponent is."""
    try:
        return int(digits)
    except ValueError:
        return -math.inf if digits.startswith("-") else math.inf


def _without_input(error: Exception) -> str:
    """What a parser said, without the bytes it may quote."""
    return "nested too deep" if isinstance(error, RecursionError) else str(error).partition("b'")[0].strip()[:200]


def _message(value: object) -> JSONRPCMessage | Unreadable:
    if not isinstance(value, dict):
        return unreadable(INVALID_REQUEST, "Invalid request: a message is a JSON object")
    fields = cast("dict[str, Any]", value)
    request_id = fields.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, int | str):
        request_id = None
    if "error" in fields and not {"method", "result"} & set(fields) and fields.get("id") is None:
        return _error_without_id(fields)
    if "id" in fields and request_id is None:
        return unreadable(INVALID_REQUEST, "Invalid request: id must be a string or an integer")
    if problem := _problem(fields):
        return unreadable(INVALID_REQUEST, f"Invalid request: {problem}", request_id)
    if "method" not in fields:
        kind = JSONRPCResponse if "result" in fields else JSONRPCError
    else:
        kind = JSONRPCRequest if "id" in fields else JSONRPCNotification
    try:
        return kind.model_validate(fields, by_name=False)
    except ValidationError:
        return unreadable(INVALID_REQUEST, f"Invalid request: malformed {kind.__name__}", request_id)


def _problem(fields: dict[str, Any]) -> str:
    if fields.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if "method" in fields:
        if not isinstance(fields["method"], str):
            return "method must be a string"
        if not isinstance(fields.get("params", {}), dict):
            return "params must be an object"
        return ""
    if ("result" in fields) == ("error" in fields):
        return "a message has a method, a result or an error"
    return "" if "id" in fields or "error" in fields else "a result answers an id"


def _error_without_id(fields: dict[str, Any]) -> JSONRPCMessage | Unreadable:
    """The peer's complaint about something of ours that it could not read; to answer it would start a quarrel."""
    try:
        error = ErrorData.model_validate(fields["error"])
    except ValidationError:
        return unreadable(INVALID_REQUEST, "Invalid request: malformed JSONRPCError")
    return JSONRPCError.model_construct(jsonrpc="2.0", id=None, error=error)
