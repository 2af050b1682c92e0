"""Which era a message belongs to: the one place that decides it, for every transport."""

from collections.abc import Collection, Mapping
from typing import Any

from mcp.shared.inbound import InboundLadderRejection, InboundModernRoute, classify_inbound_request
from mcp_types import (
    PROTOCOL_VERSION_META_KEY,
    UNSUPPORTED_PROTOCOL_VERSION,
    ErrorData,
    JSONRPCRequest,
    UnsupportedProtocolVersionErrorData,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from everything_server.eras import Era, versions_of

Params = Mapping[str, Any] | None


def claims_modern(params: Params) -> bool:
    """Whether params carry the modern envelope: the version key in `_meta`, and nothing else, is the claim.

    2026-07-28 basic/index, `_meta`: its prefix is reserved, so legacy traffic never has it.
    """
    meta = (params or {}).get("_meta")
    return isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta


def era_of_request(request: JSONRPCRequest) -> Era:
    """The era a request speaks. `initialize` selects the handshake whatever its `_meta` says (basic/versioning)."""
    return Era.MODERN if request.method != "initialize" and claims_modern(request.params) else Era.LEGACY


def check_envelope(request: JSONRPCRequest, eras: Collection[Era]) -> InboundModernRoute | ErrorData:
    """Read a modern request's envelope, or say what is wrong with it.

    Args:
        request: A request on a transport without headers.
        eras: What this process serves; an unsupported version is answered with all of it.

    Returns:
        The client's version and capabilities; or -32602 for a malformed envelope, -32022 for a version not served.
    """
    body = {"method": request.method, "params": request.params}
    route = classify_inbound_request(body, supported_modern_versions=MODERN_PROTOCOL_VERSIONS)
    if isinstance(route, InboundModernRoute):
        return route
    if route.code == UNSUPPORTED_PROTOCOL_VERSION:
        return unsupported_version(route.data["requested"], eras)
    return _error(route)


def unsupported_version(requested: str, eras: Collection[Era]) -> ErrorData:
    """-32022 with the versions that this process serves, newest first (2026-07-28 basic/versioning)."""
    supported = versions_of(eras)
    return ErrorData(
        code=UNSUPPORTED_PROTOCOL_VERSION,
        message=f"Unsupported protocol version {requested[:50]!r}; this server speaks {', '.join(supported)}",
        data=UnsupportedProtocolVersionErrorData(supported=supported, requested=requested).model_dump(mode="json"),
    )


def requested_version(request: JSONRPCRequest) -> str:
    """The version a legacy request asks for: the handshake's, else the oldest, which named none on its requests."""
    version = (request.params or {}).get("protocolVersion") if request.method == "initialize" else None
    return version if isinstance(version, str) else versions_of({Era.LEGACY})[-1]


def _error(rejection: InboundLadderRejection) -> ErrorData:
    if rejection.data is None:
        return ErrorData(code=rejection.code, message=rejection.message)
    return ErrorData(code=rejection.code, message=rejection.message, data=rejection.data)
