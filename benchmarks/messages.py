"""What a client of either era says, as lines."""

from typing import Any

from benchmarks.stdio_client import line_of

_CLIENT = {"name": "benchmark", "version": "1"}
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
_HELLO = {"name": "echo", "arguments": {"message": "hello"}}


def initialize(request_id: int) -> bytes:
    """The opening of a legacy client."""
    return _request(
        request_id,
        "initialize",
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _CLIENT},
    )


def initialized() -> bytes:
    """What a legacy client says when the handshake is done."""
    return line_of({"jsonrpc": "2.0", "method": "notifications/initialized"})


def discover(request_id: int) -> bytes:
    """The probe of a modern client."""
    return _request(request_id, "server/discover", {"_meta": _META})


def legacy_call(request_id: int) -> bytes:
    """A call of `echo` in a legacy session."""
    return _request(request_id, "tools/call", _HELLO)


def modern_call(request_id: int) -> bytes:
    """A call of `echo` that carries all it needs."""
    return _request(request_id, "tools/call", {**_HELLO, "_meta": _META})


def _request(request_id: int, method: str, params: dict[str, Any]) -> bytes:
    return line_of({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
